"""A span for each call to a gateway, written after the call: metadata only, no message content.

No trace headers are sent to the gateway, because its interface defines none.
"""

from __future__ import annotations

import time
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from wallet_gateway import __version__
from wallet_gateway.client.exchange import CallOutcome, CallRecord
from wallet_gateway.signals import gateway_called

_NANOSECONDS = 1_000_000_000


def connect() -> None:
    """Start writing a span for every call."""
    gateway_called.connect(_write, dispatch_uid="wallet_gateway_opentelemetry")


def _write(*, gateway: str, call: CallRecord, **_: Any) -> None:
    known: dict[str, AttributeValue] = {
        "wallet_gateway.gateway": gateway,
        "wallet_gateway.operation": call.operation,
        "wallet_gateway.outcome": call.outcome.value,
        "http.request.method": call.method,
        "url.template": call.path,
    }
    if call.http_status is not None:
        known["http.response.status_code"] = call.http_status
    failure = "" if call.outcome is CallOutcome.ANSWERED else call.reason or call.outcome.value
    if failure:
        known["error.type"] = failure
    # The signal is sent in the calling thread, so the current span there is the parent.
    tracer, ended = trace.get_tracer("wallet_gateway", __version__), time.time_ns()
    span = tracer.start_span(
        f"wallet_gateway.{call.operation}",
        kind=SpanKind.CLIENT,
        attributes=known,
        start_time=ended - round(call.elapsed_seconds * _NANOSECONDS),
    )
    if failure:
        span.set_status(Status(StatusCode.ERROR, failure))
    span.end(end_time=ended)
