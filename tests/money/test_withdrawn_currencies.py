"""A currency that ISO 4217 withdraws: what was paid in it is read, captured and refunded."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.money.gateway import record
from tests.money.shop import Shop, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.payments import Money
from wallet_gateway.payments.errors import InvalidInput

pytestmark = pytest.mark.django_db


def withdraw(code: str) -> None:
    """Make rows in the currency as they are after its withdrawal, by renaming the one they are in."""
    for model in (PaymentOrder, Payment, GatewayTransaction):
        model._default_manager.update(currency=code)


def test_what_was_paid_in_a_withdrawn_currency_is_followed_up(shop: Shop) -> None:
    unpaid, payment = shop.order(), shop.begin(type="preauthorization")
    withdraw("BGN")
    opening = {"type": "ecom.preAuthorization", "currencyCode": "BGN"}
    shop.report_and_ask(payment, record(payment.reference, **opening))
    assert reloaded(payment).state == "AUTHORIZED"

    captured = payments.capture(order_of(payment), Money(Decimal("10.50"), "BGN"))
    refunded = payments.refund(order_of(payment))
    assert [(sent["amount"], sent["currencyCode"]) for sent in shop.gateway.sent] == [("10.50", "BGN")] * 2
    assert (captured.state, refunded.state) == ("APPROVED", "APPROVED")
    assert str(order_of(payment).amount) == "30.00 BGN"
    shop.days(1)
    assert str(payments.order_summary(order_of(payment)).refunded) == "10.50 BGN"
    # What was ordered before may still be paid.
    unpaid.refresh_from_db()
    page = payments.start_checkout(unpaid)
    shop.report_and_ask(page, record(page.reference, currencyCode="BGN"))
    assert state(page)[0] == "PAID"


@pytest.mark.parametrize("code", ["BGN", "ang"])
def test_a_new_order_in_a_withdrawn_currency_is_refused(shop: Shop, code: str) -> None:
    with pytest.raises(InvalidInput, match=r"currency: .* is withdrawn from ISO 4217"):
        shop.order(currency=code)
