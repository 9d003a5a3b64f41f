"""One writer at a time, nothing half done, and no cached value older than the last commit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import connection
from django.db import transaction as db_transaction

from wallet_gateway.sandbox.db_transactions import CachedValue, single_write, write_lock

Lock = Callable[[], AbstractContextManager[None]]


@pytest.mark.django_db(transaction=True)
class TestOneWriter:
    """With real transactions."""

    def test_two_never_write_at_once(self) -> None:
        inside: list[int] = []
        most: list[int] = []

        def write(lock: Lock) -> None:
            with lock():
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.01)
                inside.pop()
            connection.close()

        threads = [threading.Thread(target=write, args=[lock]) for lock in (write_lock, single_write) * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most == [1] * 8

    def test_what_fails_is_undone_and_lets_the_next_one_in(self) -> None:
        def fail() -> None:
            with write_lock():
                db_transaction.on_commit(lambda: pytest.fail("nothing is to be committed"))
                raise LookupError

        with pytest.raises(LookupError):
            fail()
        with write_lock():
            assert connection.in_atomic_block


class Shelf:
    """A value that counts how often it is read."""

    def __init__(self) -> None:
        self.value = 1
        self.reads = 0

    def read(self) -> int:
        self.reads += 1
        return self.value


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.mark.django_db(transaction=True)
class TestRemembered:
    """With real transactions, since forgetting hangs on the commit."""

    def test_what_was_read_while_somebody_wrote_is_not_kept(self) -> None:
        reading, written = threading.Event(), threading.Event()

        def read_slowly() -> str:
            if reading.is_set():
                return "new"
            reading.set()
            written.wait(60)
            return "old"

        cached = CachedValue(read_slowly)
        thread = threading.Thread(target=cached.get)
        thread.start()
        reading.wait(60)
        cached.invalidate()
        written.set()
        thread.join()
        assert cached.get() == "new"
