"""What a scrape reads from the rows, through a registry of its own."""

from __future__ import annotations

from datetime import timedelta
from typing import NoReturn

import pytest
from django.db import OperationalError, connection
from prometheus_client import CollectorRegistry, generate_latest
from pytest_django import Settings

from tests.models.rows import a_transaction
from wallet_gateway import gateways, payments
from wallet_gateway.contrib.prometheus.rows import RowCollector
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.models import GatewayPause, Job, JobPosition, PauseCode

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
K, S = TransactionKind, TransactionState


@pytest.fixture
def registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(RowCollector())
    return registry


def test_an_empty_shop_is_all_zeros_and_was_never_swept(registry: CollectorRegistry) -> None:
    shown = generate_latest(registry).decode()
    for line in (
        "wallet_gateway_rows_read 1.0",
        "wallet_gateway_unknown_outcomes 0.0",
        "wallet_gateway_oldest_unknown_seconds 0.0",
        'wallet_gateway_seconds_since_sweep{gateway="default"} +Inf',
        'wallet_gateway_queries_due{gateway="default"} 0.0',
        'wallet_gateway_sending_paused{by="breaker",gateway="default"} 0.0',
        "wallet_gateway_events_undelivered 0.0",
    ):
        assert line in shown


def test_rows_are_told_by_what_they_are(registry: CollectorRegistry) -> None:
    now = gateways.clock().now()
    JobPosition.move(Job.SWEEP, gateway="default", now=now - timedelta(seconds=90))
    a_transaction(kind=K.CHECKOUT, state=S.APPROVED, created_at=now)
    a_transaction(kind=K.CHECKOUT, state=S.APPROVED, created_at=now - timedelta(days=2))
    a_transaction(
        kind=K.REFUND,
        state=S.UNKNOWN,
        created_at=now,
        state_changed_at=now - timedelta(seconds=600),
        next_query_at=now - timedelta(seconds=5),
    )

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(f"wallet_gateway_{name}", labels)

    assert value("transactions", gateway="default", kind="CHECKOUT", state="APPROVED") == 1
    assert value("transactions", gateway="default", kind="REFUND", state="UNKNOWN") == 1
    assert value("unknown_outcomes") == 1
    assert value("oldest_unknown_seconds") == pytest.approx(600, abs=30)
    assert value("seconds_since_sweep", gateway="default") == pytest.approx(90, abs=30)
    assert value("queries_due", gateway="default") == 1


@pytest.mark.django_db(transaction=True)
def test_a_pause_says_who_decided_on_it(registry: CollectorRegistry) -> None:
    def paused() -> dict[str, float | None]:
        name = "wallet_gateway_sending_paused"
        return {
            by: registry.get_sample_value(name, {"gateway": "default", "by": by})
            for by in ("person", "breaker")
        }

    until = gateways.clock().now() + timedelta(minutes=5)
    GatewayPause.objects.create(gateway="default", sending_until=until, pause_code=PauseCode.UNKNOWN_OUTCOMES)
    assert paused() == {"person": 0, "breaker": 1}
    payments.maintenance.stop_sending("default", by="anna", reason="customer Meier is wrong")
    assert paused() == {"person": 1, "breaker": 0}
    shown = generate_latest(registry)
    assert b"anna" not in shown
    assert b"Meier" not in shown


def test_what_keeps_the_rows_from_being_read_is_said_and_hides_no_other_metric(
    registry: CollectorRegistry, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OperationalError("the server is gone")

    with connection.execute_wrapper(fail):
        assert generate_latest(registry).decode().splitlines()[2:] == ["wallet_gateway_rows_read 0.0"]
    assert "the server is gone" in caplog.text
    settings.WALLET_GATEWAY = {}
    assert generate_latest(registry).decode().splitlines()[2:] == ["wallet_gateway_rows_read 0.0"]
    assert "WALLET_GATEWAY" in caplog.text
