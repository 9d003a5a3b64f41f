"""The only place where operations open a database transaction, and where the error of one row is caught.

A transaction that records a request to send is durable: it is refused inside another `atomic` block, because
it must be committed before the first byte leaves to count as a record of the request. A sweep reads the rows
that are due by their keys, logs what cannot be handled without what is in the row, and goes on.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TypeVar

from django.db import (
    DEFAULT_DB_ALIAS,
    DatabaseError,
    InterfaceError,
    OperationalError,
    connection,
    connections,
    router,
)
from django.db import transaction as db_transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import places
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operation_errors import InsideTransaction
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

T = TypeVar("T")

_ATTEMPTS = 5
_POSTGRES_STATES = frozenset({"40001", "40P01"})
"""A conflict, and a deadlock."""
_MYSQL_CODES = frozenset({1020, 1205, 1213})
PATIENT_WAITS = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between tries to store an answer already received from the gateway."""


def in_transaction(work: Callable[[], T]) -> T:
    """Run `work` in one durable transaction; repeat it after a serialization conflict or deadlock.

    Only the database part is repeated, at most five times: `work` must not send requests to a gateway.
    """

    def once() -> T:
        with write_turn(_connection_that_commits()), db_transaction.atomic(durable=True):
            return work()

    return _repeat_conflicts(once)


def in_statement(work: Callable[[], T]) -> T:
    """Run `work`, of statements that are committed each by itself; repeat it after a conflict or deadlock.

    MariaDB ends a claim by a deadlock if another worker changes an index of the row at the same moment. In a
    caller's transaction nothing is repeated, because a deadlock has undone all of that transaction.
    """
    return work() if connection.in_atomic_block else _repeat_conflicts(work)


def in_current_or_new_transaction(work: Callable[[], T]) -> T:
    """Run `work` in the caller's or a new transaction: for work that sends nothing and may be rolled back.

    In a new one it is repeated after a conflict or deadlock; in the caller's, all of that would have to be.
    """

    def once() -> T:
        with db_transaction.atomic():
            return work()

    return once() if connection.in_atomic_block else _repeat_conflicts(once)


def in_transaction_with_retries(work: Callable[[], T]) -> T:
    """Run `work` like `in_transaction`, and also retry while the database is unavailable for some seconds.

    For storing the gateway's answers: that information exists nowhere else.
    """
    for wait in PATIENT_WAITS:
        try:
            return in_transaction(work)
        except (OperationalError, InterfaceError) as error:
            logger.warning("an answer of the gateway could not be stored yet: %s", type(error).__name__)
            connection.close()
            time.sleep(wait)
    return in_transaction(work)


def check_outside_transaction(call: str = "wallet_gateway.payments") -> None:
    """Raise `InsideTransaction` for a call inside an `atomic` block that its caller could still roll back.

    As for Django's own durable blocks, the one that a `TestCase` opens around each test does not count.
    """
    blocks = connection.atomic_blocks
    if blocks and not getattr(blocks[-1], "_from_testcase", False):
        raise InsideTransaction(
            _(
                "%(call)s must not run inside a database transaction: what it sends must be "
                "committed first. Move the call behind the end of the `transaction.atomic` block. "
                "With ATOMIC_REQUESTS every view is such a block: decorate a function with "
                "`@transaction.non_atomic_requests`, and a class-based view with "
                '`@method_decorator(transaction.non_atomic_requests, name="dispatch")`. A middleware '
                "may open one, too: RevisionMiddleware of django-reversion needs a subclass with "
                "`atomic = False`."
            ),
            call=call,
        )


class NothingIsCommitted(RuntimeError):
    """A transaction here would commit no rows, so a request about to be sent would leave no record."""


def _repeat_conflicts(work: Callable[[], T]) -> T:
    for attempt in range(_ATTEMPTS - 1):
        try:
            return work()
        except DatabaseError as error:
            if not is_conflict(error):
                raise
            time.sleep(0.01 * 2**attempt)
    return work()


def _connection_that_commits() -> BaseDatabaseWrapper:
    """Return the connection, if what is written now is committed before anything else happens."""
    current = connections[DEFAULT_DB_ALIAS]
    if not current.in_atomic_block and not current.get_autocommit():
        raise NothingIsCommitted("autocommit is off on this connection; wallet_gateway.payments needs it on")
    if router.db_for_write(GatewayTransaction) != DEFAULT_DB_ALIAS:
        raise NothingIsCommitted("a database router sends the rows elsewhere: see wallet_gateway.E004")
    if current.atomic_blocks:
        check_outside_transaction()
    return current


def is_conflict(error: DatabaseError) -> bool:
    """Return whether the database error only requires repeating the transaction."""
    if _postgres_state(error) in _POSTGRES_STATES:
        return True
    if not isinstance(error, OperationalError):
        return False
    code = error.args[0] if error.args else None
    return code in _MYSQL_CODES or "is locked" in str(error)


def is_unseen_duplicate(error: DatabaseError) -> bool:
    """Return whether a key is taken by a row that the caller's transaction may never see: on PostgreSQL."""
    return connection.in_atomic_block and _postgres_state(error) == "23505"


def _postgres_state(error: DatabaseError) -> str | None:
    cause = error.__cause__
    # psycopg 3 and 2 have it under different names.
    return getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)


class VersionConflict(Exception):
    """Another process has written the same rows in between; nothing was written; read the rows again."""


def retry_conflicts(work: Callable[[], T]) -> T:
    """Run `work` again a few times while other processes write the same rows; it reads them in each run."""
    for _attempt in range(_ATTEMPTS):
        with suppress(VersionConflict):
            return work()
    return work()


# Whose turn it is to write to SQLite, among the threads of a process
#
# SQLite has no queue: a writer that finds the database busy sleeps for ever longer times, up to a tenth of a
# second, while others overtake it. Here a lock wakes the next thread at once. Nothing depends on it but time:
# SQLite itself lets one writer in, from whichever process.

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


# Rows that a sweep handles one by one

sweep_logger = logging.getLogger("wallet_gateway.sweep")

M = TypeVar("M", bound=Model)


def read_due(due: QuerySet[M], *, limit: int) -> list[M]:
    """Return the first rows that are due; fewer than there are when other workers claim some at this moment.

    Most sweeps find none, and reading keys costs a tenth of reading whole rows and their orders.
    """
    keys = list(due.values_list("pk", flat=True)[:limit])
    return list(due.filter(pk__in=keys)) if keys else []


@contextmanager
def log_row_error(reference: str) -> Iterator[list[str]]:
    """Log an error in one row at level ERROR and continue with the next; the row stays due.

    Whatever it is, it must not hold up the payments behind it; but while the database is away or busy, none
    can be handled.
    Gives a list, which has the text of the error afterwards, if there was one.
    """
    failures: list[str] = []
    try:
        yield failures
    except Exception as error:
        is_busy = isinstance(error, OperationalError) and (is_conflict(error) or not _database_answers())
        if is_busy or isinstance(error, InterfaceError):
            raise
        failures.append(failure(error))
        sweep_logger.error(
            "%s could not be handled; a person must look: %s",
            reference,
            *failures,
            extra={"reference": reference},
        )


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        return False
    return True


def failure(error: BaseException) -> str:
    """Return one line with an error's class, its cause's class and the last places in its traceback."""
    classes = type(error).__name__
    if error.__cause__ is not None:
        classes += f" from {type(error.__cause__).__name__}"
    return one_line(f"{classes} at {places(error) or 'an unknown place'}")
