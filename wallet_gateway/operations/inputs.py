"""Check what an operation is given: amounts in the right currency, and texts that can be stored."""

from __future__ import annotations

from decimal import Decimal
from typing import overload

from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import is_storable

WHAT_IS_NO_TEXT = "none of them NUL or half of a surrogate pair"
"""Ends a sentence on what a text may hold."""


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


class UnstorableText(OperationRefused):
    """A text cannot be stored: it holds a NUL, or half of a surrogate pair, which is no character."""


def check_storable(**texts: object) -> None:
    """Refuse texts that cannot be stored; raises UnstorableText that names the first of them."""
    for name, text in texts.items():
        if not is_storable(text):
            raise UnstorableText(f"{name}: must be text, its characters {WHAT_IS_NO_TEXT}")
