"""Cursors for statements that are repeated: PostgreSQL plans them once for each connection. No SQL of tables.

Planning is a third of PostgreSQL's work for a checkout. Django never prepares a statement, because a pooler
that passes a connection on after each transaction, as PgBouncer may, would look for it in another server
process. Here statements are prepared where that cannot be: on a connection that stays open, and whose server
process is the one that was named when it was opened, which no pooler passes on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

if TYPE_CHECKING:
    import psycopg

SWITCH = "WALLET_GATEWAY_PREPARED_STATEMENTS"
"""The environment variable that is "0" where PostgreSQL is to plan each statement anew."""


@dataclass(slots=True)
class _Switch:
    is_on: bool = os.environ.get(SWITCH, "1") != "0"
    executed_before: int = 5
    """How often a text is executed before it is prepared: psycopg's own default."""
    on_every_connection: bool = False
    """Also on one that Django closes after each request."""


switch = _Switch()
"""When statements are prepared; the tests turn it both ways."""

_DJANGOS_CURSORS = "django.db.backends.postgresql.base"
"""The module of the cursors in whose place others may stand."""

_is_direct: WeakKeyDictionary[psycopg.Connection[Any], bool] = WeakKeyDictionary()
"""Whether a connection leads to one server process for as long as it is open."""


def repeated_statement(alias: str) -> CursorWrapper:
    """Return a cursor for one execution of a statement whose text is always the same."""
    connection = connections[alias]
    # Where queries are logged, with DEBUG, Django reads what was executed from cursors of its own.
    if connection.queries_logged or not _prepares(connection):
        return connection.cursor()
    from psycopg import Cursor

    driver = connection.connection
    usual, driver.cursor_factory = driver.cursor_factory, Cursor
    try:
        return connection.cursor()
    finally:
        driver.cursor_factory = usual


def _prepares(connection: BaseDatabaseWrapper) -> bool:
    if connection.vendor != "postgresql" or connection.connection is None or not _stays_open(connection):
        return False
    driver = connection.connection
    if getattr(driver.cursor_factory, "__module__", "") != _DJANGOS_CURSORS:
        return False  # Another's cursors, such as a collector's of traces: it sees every statement.
    if driver not in _is_direct:
        _is_direct[driver] = _leads_to_one_process(connection)
        if _is_direct[driver] and driver.prepare_threshold is None:
            # Concerns our own cursors: Django's write the values into the text, and are never prepared.
            driver.prepare_threshold = switch.executed_before
    return _is_direct[driver]


def _stays_open(connection: BaseDatabaseWrapper) -> bool:
    given = connection.settings_dict
    is_kept = given["CONN_MAX_AGE"] != 0 or bool(given["OPTIONS"].get("pool"))
    return switch.is_on and (is_kept or switch.on_every_connection)


def _leads_to_one_process(connection: BaseDatabaseWrapper) -> bool:
    """Return whether the server process that answers is the one of which the connection was told.

    A pooler tells of a process of its own, because it may have a cancellation to pass on.
    """
    driver = connection.connection
    if not hasattr(driver, "prepare_threshold"):
        return False  # psycopg 2
    with connection.wrap_database_errors:
        (answering,) = driver.execute("SELECT pg_backend_pid()").fetchone()
    told: int = driver.info.backend_pid
    return bool(answering == told)
