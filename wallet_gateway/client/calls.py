"""How a call to the gateway ended, for whoever counts, times or traces calls. No I/O and no judgement here.

Every word is one of a closed list: neither bodies nor references, nor anything that the gateway wrote. What
is made of it holds no secret, and has a known number of values.
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
class EndedCall:
    """One call to the gateway, without what was said."""

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


def ended_call(operation: str, exchange: Exchange, error: GatewayError | None = None) -> EndedCall:
    """Return how a call ended, by its record and by what was raised."""
    outcome, reason = _verdict(error)
    return EndedCall(
        operation=operation,
        method=exchange.method,
        path=exchange.url_path,
        outcome=outcome,
        reason=reason,
        http_status=exchange.http_status,
        elapsed_seconds=exchange.elapsed_seconds,
    )


def _verdict(error: GatewayError | None) -> tuple[CallOutcome, str]:
    if error is None:
        return CallOutcome.ANSWERED, ""
    if isinstance(error, NotSent):
        return CallOutcome.NOT_SENT, error.reason.value
    if isinstance(error, OutcomeUnknown):
        return CallOutcome.UNKNOWN, error.reason.value
    return CallOutcome.REFUSED, ""
