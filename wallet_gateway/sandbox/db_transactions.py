"""The one writer: whoever changes the sandbox's tables waits here for the others.

SQLite has one writer anyway, and lets the rest poll for their turn; a lock of this process hands the turn
over at once. It also makes every check hold until the row that relies on it is written, so that no two
requests can spend the same money.

Values read from the database once, and again only after somebody changed them.

The sandbox is the only one who writes to its database, and every request needs the clock, the merchants
and the faults: asking for them anew each time would cost more than answering.
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
    """Do what the block does as one step, with nobody else writing; undone as a whole when it raises."""
    with _turn, db_transaction.atomic():
        yield


Value = TypeVar("Value")


class CachedValue(Generic[Value]):
    """One such value. Whoever writes what it is read from calls ``forget``, inside the same transaction."""

    def __init__(self, read: Callable[[], Value]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._version = 0
        self._known: tuple[Value] | None = None

    def get(self) -> Value:
        """Give the value, read if need be."""
        # Inside a transaction the value may be changed already, and the change be undone later.
        if connection.in_atomic_block:
            return self._read()
        known = self._known
        if known is not None:
            return known[0]
        version = self._version
        value = self._read()
        with self._lock:
            # What was read while somebody wrote may be out of date already.
            if version == self._version:
                self._known = (value,)
        return value

    def forget(self) -> None:
        """Have the value read again once the change is committed."""
        db_transaction.on_commit(self._drop)

    def _drop(self) -> None:
        with self._lock:
            self._version += 1
            self._known = None
