"""Calls as Prometheus sees them: counted and timed under a known number of labels, across processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import Counter, Histogram, generate_latest
from pytest_django import Settings

from wallet_gateway import gateways
from wallet_gateway.client.calls import CallOutcome, CallRecord
from wallet_gateway.client.errors import NotSent
from wallet_gateway.contrib.prometheus import calls
from wallet_gateway.signals import gateway_called
from wallet_gateway.testing.control import SandboxControl

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def measured() -> Iterator[None]:
    calls.connect()
    yield
    assert gateway_called.disconnect(dispatch_uid="wallet_gateway_prometheus")


def counted(**labels: str) -> float:
    return value_of("wallet_gateway_calls_total", calls.CALLS, labels)


def timed(**labels: str) -> float:
    return value_of("wallet_gateway_call_seconds_count", calls.SECONDS, labels)


def value_of(name: str, metric: Counter | Histogram, labels: dict[str, str]) -> float:
    samples = [sample for family in metric.collect() for sample in family.samples]
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


def a_call(**words: Any) -> CallRecord:
    given: dict[str, Any] = {
        "operation": "capture",
        "method": "POST",
        "path": "/api/v5/apmTransactions",
        "outcome": CallOutcome.ANSWERED,
        "reason": "",
        "http_status": 200,
        "elapsed_seconds": 0.3,
    }
    return CallRecord(**given | words)


def test_a_call_over_the_wire_is_counted_and_timed_by_gateway_and_operation(
    wallet_sandbox: SandboxControl,
) -> None:
    before = counted(operation="status", outcome="answered"), timed(gateway="default", operation="status")
    gateways.gateway("default").status("UNKNOWN-REFERENCE")
    after = counted(operation="status", outcome="answered"), timed(gateway="default", operation="status")
    assert after == (before[0] + 1, before[1] + 1)


def test_a_gateway_that_cannot_be_reached_is_counted_by_its_reason(
    wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    default = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"BASE_URL": "http://127.0.0.1:9"}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": {"default": default}}
    of_it = {"operation": "status", "outcome": "not_sent", "reason": "refused_connection"}
    before = counted(**of_it)
    with pytest.raises(NotSent):
        gateways.gateway("default").status("SECRET-REFERENCE")
    assert counted(**of_it) == before + 1
    assert b"SECRET-REFERENCE" not in generate_latest()


COUNTS = """
import django; django.setup()
from wallet_gateway.contrib.prometheus import calls
from wallet_gateway.signals import gateway_called
from tests.contrib.prometheus.test_calls import a_call
calls.connect()
gateway_called.send(sender=None, gateway="default", call=a_call())
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
