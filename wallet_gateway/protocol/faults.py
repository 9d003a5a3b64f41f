"""Error bodies: their shape, and the codes and message beginnings of the interface, section Errors.

"The same code value 4107940 is used for both the refund-limit and the schema-validation errors." How a
message begins tells a person which of the two it is; it never changes a state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from wallet_gateway.protocol.field_types import OptionalText, Text
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import NumberText, fold_name
from wallet_gateway.protocol.wire import WireModel

REFUND_AMOUNT_EXCEEDED = "RefundAmountExceeded"

_OF_A_SUCCESS = ("state", "id", "redirecturl")

# The interface names the four amounts and their order, not the words between them. Possessive repeats try
# nothing twice: no message takes long, and no amount is read as two, its decimals as the next one.
_REFUND_LIMIT = re.compile(
    REFUND_AMOUNT_EXCEEDED + r"[^0-9]{1,80}+([0-9]{1,14}+(?:\.[0-9]{1,4}+)?+)(?![.,]?[0-9])" * 4
)


class FaultCode(StrEnum):
    """The two fault codes the interface shows; ``VALIDATION`` also stands for an exceeded refund limit."""

    VALIDATION = "4107940"
    MISSING_TOKEN = "4000340"  # noqa: S105  (a fault code, not a secret)


class ErrorDetails(WireModel):
    """The description of a fault."""

    message: OptionalText | None = None


class ErrorBody(WireModel):
    """The answer instead of a result: a code, and a "more detailed description where available"."""

    code: Text
    description: OptionalText | None = None
    details: ErrorDetails | None = None

    is_answer = True

    @property
    def message(self) -> str:
        """The description of the fault; empty if the gateway gives none."""
        return (self.details and self.details.message) or self.description or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundLimit:
    """The four amounts of a refused refund, in major units of a currency the message does not name."""

    deposit: Decimal
    """The amount of the earlier payment."""
    refunded: Decimal
    """What was refunded of it before."""
    maximum: Decimal
    """What can still be refunded."""
    requested: Decimal
    """What was requested."""


def looks_like_error(value: object) -> bool:
    """Whether a JSON value is an error answer: its ``code`` is a text, and it has no field of a success."""
    code = _member(value, "code")
    return isinstance(code, str) and not isinstance(code, NumberText) and not is_contradictory(value)


def is_contradictory(value: object, success: str = "") -> bool:
    """Whether a ``code`` stands beside a field of a success, in any letter case.

    These are ``state``, ``id`` and ``redirectUrl``; ``success`` is the folded name of one more.
    """
    if _member(value, "code") is None:
        return False
    return any(_member(value, name) is not None for name in (*_OF_A_SUCCESS, success) if name)


def names_a_fault(record: object) -> bool:
    """Whether a record of a list is an error, even if it has a state: ``code`` and ``details.message``.

    A ``code`` alone may be a field of a record that the interface does not name.
    """
    described = _member(_member(record, "details"), "message") is not None
    return looks_like_error(record) or (described and _member(record, "code") is not None)


def _member(value: object, name: str) -> object:
    if not isinstance(value, Mapping):
        return None
    return next((part for key, part in value.items() if fold_name(key) == name), None)


def error_body(code: str, message: str) -> ErrorBody:
    """Make an error body."""
    return ErrorBody(code=code, details=ErrorDetails(message=message))


def refund_amount_exceeded(deposit: Money, refunded: Money, maximum: Money, requested: Money) -> ErrorBody:
    """Make the error body for an excessive refund, with the four amounts in the interface's order.

    "RefundAmountExceeded, then the deposit amount, refunded amount, maximum refundable amount and requested
    refund amount." (Errors)
    """
    return error_body(
        FaultCode.VALIDATION,
        f"{REFUND_AMOUNT_EXCEEDED}: deposit amount {deposit.to_wire()}, "
        f"refunded amount {refunded.to_wire()}, maximum refundable amount {maximum.to_wire()}, "
        f"requested refund amount {requested.to_wire()}",
    )


def read_refund_amount_exceeded(message: str) -> RefundLimit | None:
    """Read the four amounts from such a message; None for another message or one without them."""
    found = _REFUND_LIMIT.match(message)
    if found is None:
        return None
    deposit, refunded, maximum, requested = map(Decimal, found.groups())
    return RefundLimit(deposit=deposit, refunded=refunded, maximum=maximum, requested=requested)
