"""Read one complete HTTP answer: a message, a refusal, or nothing to rely on. Pure; no I/O.

The HTTP status alone decides nothing: a 2xx may carry an error, and a 4xx may come from a proxy that never
asked the gateway. Only the gateway's own error body is a refusal, and only with a 2xx or most 4xx.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Generic, TypeVar

from wallet_gateway.client.errors import BadAnswer, OutcomeUnknown, Refused, UnknownReason
from wallet_gateway.client.redaction import redact_message
from wallet_gateway.protocol.errors import InvalidMessage, ProtocolError, UnreadableBody
from wallet_gateway.protocol.faults import ErrorBody, is_contradictory, looks_like_error
from wallet_gateway.protocol.strict_json import JsonValue

MAX_RETRY_AFTER = 900.0
"""Seconds, the longest wait that a gateway can ask for."""

# These two and 429 say nothing of the request: a proxy may answer so before or after passing it on.
_TRY_LATER = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY)
_MAX_DETAIL_LENGTH = 500

M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseSpec(Generic[M]):
    """How a successful answer of one endpoint is read."""

    read: Callable[[JsonValue], M]
    """Raises ProtocolError for any other value."""
    success_field: str
    """The folded name of a field that only a success has; empty where a success is not an object."""
    by_parts: bool = False
    """Whether an array that is not strict JSON as a whole is read part by part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedResponse:
    """An answer with its body as a JSON value, or the reason why that failed. `repr` hides the value."""

    status: int
    headers: Mapping[str, str]
    value: JsonValue | UnreadableBody = field(repr=False)


def parse_response(answer: DecodedResponse, spec: ResponseSpec[M]) -> M:
    """Return the message of a success; raises Refused, BadAnswer or OutcomeUnknown for everything else."""
    if 200 <= answer.status < 300:
        return _message_of_success(answer, spec)
    reason = _reason(answer.status)
    if reason is UnknownReason.FOREIGN_ANSWER:
        if is_contradictory(answer.value, spec.success_field):
            reason = UnknownReason.CONTRADICTORY
        elif refusal := _refusal(answer):
            raise refusal
    raise OutcomeUnknown(reason, retry_after_seconds(answer.headers), detail=f"HTTP {answer.status}")


def _message_of_success(answer: DecodedResponse, spec: ResponseSpec[M]) -> M:
    value = answer.value
    if isinstance(value, UnreadableBody):
        raise _bad(UnknownReason.UNREADABLE, value)
    # An error's code beside a field of a success is enough: whatever it is, it is not a clear yes.
    if is_contradictory(value, spec.success_field):
        raise BadAnswer(UnknownReason.CONTRADICTORY, detail="an error's code beside a field of a success")
    if refusal := _refusal(answer):
        raise refusal
    try:
        return spec.read(value)
    except ProtocolError as error:
        bad = _bad(UnknownReason.WRONG_SHAPE, error)
    # Outside the handler, so that the error, which holds parts of the answer, is not chained.
    raise bad


def _bad(reason: UnknownReason, error: ProtocolError) -> BadAnswer:
    return BadAnswer(reason, detail=redact_message(str(error))[:_MAX_DETAIL_LENGTH])


def _reason(status: int) -> UnknownReason:
    if 300 <= status < 400:
        return UnknownReason.REDIRECT
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return UnknownReason.RATE_LIMITED
    if status in _TRY_LATER:
        return UnknownReason.TRY_LATER
    if 400 <= status < 500:
        return UnknownReason.FOREIGN_ANSWER
    return UnknownReason.SERVER_ERROR if 500 <= status < 600 else UnknownReason.OTHER


def _refusal(answer: DecodedResponse) -> Refused | None:
    if not isinstance(answer.value, dict) or not looks_like_error(answer.value):
        return None
    try:
        body = ErrorBody.from_wire(answer.value)
    except InvalidMessage:
        return None
    return Refused(redact_message(body.code), redact_message(body.message), answer.status)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Read `Retry-After`, seconds or a date, as 0 to 900 seconds from now; None without one."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), MAX_RETRY_AFTER)
    until = _date(text)
    if until is None:
        return None
    # Against the gateway's own clock, where it tells it: ours may be wrong.
    now = _date(headers.get("date", "")) or datetime.fromtimestamp(time.time(), UTC)
    return min(max((until - now).total_seconds(), 0.0), MAX_RETRY_AFTER)


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
