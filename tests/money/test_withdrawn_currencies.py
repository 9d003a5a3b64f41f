"""A currency that ISO 4217 withdraws: what was paid in it is read, captured and refunded."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.money.gateway import record
from tests.money.shop import Shop, order_of, state
from wallet_gateway import payments
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.payments import Money
from wallet_gateway.protocol import codes

pytestmark = pytest.mark.django_db


@pytest.fixture
def withdraw(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return what takes a currency out of the table, as an update of `iso4217` does."""
    current = codes.currency_exponents

    def withdraw(code: str) -> None:
        left = {known: exponent for known, exponent in current().items() if known != code}
        monkeypatch.setattr(codes, "currency_exponents", lambda: left)

    return withdraw


@pytest.mark.parametrize(
    ("code", "amount", "part"),
    [
        ("SEK", "30.00", "10.50"),
        ("ISK", "30", "11"),
        ("TND", "30.000", "10.125"),
        ("CLF", "30.0000", "0.0001"),
    ],
)
def test_what_was_paid_in_a_withdrawn_currency_is_followed_up(
    shop: Shop, withdraw: Callable[[str], None], code: str, amount: str, part: str
) -> None:
    unpaid = shop.order(currency=code, amount=Decimal(amount))
    payment = shop.begin(type="preauthorization", currency=code, amount=Decimal(amount))
    withdraw(code)
    shop.report(payment, record(payment.reference, type="ecom.preAuthorization", currencyCode=code))
    shop.ask(payment)
    payment.refresh_from_db()
    assert payment.state == "AUTHORIZED"

    captured = payments.capture(order_of(payment), Money(Decimal(part), payment.currency))
    refunded = payments.refund(order_of(payment))

    assert [(sent["amount"], sent["currencyCode"]) for sent in shop.gateway.sent] == [(part, code)] * 2
    assert (captured.state, refunded.state) == ("APPROVED", "APPROVED")
    assert str(order_of(payment).amount) == f"{amount} {code}"
    shop.days(2)
    assert str(payments.order_summary(order_of(payment)).refunded) == f"{part} {code}"
    # What was ordered before may still be paid.
    payment = payments.start_checkout(unpaid)
    shop.report(payment, record(payment.reference, currencyCode=code))
    shop.ask(payment)
    assert state(payment)[0] == "PAID"


@pytest.mark.parametrize("code", ["BGN", "CUC", "ZWL", "ang"])
def test_a_new_order_in_a_withdrawn_currency_is_refused(shop: Shop, code: str) -> None:
    with pytest.raises(InvalidInput, match=r"currency: .* is withdrawn from ISO 4217"):
        shop.order(currency=code)
    with pytest.raises(InvalidInput, match="withdrawn"):
        shop.order(currency=codes.check_currency(code))
