"""Read the amount of an operation: a Decimal or Money above zero, in the right currency."""

from __future__ import annotations

from decimal import Decimal
from typing import overload

from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money


class BadAmount(OperationRefused):
    """The amount is not one that this currency can have, or is in another currency."""


@overload
def minor_units_of(amount: None, *, currency: str) -> None: ...
@overload
def minor_units_of(amount: Decimal | Money, *, currency: str) -> int: ...
def minor_units_of(amount: Decimal | Money | None, *, currency: str) -> int | None:
    """Return minor units, or None where no amount is given. Raises `BadAmount`."""
    if amount is None:
        return None
    if isinstance(amount, Money):
        if amount.currency != currency:
            raise BadAmount(f"amount is in {amount.currency}, the payment is in {currency}")
        amount = amount.amount
    if not isinstance(amount, Decimal):
        raise BadAmount(f"amount must be a Decimal or Money, not {type(amount).__name__}")
    try:
        return Money.parse(amount, currency).minor_units
    except ProtocolError as error:
        raise BadAmount(f"amount: {error}") from error
