"""The threads of a process take turns to write to SQLite."""

from __future__ import annotations

import os
import threading
import time

import pytest
from django.db import connection
from django.db import transaction as db_transaction

from tests.waiting import PATIENCE
from wallet_gateway.models import GatewayPause
from wallet_gateway.operations.settlement import write_turns
from wallet_gateway.operations.settlement.db_transactions import in_transaction

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


def note() -> str:
    GatewayPause.objects.create(gateway=f"noted-{time.monotonic_ns()}")
    return "done"


# Threads


@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="the other databases queue their writers themselves"
)
def test_threads_that_write_to_sqlite_take_turns_and_never_find_it_busy() -> None:
    inside, go_on, results = threading.Event(), threading.Event(), []

    def slow() -> str:
        inside.set()
        assert go_on.wait(60)
        return "first"

    def second() -> None:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
        try:
            results.append(in_transaction(note))
        finally:
            leave()

    def first() -> None:
        results.append(in_transaction(slow))
        leave()

    def leave() -> None:
        # Django keeps a database in memory open, also for a thread that ends.
        connection.connection.close()

    writers = [threading.Thread(target=first), threading.Thread(target=second)]
    writers[0].start()
    assert inside.wait(60)
    writers[1].start()
    writers[1].join(0.2)
    assert not results, "the second writer waits for its turn"
    go_on.set()
    for writer in writers:
        writer.join(60)
    assert results == ["first", "done"]


@pytest.fixture
def held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread has ended with its turn: to the others it is what it is to a child that has no such thread."""
    turn = threading.RLock()
    monkeypatch.setattr(write_turns, "_turns", {"sqlite": turn})
    holder = threading.Thread(target=turn.acquire)
    holder.start()
    holder.join()


@pytest.mark.usefixtures("held_for_ever")
def test_a_thread_that_was_forked_away_keeps_nobody_waiting() -> None:
    assert not write_turns._turns["sqlite"].acquire(blocking=False)
    write_turns._after_fork()
    assert in_transaction(note) == "done"


def test_what_a_shop_does_after_our_commit_may_write_as_well() -> None:
    results: list[str] = []

    def write() -> None:
        db_transaction.on_commit(lambda: results.append(in_transaction(note)))
        note()

    def in_thread() -> None:
        in_transaction(write)
        connection.connection.close()

    # Without its end here a thread that waits for itself would keep the suite for ever.
    writer = threading.Thread(target=in_thread, daemon=True)
    writer.start()
    writer.join(PATIENCE)
    assert results == ["done"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.usefixtures("held_for_ever")
def test_a_process_that_is_forked_while_somebody_writes_has_a_lock_of_its_own() -> None:
    child = os.fork()
    if child == 0:
        os._exit(not write_turns._turns["sqlite"].acquire(blocking=False))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not write_turns._turns["sqlite"].acquire(blocking=False), "the parent's is as it was"


def test_a_database_that_queues_its_writers_needs_no_lock_of_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(write_turns, "_turns", {})
    assert in_transaction(note) == "done"
