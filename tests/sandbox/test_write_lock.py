"""One writer at a time, and nothing half done."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection
from django.db import transaction as db_transaction

from wallet_gateway.sandbox.write_lock import one_writer


@pytest.mark.django_db(transaction=True)
class TestOneWriter:
    """With real transactions."""

    def test_two_never_write_at_once(self) -> None:
        inside: list[int] = []
        most: list[int] = []

        def write() -> None:
            with one_writer():
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.01)
                inside.pop()
            connection.close()

        threads = [threading.Thread(target=write) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most == [1] * 8

    def test_a_writer_may_call_another(self) -> None:
        with one_writer(), one_writer():
            assert connection.in_atomic_block
        assert not connection.in_atomic_block

    def test_what_fails_is_undone_and_lets_the_next_one_in(self) -> None:
        def fail() -> None:
            with one_writer():
                db_transaction.on_commit(lambda: pytest.fail("nothing is to be committed"))
                raise LookupError

        with pytest.raises(LookupError):
            fail()
        with one_writer():
            assert connection.in_atomic_block
