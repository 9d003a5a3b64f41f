"""The record of one call for metrics and traces: how it ended and how long it took. No I/O.

Every word is one of a closed list: no bodies, no references, nothing that the gateway wrote. Labels made of
it hold no secret and have a known number of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown
from wallet_gateway.client.exchange import Exchange


class CallOutcome(StrEnum):
    """What is known after a call."""

    ANSWERED = "answered"
    """The gateway answered; whether it approved is in the answer."""
    REFUSED = "refused"
    """It answered with its error body."""
    NOT_SENT = "not_sent"
    """Not one byte left."""
    UNKNOWN = "unknown"
    """The request left, and no usable answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call to the gateway, without its content: `call` of the signal `gateway_called`."""

    operation: str
    """`checkout`, `capture`, `refund`, `reversal`, `detached_refund`, `status`, `authorization`, ..."""
    method: str
    path: str
    """The template of the path, with names in braces where references stand."""
    outcome: CallOutcome
    reason: str
    """A word of `NotSentReason` or `UnknownReason`; empty where an answer came."""
    http_status: int | None
    """None when no complete answer came."""
    elapsed_seconds: float


def call_record(operation: str, exchange: Exchange, error: GatewayError | None = None) -> CallRecord:
    """Build the record of a call from its exchange and from the error that was raised."""
    outcome, reason = _outcome(error)
    return CallRecord(
        operation=operation,
        method=exchange.method,
        path=exchange.url_path,
        outcome=outcome,
        reason=reason,
        http_status=exchange.http_status,
        elapsed_seconds=exchange.elapsed_seconds,
    )


def _outcome(error: GatewayError | None) -> tuple[CallOutcome, str]:
    if error is None:
        return CallOutcome.ANSWERED, ""
    if isinstance(error, NotSent):
        return CallOutcome.NOT_SENT, error.reason.value
    if isinstance(error, OutcomeUnknown):
        return CallOutcome.UNKNOWN, error.reason.value
    return CallOutcome.REFUSED, ""
