"""Several threads and processes query what is due: no row twice, and one that dies loses none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from tests.contrib.counting_gateway import CountingGateway
from tests.models.rows import a_payment, a_transaction, an_order
from tests.support.waiting import PATIENCE
from wallet_gateway import gateways, payments
from wallet_gateway.context import DatabaseClock
from wallet_gateway.domain.polling_schedule import CLAIM
from wallet_gateway.models import GatewayPause, GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.testing.invariants import check_books

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer, and is for one process"),
]
ROOT = Path(__file__).parents[3]
ROWS, KILLED_AT = 120, 40
QUERY = (
    "import django; django.setup(); from wallet_gateway.payments import maintenance as m; m.reconcile_due()"
)
due = payments.maintenance.reconcile_due


def due_pages(count: int) -> None:
    now = timezone.now()
    for number in range(count):
        payment = a_payment(an_order(amount_minor=1000), reference=f"due-{number}")
        a_transaction(
            payment,
            reference=payment.reference,
            kind="CHECKOUT",
            amount_minor=1000,
            state="OPEN",
            state_changed_at=now - timedelta(minutes=5),
            expires_at=now + timedelta(minutes=10),
            next_query_at=now - timedelta(minutes=1),
        )


@pytest.fixture
def asking(settings: Settings) -> Iterator[Callable[..., Any]]:
    """Point the settings at a gateway that counts, for eight threads."""

    @contextmanager
    def pointed(*, kill_at: int = 0, seconds: float = 0.02, **options: Any) -> Iterator[CountingGateway]:
        with CountingGateway(seconds=seconds, kill_at=kill_at) as gateway:
            given = settings.WALLET_GATEWAY
            account = given["GATEWAYS"]["default"] | {
                "BASE_URL": gateway.url,
                "QUERIES": {"WORKERS": 8, "RATE": 1000},
                **options,
            }
            settings.WALLET_GATEWAY = given | {"GATEWAYS": given["GATEWAYS"] | {"default": account}}
            yield gateway

    yield pointed
    gateways.forget_gateways()
    check_books()


def test_threads_ask_about_every_row_once_and_several_at_a_time(asking: Callable[..., Any]) -> None:
    due_pages(60)
    with asking(seconds=0.05) as gateway:
        assert due(limit=20) == 60
    assert gateway.asked.most_open > 1
    assert ({len(by) for by in gateway.asked.by.values()}, gateway.asked.at_once) == ({1}, [])
    assert set(PaymentOrder.objects.values_list("state", flat=True)) == {"PAID"}


def test_the_rate_holds_for_all_threads_together(asking: Callable[..., Any]) -> None:
    due_pages(10)
    with asking(QUERIES={"RATE": 20}):
        started = time.monotonic()
        assert due() == 10
    assert time.monotonic() - started >= 9 / 20 - 0.1


def test_threads_hear_a_pause(asking: Callable[..., Any]) -> None:
    due_pages(100)
    before = gateways.clock()

    class Clock(DatabaseClock):
        def sleep(self, seconds: float) -> None:
            # The first wait for the rate is when somebody else hears "too many requests".
            GatewayPause.pause_queries("default", until=timezone.now() + timedelta(minutes=1))

    gateways.use_clock(Clock())
    try:
        with asking(QUERIES={"RATE": 20}):
            assert due() < 100
    finally:
        gateways.use_clock(before)
    assert GatewayTransaction.objects.filter(state="OPEN").exists()


def query_in_processes(gateway: CountingGateway, count: int) -> list[int]:
    """Query what is due in so many processes at once; give their exit codes."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.money.polling.process_settings",
        "WORKER_DATABASE": str(connection.settings_dict["NAME"]),
        "WORKER_GATEWAY": gateway.url,
    }
    started = [
        subprocess.Popen([sys.executable, "-c", QUERY], cwd=ROOT, env=environment) for _ in range(count)
    ]
    return [process.wait(PATIENCE) for process in started]


def check_that_each_is_booked_once() -> None:
    assert set(PaymentOrder.objects.values_list("state", flat=True)) == {"PAID"}
    assert set(Payment.objects.values_list("captured", flat=True)) == {1000}
    assert OutboxEvent.objects.count() == OutboxEvent.objects.exclude(delivered_at=None).count() == ROWS


def test_no_two_processes_query_the_same_row(asking: Callable[..., Any]) -> None:
    due_pages(ROWS)
    with asking() as gateway:
        assert query_in_processes(gateway, 3) == [0, 0, 0]
    assert ({len(by) for by in gateway.asked.by.values()}, len(gateway.asked.by)) == ({1}, ROWS)
    check_that_each_is_booked_once()


def test_a_process_that_dies_with_its_rows_loses_none_and_doubles_none(asking: Callable[..., Any]) -> None:
    due_pages(ROWS)
    with asking(kill_at=KILLED_AT) as gateway:
        assert sorted(query_in_processes(gateway, 2)) == [-signal.SIGKILL, 0]
        left = GatewayTransaction.objects.filter(state="OPEN")
        dead, reference = gateway.asked.killed[0]
        assert left.filter(reference=reference).exists()
        # They are due again once the claim is over.
        assert not left.filter(next_query_at__gt=timezone.now() + CLAIM).exists()
        earlier = timezone.now() - timedelta(minutes=1)
        left.update(next_query_at=earlier, last_queried_at=earlier)
        due()
    twice = [by for by in gateway.asked.by.values() if len(by) > 1]
    assert {by[0] for by in twice} == {dead}

    # Another of its threads may have died between the commit and the signal, or before the delivery was
    # recorded. The sweep sends it a minute later. Due is what the database's clock says, not this machine's.
    OutboxEvent.objects.filter(delivered_at=None).update(next_delivery_at=earlier)
    payments.maintenance.deliver_events()
    check_that_each_is_booked_once()
