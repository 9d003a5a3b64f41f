"""Amounts that always do the same, for people who click through a shop without a test's control calls."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum

from wallet_gateway.protocol.money import Money


class SpecialAmount(Enum):
    """The special amounts in major units, in whatever currency has such an amount; no other is special."""

    REFUSED = Decimal("6660.01")
    PENDING = Decimal("6660.02")
    ERRORED = Decimal("6660.03")
    SLOW = Decimal("6660.04")
    """The answer takes its time; nothing else is unusual."""


def special_amount(money: Money) -> SpecialAmount | None:
    """Tell whether, and how, an amount is special."""
    return _BY_VALUE.get(money.amount)


_BY_VALUE = {special.value: special for special in SpecialAmount}
