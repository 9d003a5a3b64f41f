"""The amount of an operation: a Decimal or Money in the right currency, or none at all."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.tables import every
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.inputs import BadAmount, minor_units_of
from wallet_gateway.protocol.money import Money


@every(
    ("amount", "currency", "minor"),
    [
        (Decimal("20.00"), "EUR", 2000),
        (Decimal("20"), "EUR", 2000),
        (Decimal("0.01"), "EUR", 1),
        (Decimal("2E+1"), "EUR", 2000),
        (Decimal("7"), "JPY", 7),
        (Decimal("1.25"), "KWD", 1250),
        (Decimal("999999999999.99"), "EUR", 99999999999999),
        (Money(Decimal("20.00"), "EUR"), "EUR", 2000),
    ],
)
def test_an_amount_is_counted_in_minor_units(amount: Decimal | Money, currency: str, minor: int) -> None:
    assert minor_units_of(amount, currency=currency) == minor


def test_no_amount_is_none() -> None:
    assert minor_units_of(None, currency="EUR") is None


@every(
    ("amount", "words"),
    [
        (Decimal(0), "zero"),
        (Decimal("-1.00"), "sign"),
        (Decimal("1.001"), "finer"),
        (Decimal("NaN"), "no finite number"),
        (Decimal("-Infinity"), "no finite number"),
        (Decimal("1e1000000"), "too many digits"),
        (Decimal("9999999999999.99"), "too many digits"),
        (Money(Decimal("1.00"), "USD"), "is in USD, the payment is in EUR"),
        (1, "must be a Decimal or Money, not int"),
        (1.0, "must be a Decimal or Money, not float"),
        ("1.00", "must be a Decimal or Money, not str"),
        (True, "must be a Decimal or Money, not bool"),
        ((), "must be a Decimal or Money, not tuple"),
    ],
)
def test_what_is_no_amount_is_refused_with_its_reason(amount: object, words: str) -> None:
    with pytest.raises(BadAmount, match=words):
        minor_units_of(amount, currency="EUR")  # type: ignore[call-overload]


def test_a_bad_amount_is_a_refusal_like_others() -> None:
    assert issubclass(BadAmount, OperationRefused)
