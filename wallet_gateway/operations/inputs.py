"""Check what an operation is given: amounts in the right currency, known reasons, storable texts."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import overload

from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.reason_codes import REASON_CODES, is_reason_code
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money

_NO_CHARACTER = re.compile(r"[\x00\ud800-\udfff]")

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


class UnknownReasonCode(OperationRefused):
    """The reason's code is not one of those known for this operation."""


def check_reason_code(kind: TransactionKind, code: object) -> None:
    """Refuse a code that is not known for an operation; raises `UnknownReasonCode`."""
    if not isinstance(code, str) or not is_reason_code(kind, code):
        known = ", ".join(REASON_CODES.get(kind, ()))
        raise UnknownReasonCode(f"reason_code: must be empty or one of {known}")


class UnstorableText(OperationRefused):
    """A text cannot be stored: it holds a NUL, or half of a surrogate pair, which is no character."""


def is_storable(text: object) -> bool:
    """Whether a value is a text that every database takes as it is."""
    return isinstance(text, str) and not _NO_CHARACTER.search(text)


def check_storable(**texts: object) -> None:
    """Refuse texts that cannot be stored; raises UnstorableText that names the first of them."""
    for name, text in texts.items():
        if not is_storable(text):
            raise UnstorableText(f"{name}: must be text, its characters {WHAT_IS_NO_TEXT}")
