"""Several processes query what is due: no row twice, and a process that dies with its rows loses none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from tests.contrib.counting_gateway import CountingGateway
from tests.operations.polling.test_due_in_threads import context_of, due_pages
from tests.waiting import PATIENCE
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.polling_schedule import CLAIM
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.settlement.outbox import deliver_due

ROOT = Path(__file__).parents[3]
ROWS, KILLED_AT = 200, 40
QUERY = (
    "import django; django.setup(); from wallet_gateway.payments import maintenance as m; m.reconcile_due()"
)

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite is for one process"),
]


@pytest.fixture
def gateway(request: pytest.FixtureRequest) -> Iterator[CountingGateway]:
    with CountingGateway(seconds=0.02, kill_at=request.param) as server:
        yield server


def query_in_processes(gateway: CountingGateway, count: int) -> list[int]:
    """Query what is due in so many processes at once; give their exit codes."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.operations.polling.process_settings",
        "WORKER_DATABASE": str(connection.settings_dict["NAME"]),
        "WORKER_GATEWAY": gateway.base_url,
    }
    started = [
        subprocess.Popen([sys.executable, "-c", QUERY], cwd=ROOT, env=environment) for _ in range(count)
    ]
    return [process.wait(PATIENCE) for process in started]


def booked_once() -> None:
    """Each payment is booked once, and its event delivered."""
    assert set(PaymentOrder.objects.values_list("state", flat=True)) == {OrderState.PAID}
    assert set(Payment.objects.values_list("captured", flat=True)) == {1000}
    assert OutboxEvent.objects.count() == OutboxEvent.objects.exclude(delivered_at=None).count() == ROWS


@pytest.mark.parametrize("gateway", [0], indirect=True)
def test_no_two_processes_query_the_same_row(gateway: CountingGateway) -> None:
    due_pages(ROWS)
    assert query_in_processes(gateway, 3) == [0, 0, 0]
    assert {len(by) for by in gateway.asked.by.values()} == {1}
    assert len(gateway.asked.by) == ROWS
    booked_once()


@pytest.mark.parametrize("gateway", [KILLED_AT], indirect=True)
def test_a_process_that_dies_with_its_rows_loses_none_and_doubles_none(gateway: CountingGateway) -> None:
    due_pages(ROWS)
    assert sorted(query_in_processes(gateway, 2)) == [-signal.SIGKILL, 0]
    left = GatewayTransaction.objects.filter(state=TransactionState.OPEN)
    assert left.filter(reference=gateway.asked.killed[0][1]).exists()
    # They are due again once the claim is over.
    assert not left.filter(next_query_at__gt=timezone.now() + CLAIM).exists()
    left.update(next_query_at=timezone.now(), last_queried_at=timezone.now() - timedelta(minutes=1))

    with context_of(gateway) as context:
        reconcile_due(context=context)
    twice = [reference for reference, by in gateway.asked.by.items() if len(by) > 1]
    dead = gateway.asked.killed[0][0]
    assert all(gateway.asked.by[reference][0] == dead for reference in twice)

    # Another of its threads may have died between the commit and the signal, or before the delivery was
    # recorded. The sweep sends it a minute later.
    OutboxEvent.objects.filter(delivered_at=None).update(next_delivery_at=timezone.now())
    with context_of(gateway) as context:
        deliver_due(clock=context.clock)
    booked_once()
