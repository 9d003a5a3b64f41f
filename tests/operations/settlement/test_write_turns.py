"""Writers to SQLite take turns: the threads of a process, and processes by a lock on a file."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.db import connection
from django.db import transaction as db_transaction

from tests.waiting import PATIENCE
from wallet_gateway.models import GatewayPause
from wallet_gateway.operations.settlement import write_turns
from wallet_gateway.operations.settlement.db_transactions import in_transaction
from wallet_gateway.operations.settlement.write_turns import turn_of_processes

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


# Processes

needs_files_with_locks = pytest.mark.skipif(
    not write_turns._HAS_FILE_LOCKS, reason="this system has no flock"
)

HOLD = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDONLY | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    files: dict[str, int] = {}
    monkeypatch.setattr(write_turns, "_files", files)
    yield str(tmp_path / "shop.sqlite3")
    for file in files.values():
        os.close(file)


@contextmanager
def held_by_another(database: str) -> Iterator[subprocess.Popen[str]]:
    """Let another process have the turn until it reads a line or is killed."""
    command = [sys.executable, "-c", HOLD, f"{database}-turn"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        try:
            yield other
        finally:
            other.kill()


def free(database: str) -> bool:
    """Return whether another process would get the turn at once."""
    asked = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    command = [sys.executable, "-c", asked, f"{database}-turn"]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


@needs_files_with_locks
def test_a_process_that_writes_keeps_the_others_waiting_and_gives_the_turn_back(database: str) -> None:
    with turn_of_processes(database):
        assert not free(database)
    assert free(database)
    with pytest.raises(ZeroDivisionError), turn_of_processes(database):
        raise ZeroDivisionError
    assert free(database)


@needs_files_with_locks
def test_the_next_process_writes_once_the_other_is_done_or_dead(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_turns, "LONGEST_WAIT", 60.0)
    for kills in (False, True):
        with held_by_another(database) as other:
            done: list[bool] = []

            def write(done: list[bool] = done) -> None:
                with turn_of_processes(database):
                    done.append(True)

            writer = threading.Thread(target=write)
            writer.start()
            writer.join(0.1)
            assert not done, "it waits for its turn"
            if kills:
                other.kill()
            else:
                other.communicate("done\n", timeout=60)
            writer.join(60)
            assert done


@needs_files_with_locks
def test_a_process_that_is_stopped_with_the_turn_keeps_nobody_waiting_for_long(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_turns, "LONGEST_WAIT", 0.01)
    with held_by_another(database), turn_of_processes(database):
        assert not free(database), "it has written without a turn"


@pytest.mark.parametrize("name", [":memory:", "file:memorydb_default?mode=memory&cache=shared", "/nowhere/x"])
def test_where_no_file_can_be_there_is_none_and_nobody_waits(name: str) -> None:
    with turn_of_processes(name):
        assert name not in write_turns._files


def test_without_locks_on_files_nobody_waits(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_turns, "_HAS_FILE_LOCKS", False)
    with turn_of_processes(database):
        assert not Path(f"{database}-turn").exists()


@needs_files_with_locks
@pytest.mark.parametrize("fault", [errno.ENOLCK, errno.EBADF])
def test_where_a_file_cannot_be_locked_work_is_done_at_once(
    fault: int, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fcntl.flock", Mock(side_effect=OSError(fault, "no lock")))
    monkeypatch.setattr(write_turns, "LONGEST_WAIT", 600.0)
    done = []
    with turn_of_processes(database):
        done.append(True)
    assert done


@needs_files_with_locks
def test_a_forked_process_has_a_lock_on_the_file_of_its_own(database: str) -> None:
    with turn_of_processes(database):
        inherited = write_turns._files[database]
        write_turns._files[database] = os.dup(inherited)
        write_turns._after_fork()
        assert write_turns._files == {}
        assert not free(database), "closing its copy has not given the turn away"
    os.close(inherited)
    assert free(database)
