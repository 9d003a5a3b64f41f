"""Cursors for statements that are repeated: PostgreSQL plans them once for each connection. No SQL of tables.

Planning is a third of PostgreSQL's work for a checkout. Django never prepares a statement, because a pooler
that passes a connection on after each transaction, as PgBouncer may, would look for it in another server
process. Here statements are prepared where that cannot be: on a connection that stays open, and whose server
process is the one that was named when it was opened, which no pooler passes on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

if TYPE_CHECKING:
    import psycopg

    from wallet_gateway.models.prepared_cursor import Statements

SWITCH = "WALLET_GATEWAY_PREPARED_STATEMENTS"
"""The environment variable that is "0" where PostgreSQL is to plan each statement anew."""


@dataclass(slots=True)
class _Switch:
    is_on: bool = os.environ.get(SWITCH, "1") != "0"
    executed_before: int = 5
    """How often a text is executed before it is prepared: as psycopg does."""
    on_every_connection: bool = False
    """Also on one that Django closes after each request."""


switch = _Switch()
"""When statements are prepared; the tests turn it both ways."""

_DJANGOS_CURSORS = "django.db.backends.postgresql.base"
"""The module of the cursors in whose place others may stand."""

_ATTRIBUTE = "wallet_gateway_statements"
"""Where a connection of the driver's keeps its own: None if it may not lead to one server process for ever.

A dictionary could not forget what was closed, because statements hold their connection.
"""


def repeated_statement(alias: str) -> CursorWrapper:
    """Return a cursor for one execution of a statement whose text is always the same."""
    connection = connections[alias]
    if connection.vendor != "postgresql" or _is_watched(connection):
        return connection.cursor()
    # As Django does before it makes a cursor.
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    statements = _statements_of(connection)
    if statements is None or not statements.can_send:
        return connection.cursor()
    connection.validate_thread_sharing()
    return connection.make_cursor(cast(CursorWrapper, statements.cursor()))


def _is_watched(connection: BaseDatabaseWrapper) -> bool:
    """Return whether somebody sees or changes statements on their way, who may need a cursor of Django's.

    With DEBUG it is Django itself; a wrapper may read the cursor's connection, or put a statement of its own
    before ours. A backend with its own way to a cursor may choose a schema there.
    """
    own = getattr(type(connection), "_cursor", None) is not getattr(BaseDatabaseWrapper, "_cursor", None)
    return own or connection.queries_logged or bool(connection.execute_wrappers)


def _statements_of(connection: BaseDatabaseWrapper) -> Statements | None:
    driver = connection.connection
    is_psycopg3 = hasattr(driver, "prepare_threshold")
    if not is_psycopg3 or not _stays_open(connection):
        return None
    if driver.prepare_threshold is not None:
        return None  # psycopg prepares by itself, and then throws away what it has not prepared, too.
    if getattr(driver.cursor_factory, "__module__", "") != _DJANGOS_CURSORS:
        return None  # Another's cursors, such as a collector's of traces: it sees every statement.
    if not hasattr(driver, _ATTRIBUTE):
        setattr(driver, _ATTRIBUTE, _prepared_on(driver) if _leads_to_one_process(connection) else None)
    statements: Statements | None = getattr(driver, _ATTRIBUTE)
    return statements


def _prepared_on(driver: psycopg.Connection[Any]) -> Statements | None:
    try:
        from wallet_gateway.models.prepared_cursor import Statements
    except ImportError:
        return None  # Its lowest layer is no promise of psycopg's: another release may have another one.
    return Statements(driver, executed_before=switch.executed_before)


def _stays_open(connection: BaseDatabaseWrapper) -> bool:
    given = connection.settings_dict
    is_kept = given["CONN_MAX_AGE"] != 0 or bool(given["OPTIONS"].get("pool"))
    return switch.is_on and (is_kept or switch.on_every_connection)


def _leads_to_one_process(connection: BaseDatabaseWrapper) -> bool:
    """Return whether the server process that answers is the one of which the connection was told.

    A pooler tells of a process of its own, because it may have a cancellation to pass on.
    """
    driver = connection.connection
    with connection.wrap_database_errors:
        (answering,) = driver.execute("SELECT pg_backend_pid()").fetchone()
    told: int = driver.info.backend_pid
    return bool(answering == told)
