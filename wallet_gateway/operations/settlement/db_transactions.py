"""The only place where operations open a database transaction.

One that writes what is to be sent is durable: Django raises when somebody's `atomic` is open around it,
because a transaction that is not committed before the first byte leaves is no record of it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection
from django.db import transaction as db_transaction

logger = logging.getLogger("wallet_gateway.operations")

T = TypeVar("T")

_ATTEMPTS = 5
_POSTGRES_STATES = frozenset({"40001", "40P01"})
_MYSQL_CODES = frozenset({1020, 1205, 1213})
PATIENT_WAITS = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between tries to store an answer that the gateway has already given."""


_turns = {"sqlite": threading.Lock()}


def _after_fork() -> None:
    """A thread that held the lock does not exist in the child, and would never give it back there."""
    _turns["sqlite"] = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)


def in_transaction(work: Callable[[], T]) -> T:
    """Run `work` in one durable transaction; repeat it when the database asks for that.

    Only the database part is repeated, at most five times: `work` must not speak to a gateway.
    """
    for wait in _short_waits():
        try:
            return _once(work)
        except OperationalError as error:
            if not is_conflict(error):
                raise
            time.sleep(wait)
    return _once(work)


def in_current_or_new_transaction(work: Callable[[], T]) -> T:
    """Run `work` in the caller's transaction or in its own: for what sends nothing and may be undone."""
    with db_transaction.atomic():
        return work()


def in_transaction_with_retries(work: Callable[[], T]) -> T:
    """Like `in_transaction`, and outlast a database that is away for some seconds.

    For storing what the gateway has answered: that knowledge exists nowhere else.
    """
    for wait in PATIENT_WAITS:
        try:
            return in_transaction(work)
        except (OperationalError, InterfaceError) as error:
            logger.warning("an answer of the gateway could not be stored yet: %s", type(error).__name__)
            connection.close()
            time.sleep(wait)
    return in_transaction(work)


class NothingIsCommitted(RuntimeError):
    """The connection commits nothing by itself, so what is about to be sent would leave no record."""


def _once(work: Callable[[], T]) -> T:
    if not connection.in_atomic_block and not connection.get_autocommit():
        raise NothingIsCommitted("autocommit is off on this connection; wallet_gateway.payments needs it on")
    with _turn(), db_transaction.atomic(durable=True):
        return work()


def _turn() -> AbstractContextManager[object]:
    """Wait for this process's turn to write, where the database lets one writer in at a time.

    SQLite has no queue: whoever finds it busy sleeps, ever longer, while others pass. Here the next of our
    own threads is woken at once. Who has a transaction open already is not kept waiting for the refusal.
    """
    if connection.in_atomic_block:
        return nullcontext()
    return _turns.get(connection.vendor) or nullcontext()


def _short_waits() -> Iterator[float]:
    return (0.01 * 2**attempt for attempt in range(_ATTEMPTS - 1))


def is_conflict(error: OperationalError) -> bool:
    """Say whether the database only asks for the transaction to be run again."""
    cause = error.__cause__
    if getattr(cause, "sqlstate", None) in _POSTGRES_STATES:
        return True
    code = error.args[0] if error.args else None
    return code in _MYSQL_CODES or "is locked" in str(error)
