"""The wallet button through the shop's door: session, sheet, result, and what it costs in statements."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction as db_transaction

from tests.operations.wallet_customer import CARD, TOKEN, Customer
from wallet_gateway import payments
from wallet_gateway.gateways import context_of
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments.wallet import WalletOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
SESSION = "session-key-of-ada"


@pytest.fixture
def order(wallet_sandbox: SandboxControl) -> PaymentOrder:
    item = payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("12.50"))
    return payments.create_order(reference="SHOP-1", currency="EUR", items=[item])


def approve(
    control: SandboxControl, button: payments.wallet.WalletSession, method: str = TOKEN
) -> dict[str, Any]:
    return Customer(control, context_of("default")).approve(button, method)


def test_a_card_is_sent_to_three_d_secure_and_the_return_finds_it_paid(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    button = payments.wallet.open_session(order, session=SESSION)
    payment = payments.wallet.pay(order, session=SESSION, detail=approve(wallet_sandbox, button, CARD))
    assert payments.wallet.outcome(payment) is WalletOutcome.THREE_D_SECURE
    assert payment.redirect_url
    location = wallet_sandbox.complete_three_d_secure(payment.reference, "success")
    assert location.startswith("http://127.0.0.1:8000/")
    assert payments.reconcile(payments.orders.attempt_for(payment.reference)).is_paid


def test_a_sheet_is_priced_and_another_card_gets_a_reference(order: PaymentOrder) -> None:
    button = payments.wallet.open_session(order, session=SESSION)
    price = payments.wallet.price_sheet(order, reference=button.reference, session=SESSION)
    assert price.total.to_wire() == "12.50"
    assert payments.wallet.next_reference(order, session=SESSION) == button.reference


def test_a_card_is_never_charged_inside_a_transaction_of_the_shop(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    button = payments.wallet.open_session(order, session=SESSION)
    detail = approve(wallet_sandbox, button)
    with db_transaction.atomic(), pytest.raises(RuntimeError):
        payments.wallet.pay(order, session=SESSION, detail=detail)
    assert not [e for e in wallet_sandbox.journal() if e["operation"] == "authorization"]
