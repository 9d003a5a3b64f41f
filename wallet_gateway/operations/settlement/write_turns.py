"""Whose turn it is to write to SQLite, among the threads of a process. No SQL here.

SQLite has no queue: a writer that finds the database busy sleeps for ever longer times, up to a tenth of a
second, while others overtake it. Here a lock wakes the next thread at once. Nothing depends on it but time:
SQLite itself lets one writer in, from whichever process.
"""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager, nullcontext

from django.db.backends.base.base import BaseDatabaseWrapper

_turns = {"sqlite": threading.RLock()}
"""A thread may take its turn again: Django calls what waits for a commit before the turn is over."""


def _after_fork() -> None:
    """Begin anew in a forked child: a thread that held the lock does not exist there to release it."""
    _turns["sqlite"] = threading.RLock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)


def write_turn(connection: BaseDatabaseWrapper) -> AbstractContextManager[object]:
    """Return the turn to write, if the database allows only one writer at a time.

    A thread with an open transaction does not wait, because Django rejects its durable block in any case.
    """
    if connection.vendor not in _turns or connection.in_atomic_block:
        return nullcontext()
    return _turns[connection.vendor]
