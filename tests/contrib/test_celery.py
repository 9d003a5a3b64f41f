"""The sweep as a Celery task: its name, its place in the beat, and four workers of whom one is killed.

The workers are real, and so are RabbitMQ and the database between them.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from celery import Celery
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from tests.contrib.counting_gateway import CountingGateway
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.contrib import celery as adapter
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, PaymentOrder

pytestmark = pytest.mark.every_database

BROKER = os.environ.get("BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
ROOT = Path(__file__).resolve().parents[2]
ROWS, WORKERS, KILLED_AT = 80, 4, 20
PATIENCE = 120.0
Workers = list["subprocess.Popen[bytes]"]


def broker_answers() -> bool:
    url = urlsplit(BROKER)
    try:
        socket.create_connection((url.hostname or "127.0.0.1", url.port or 5672), timeout=2).close()
    except OSError:
        return False
    return True


@pytest.mark.django_db(transaction=True)
def test_the_beat_calls_the_task_by_its_name_and_it_says_how_many_were_asked() -> None:
    (entry,) = adapter.BEAT_SCHEDULE.values()
    assert entry["task"] == adapter.sweep.name == "wallet_gateway.sweep"
    assert entry["options"]["expires"] <= entry["schedule"], "a late message is as good as the next one"
    assert adapter.sweep() == 0


def test_a_schedule_can_be_read_before_any_model_is_loaded() -> None:
    code = "from wallet_gateway.contrib.celery import BEAT_SCHEDULE; print(list(BEAT_SCHEDULE))"
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert printed.stdout == "['wallet-gateway-sweep']\n"


# Four workers


def due_pages(count: int) -> list[str]:
    """Pages that were opened a while ago and are to be asked about now."""
    now = timezone.now()
    for number in range(count):
        order = an_order(amount_minor=1000)
        payment = a_payment(order, reference=f"due-{number}")
        a_transaction(
            payment,
            reference=payment.reference,
            kind=TransactionKind.CHECKOUT,
            amount_minor=1000,
            state=TransactionState.OPEN,
            state_changed_at=now - timedelta(minutes=5),
            expires_at=now + timedelta(minutes=10),
            next_query_at=now - timedelta(minutes=1),
        )
    return [f"due-{number}" for number in range(count)]


@pytest.fixture
def gateway() -> Iterator[CountingGateway]:
    with CountingGateway(seconds=0.1, kill_at=KILLED_AT) as server:
        yield server


@pytest.fixture
def queue() -> Iterator[Celery]:
    """The shop's side of a queue of its own, gone afterwards."""
    app = Celery("test", broker=BROKER)
    app.conf.task_default_queue = f"wallet-test-{uuid.uuid4().hex[:12]}"
    yield app
    with app.connection_for_write() as broker:
        broker.default_channel.queue_delete(app.conf.task_default_queue)
    app.close()


@pytest.fixture
def workers(gateway: CountingGateway, queue: Celery, tmp_path: Path) -> Iterator[Workers]:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.contrib.worker_settings",
        "WORKER_DATABASE": str(connection.settings_dict["NAME"]),
        "WORKER_GATEWAY": gateway.base_url,
        "WORKER_BROKER": BROKER,
        "WORKER_QUEUE": queue.conf.task_default_queue,
    }
    command = [sys.executable, "-m", "celery", "-A", "tests.contrib.worker_app", "worker"]
    # Two runs of the tests may share a broker, which knows each worker by its name.
    mine = queue.conf.task_default_queue
    options = ["--pool", "solo", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    with (tmp_path / "workers.log").open("wb") as log:
        started = [
            subprocess.Popen(
                [*command, *options, "--hostname", f"w{number}-{mine}@%h"],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            for number in range(WORKERS)
        ]
        yield started
        for worker in started:
            worker.terminate()
        for worker in started:
            worker.wait(timeout=60)


def wait_until(done: Callable[[], bool], log: Path) -> None:
    ends = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < ends, log.read_text()[-3000:]
        time.sleep(0.1)


def unasked() -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(state=TransactionState.OPEN)


def left_by(lost: str) -> QuerySet[GatewayTransaction]:
    """What was claimed together with a row, that row included: a batch has one end for all of its rows."""
    return unasked().filter(next_query_at=GatewayTransaction.objects.get(reference=lost).next_query_at)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    connection.vendor == "sqlite", reason="SQLite has one writer: four workers would only wait"
)
@pytest.mark.skipif(not broker_answers(), reason="RabbitMQ does not answer; BROKER_URL says where it is")
def test_four_workers_share_the_rows_and_one_that_is_killed_loses_none(
    gateway: CountingGateway, queue: Celery, workers: Workers, tmp_path: Path
) -> None:
    references, asked, log = due_pages(ROWS), gateway.asked, tmp_path / "workers.log"
    for _ in workers:
        queue.send_task(adapter.NAME)

    wait_until(lambda: bool(asked.killed), log)
    ((victim, lost),) = asked.killed
    assert victim in {worker.pid for worker in workers}
    # The others have settled all but what the dead worker had claimed: that is its own for a minute.
    wait_until(lambda: unasked().count() == left_by(lost).count(), log)
    assert len(asked.workers) >= 2, "the rows were shared"
    left = left_by(lost)
    assert lost in left.values_list("reference", flat=True)
    assert not left.filter(next_query_at__lte=timezone.now()).exists()
    left.update(next_query_at=timezone.now())
    queue.send_task(adapter.NAME)
    wait_until(lambda: not unasked().exists(), log)

    assert set(asked.by) == set(references), "each row was asked about"
    assert asked.at_once == [lost] * asked.at_once.count(lost), "none twice at the same time"
    twice = {reference for reference, by in asked.by.items() if len(by) > 1}
    assert twice == {lost}
    assert set(PaymentOrder.objects.values_list("state", flat=True)) == {OrderState.PAID}
