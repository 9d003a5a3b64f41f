"""The shop's money functions: its three currencies, rounding, and the tax in a price that includes it.

Amounts are `Decimal` in major units here and integers of minor units in the database.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from django.db import models


class Currency(models.TextChoices):
    """The currencies the shop has a price list for."""

    EUR = "EUR", "EUR"
    JPY = "JPY", "JPY"
    KWD = "KWD", "KWD"


EXPONENTS = {Currency.EUR: 2, Currency.JPY: 0, Currency.KWD: 3}


def from_minor_units(units: int, currency: str) -> Decimal:
    """Return the amount in major units: 2400 in EUR is 24.00, in JPY 2400, in KWD 2.400."""
    return Decimal(units).scaleb(-EXPONENTS[Currency(currency)])


def to_minor_units(amount: Decimal, currency: str) -> int:
    """Return the amount in minor units; raises `ValueError` for an amount finer than the currency."""
    decimals = EXPONENTS[Currency(currency)]
    scaled = amount.scaleb(decimals)
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{amount} has more decimals than {currency}, which has {decimals}.")
    return int(scaled)


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Return the amount rounded to the currency's number of decimals, halves up."""
    step = Decimal(1).scaleb(-EXPONENTS[Currency(currency)])
    return amount.quantize(step, rounding=ROUND_HALF_UP)


def included_tax(gross: Decimal, rate: Decimal, currency: str) -> Decimal:
    """Return the tax in a price that includes it, at a rate in percent."""
    return rounded(gross * rate / (100 + rate), currency)
