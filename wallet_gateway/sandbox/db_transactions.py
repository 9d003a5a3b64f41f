"""The sandbox's only database transactions: the write lock, and values cached until a change is committed.

SQLite allows one writer, and other writers poll for their turn; a lock of this process passes the turn on at
once. The lock also keeps each check valid until the row that relies on it is written, so that two requests
cannot spend the same money.

The sandbox is the only writer of its database, and every request needs the clock, the merchants and the
faults: reading them anew each time would cost more than the answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from django.db import connection
from django.db import transaction as db_transaction

_turn = threading.RLock()


@contextmanager
def write_lock() -> Iterator[None]:
    """Run the block as one database transaction while no other thread writes."""
    with _turn, db_transaction.atomic():
        yield


@contextmanager
def single_write() -> Iterator[None]:
    """Let the block execute one statement, which is a transaction by itself, while no other thread writes."""
    with _turn:
        yield


Value = TypeVar("Value")


class CachedValue(Generic[Value]):
    """A cached value. Code that changes its source calls ``invalidate`` within the same transaction."""

    def __init__(self, read: Callable[[], Value]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._version = 0
        self._known: tuple[Value] | None = None

    def get(self) -> Value:
        """Return the value, reading it if it is not cached."""
        # Inside a transaction the source may have been changed, and the change may be rolled back.
        if connection.in_atomic_block:
            return self._read()
        known = self._known
        if known is not None:
            return known[0]
        version = self._version
        value = self._read()
        with self._lock:
            # A value read during a concurrent write may already be outdated.
            if version == self._version:
                self._known = (value,)
        return value

    def invalidate(self) -> None:
        """Discard the cached value once the transaction is committed."""
        db_transaction.on_commit(self._drop)

    def _drop(self) -> None:
        with self._lock:
            self._version += 1
            self._known = None
