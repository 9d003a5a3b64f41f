"""Cards whose data is really encrypted, at the sandbox: a token, and a plain one with 3-D Secure."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.api.browser import CARD, TOKEN, approve
from wallet_gateway import payments
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import check_books

pytestmark = pytest.mark.django_db
SESSION = "session-of-ada"


@pytest.fixture
def order(wallet_sandbox: SandboxControl, db: None) -> PaymentOrder:
    item = payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("12.50"))
    return payments.create_order(reference="SHOP-1", currency="EUR", items=[item])


def approved(control: SandboxControl, order: PaymentOrder, method: str) -> dict[str, Any]:
    """See the button, choose a card in the sheet and approve it."""
    button = payments.wallet.open_session(order, session=SESSION)
    shown = {"parameters": button.parameters, "reference": button.reference}
    return approve(control, shown, method)


def pay(control: SandboxControl, order: PaymentOrder, method: str) -> Payment:
    return payments.wallet.pay(order, session=SESSION, detail=approved(control, order, method))


@pytest.mark.parametrize(("outcome", "state"), [("success", "PAID"), ("failed", "FAILED")])
def test_a_plain_card_is_sent_to_three_d_secure_and_the_return_finds_out_how_it_ended(
    outcome: str, state: str, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(wallet_sandbox, order, CARD)
    assert payments.wallet.outcome(payment) == "THREE_D_SECURE"
    assert payment.redirect_url.startswith(wallet_sandbox.base_url)
    location = wallet_sandbox.complete_three_d_secure(payment.reference, outcome)
    assert location.startswith("http://127.0.0.1:8000/")
    assert payments.reconcile(payments.orders.attempt_for(payment.reference)).state == state
    check_books()


def test_the_sandbox_refuses_a_key_that_it_has_forgotten_and_the_next_session_pays(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    detail = approved(wallet_sandbox, order, TOKEN)
    wallet_sandbox.reset()
    with pytest.raises(payments.errors.TryAgain):
        payments.wallet.pay(order, session=SESSION, detail=detail)
    assert pay(wallet_sandbox, order, TOKEN).order.state == "PAID"
    check_books()
