"""Error bodies: their shape, the codes and message beginnings the interface shows: the interface, section Errors.

A beginning tells a person which of two faults a shared code means. It is never a reason for a state to change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from wallet_gateway.protocol.fields import OptionalText, Text, WireModel
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import fold_name

REFUND_AMOUNT_EXCEEDED = "RefundAmountExceeded"
SCHEMA_VALIDATION_ERROR = "SchemaValidationError"

_REFUND_LIMIT = re.compile(
    REFUND_AMOUNT_EXCEEDED
    + r"\D{1,60}?(\d{1,14}(?:\.\d{1,4})?)\D{1,60}?(\d{1,14}(?:\.\d{1,4})?)"
    + r"\D{1,60}?(\d{1,14}(?:\.\d{1,4})?)\D{1,60}?(\d{1,14}(?:\.\d{1,4})?)\D{0,60}",
    re.ASCII,
)


class FaultCode(StrEnum):
    """The two fault codes the interface shows; ``VALIDATION`` also stands for an exceeded refund limit."""

    VALIDATION = "4107940"
    MISSING_TOKEN = "4000340"  # noqa: S105  (a fault code, not a secret)


class ErrorDetails(WireModel):
    """The description of a fault."""

    message: OptionalText

    is_answer = True


class ErrorBody(WireModel):
    """What is answered instead of a result."""

    code: Text
    description: OptionalText | None = None
    details: ErrorDetails

    is_answer = True

    @property
    def message(self) -> str:
        """The description of the fault."""
        return self.details.message


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundLimit:
    """The four amounts of a refused refund, in major units of a currency the message does not name."""

    deposit: Decimal
    refunded: Decimal
    maximum: Decimal
    requested: Decimal


def looks_like_error(value: object) -> bool:
    """Whether a JSON value has ``code`` and ``details.message``, in any letter case: then it is an error answer."""
    if not isinstance(value, Mapping):
        return False
    folded = {fold_name(str(name)): part for name, part in value.items()}
    details = folded.get("details")
    return (
        folded.get("code") is not None
        and isinstance(details, Mapping)
        and any(fold_name(str(name)) == "message" for name in details)
    )


def error_body(code: str, message: str) -> ErrorBody:
    """Make an error body."""
    return ErrorBody(code=code, details=ErrorDetails(message=message))


def refund_amount_exceeded(deposit: Money, refunded: Money, maximum: Money, requested: Money) -> ErrorBody:
    """Refuse a refund that is more than what is left, naming the four amounts in the interface's order."""
    return error_body(
        FaultCode.VALIDATION,
        f"{REFUND_AMOUNT_EXCEEDED}: deposit amount {deposit.to_wire()}, refunded amount {refunded.to_wire()}, "
        f"maximum refundable amount {maximum.to_wire()}, requested refund amount {requested.to_wire()}",
    )


def read_refund_amount_exceeded(message: str) -> RefundLimit | None:
    """Find the four amounts in such a message; None if it is another message or does not have them."""
    found = _REFUND_LIMIT.match(message)
    if found is None:
        return None
    deposit, refunded, maximum, requested = map(Decimal, found.groups())
    return RefundLimit(deposit=deposit, refunded=refunded, maximum=maximum, requested=requested)
