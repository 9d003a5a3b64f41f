"""The shop's own arithmetic of amounts, with literal answers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from example_project.shop.money import from_minor_units, included_tax, rounded, to_minor_units


@pytest.mark.parametrize(
    ("currency", "units", "amount"),
    [("EUR", 2400, "24.00"), ("JPY", 2400, "2400"), ("KWD", 2400, "2.400")],
)
def test_minor_units_follow_the_currency(currency: str, units: int, amount: str) -> None:
    assert str(from_minor_units(units, currency)) == amount
    assert to_minor_units(Decimal(amount), currency) == units


@pytest.mark.parametrize(("currency", "amount"), [("EUR", "1.005"), ("JPY", "0.5"), ("KWD", "0.0001")])
def test_an_amount_finer_than_its_currency_is_refused(currency: str, amount: str) -> None:
    with pytest.raises(ValueError, match=f"{amount} has more decimals than {currency}"):
        to_minor_units(Decimal(amount), currency)


@pytest.mark.parametrize(
    ("currency", "amount", "expected"),
    [("EUR", "0.125", "0.13"), ("JPY", "0.5", "1"), ("KWD", "0.0005", "0.001"), ("EUR", "0.124", "0.12")],
)
def test_halves_are_rounded_up(currency: str, amount: str, expected: str) -> None:
    assert str(rounded(Decimal(amount), currency)) == expected


@pytest.mark.parametrize(
    ("currency", "gross", "rate", "tax"),
    [("EUR", "119.00", "19", "19.00"), ("JPY", "3900", "10", "355"), ("KWD", "8.250", "5", "0.393")],
)
def test_the_tax_is_inside_the_price(currency: str, gross: str, rate: str, tax: str) -> None:
    assert str(included_tax(Decimal(gross), Decimal(rate), currency)) == tax


def test_without_a_rate_there_is_no_tax() -> None:
    assert included_tax(Decimal("50.00"), Decimal(0), "EUR") == 0
