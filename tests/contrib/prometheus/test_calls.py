"""Calls as Prometheus sees them: counted and timed under a known number of labels, across processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

import pytest
from prometheus_client import Counter, Histogram, generate_latest

from tests.support.shop import Shop
from wallet_gateway import gateways
from wallet_gateway.client.errors import NotSent
from wallet_gateway.contrib.prometheus import calls
from wallet_gateway.signals import gateway_called

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def measured() -> Iterator[None]:
    calls.connect()
    yield
    assert gateway_called.disconnect(dispatch_uid="wallet_gateway_prometheus")


def value_of(metric: Counter | Histogram, name: str, **labels: str) -> float:
    samples = [sample for family in metric.collect() for sample in family.samples]
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


def counts(**labels: str) -> tuple[float, float]:
    """How many calls were counted with these labels, and how many were timed at all."""
    counted = value_of(calls.CALLS, "wallet_gateway_calls_total", operation="status", **labels)
    timed = value_of(
        calls.SECONDS, "wallet_gateway_call_seconds_count", gateway="default", operation="status"
    )
    return counted, timed


REFUSED = {"outcome": "not_sent", "reason": "refused_connection"}


@pytest.mark.parametrize(
    ("leave", "labels"), [(nullcontext, {"outcome": "answered"}), (Shop.cut_off, REFUSED)]
)
def test_a_call_is_counted_by_its_outcome_and_timed_and_names_no_payment(
    leave: Callable[..., AbstractContextManager[None]], labels: dict[str, str], shop: Shop
) -> None:
    before = counts(**labels)
    with leave(shop), suppress(NotSent):
        gateways.gateway("default").status("SECRET-REFERENCE")
    assert counts(**labels) == (before[0] + 1, before[1] + 1)
    assert b"SECRET-REFERENCE" not in generate_latest()


COUNTS = """
import django; django.setup()
from wallet_gateway.contrib.prometheus import calls
from wallet_gateway.signals import gateway_called
from wallet_gateway.client.exchange import CallOutcome, CallRecord
calls.connect()
call = CallRecord(
    operation="capture",
    method="POST",
    path="/api/v5/apmTransactions",
    outcome=CallOutcome.ANSWERED,
    reason="",
    http_status=200,
    elapsed_seconds=0.3,
)
gateway_called.send(sender=None, gateway="default", call=call)
"""
SHOWS = """
from prometheus_client import generate_latest
from wallet_gateway.contrib.prometheus import views
print(generate_latest(views._registry()).decode())
"""


def test_processes_that_share_a_directory_are_added_up(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DATABASE_URL": "sqlite://:memory:",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }

    def run(program: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
        )
        return ran.stdout

    run(COUNTS)
    shown = run(COUNTS + SHOWS)
    labels = 'gateway="default",operation="capture"'
    assert f"wallet_gateway_call_seconds_count{{{labels}}} 2.0" in shown
    # A database without our tables does not answer, and the calls are shown all the same.
    assert "wallet_gateway_rows_read 0.0" in shown
