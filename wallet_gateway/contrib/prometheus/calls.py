"""Calls to gateways, counted and timed in the calling process, or in its multi-process files.

Labels are aliases from the settings and words from fixed lists, so their number is bounded.
"""

from __future__ import annotations

from typing import Any, Final

from prometheus_client import Counter, Histogram

from wallet_gateway.client.exchange import CallRecord
from wallet_gateway.signals import gateway_called

SECONDS: Final = Histogram(
    "wallet_gateway_call_seconds",
    "Seconds that a call to a gateway took, from the call to the last byte.",
    ["gateway", "operation"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60),
)
CALLS: Final = Counter(
    "wallet_gateway_calls",
    "Calls to a gateway by what is known after them.",
    ["gateway", "operation", "outcome", "reason"],
)


def connect() -> None:
    """Start counting and timing every call."""
    gateway_called.connect(_measure, dispatch_uid="wallet_gateway_prometheus")


def _measure(*, gateway: str, call: CallRecord, **_: Any) -> None:
    SECONDS.labels(gateway, call.operation).observe(call.elapsed_seconds)
    CALLS.labels(gateway, call.operation, call.outcome.value, call.reason).inc()
