"""Whose turn it is to write to SQLite, among the threads of a process and among processes. No SQL here.

SQLite has no queue: a writer that finds the database busy sleeps for ever longer times, up to a tenth of a
second, while others overtake it. Here a lock wakes the next thread of the process at once, and the process
that is next looks every half millisecond at a lock on a file beside the database. Nothing depends on either
but time: SQLite itself lets one writer in, so who has waited for long goes on without a turn.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

from django.db.backends.base.base import BaseDatabaseWrapper

try:
    import fcntl

    _HAS_FILE_LOCKS = True
except ImportError:  # Windows
    _HAS_FILE_LOCKS = False

LONGEST_WAIT = 1.0
"""Seconds after which a process writes although another, which may be stopped, has the turn."""

_PAUSE = 0.0005
_FILE = "-turn"
"""What the name of the file adds to the database's, as SQLite's own files beside it do."""

_turns = {"sqlite": threading.RLock()}
"""A thread may take its turn again: Django calls what waits for a commit before the turn is over."""
_files: dict[str, int] = {}
"""The open file of each database; an open file is one party to its lock, so a process has one."""


def _after_fork() -> None:
    """Begin anew in a forked child: a thread that held the lock does not exist there to release it."""
    _turns["sqlite"] = threading.RLock()
    while _files:
        os.close(_files.popitem()[1])


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)


def write_turn(connection: BaseDatabaseWrapper) -> AbstractContextManager[object]:
    """Return the turn to write, if the database allows only one writer at a time.

    A thread with an open transaction does not wait, because Django rejects its durable block in any case.
    """
    if connection.vendor not in _turns or connection.in_atomic_block:
        return nullcontext()
    return _turn(str(connection.settings_dict["NAME"]))


@contextmanager
def _turn(database: str) -> Iterator[None]:
    with _turns["sqlite"], turn_of_processes(database):
        yield


@contextmanager
def turn_of_processes(database: str) -> Iterator[None]:
    """Wait until no other process has the turn to write to this database, for at most `LONGEST_WAIT`."""
    if (file := _file_of(database)) is None:
        yield
        return
    until = time.monotonic() + LONGEST_WAIT
    try:
        while not _is_ours(file) and time.monotonic() < until:
            time.sleep(_PAUSE)
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def _file_of(database: str) -> int | None:
    """Return the open file of the lock.

    None for a database in memory, on Windows, and where this process may not write beside the database.
    """
    if not _HAS_FILE_LOCKS or database == ":memory:" or database.startswith("file:"):
        return None
    try:
        if database not in _files:
            _files[database] = os.open(f"{database}{_FILE}", os.O_RDONLY | os.O_CREAT, 0o666)
    except OSError:
        return None
    return _files[database]


def _is_ours(file: int) -> bool:
    """Return whether the turn is this process's now, or nobody can wait for it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # A file system without such locks, or a daemon that has closed all its files.
    return True
