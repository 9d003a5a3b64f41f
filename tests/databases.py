"""Makes tests with real commits quick. After each of them Django empties all tables, in a way that is slow.

PostgreSQL's TRUNCATE takes up to a second for tables of a few rows, where DELETE takes a millisecond. And
after every flush Django writes content types and permissions anew, which no test of ours reads.

Django never closes a connection to SQLite in memory, since the last one takes the database with it. The
tests' own thread holds that one: the others close theirs as they would any, or Python finds them left over.

All threads of a server that is tested share that one connection, and with it the transaction it is in. So
there the server carries out one request after another, as it would wait for its turn at a file.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.contenttypes.management import create_contenttypes
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIHandler
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase


@pytest.fixture(scope="session", autouse=True)
def quick_flush() -> None:
    """Empty tables by DELETE, in any order since foreign keys are deferred, and leave them empty."""
    post_migrate.disconnect(create_contenttypes)
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    if connection.vendor == "postgresql":
        setattr(type(connection.ops), "sql_flush", _deletions)  # noqa: B010  a method of Django's, for the tests


def _deletions(operations: Any, style: object, tables: Iterable[str], **options: bool) -> list[str]:  # noqa: ANN401
    return [f"DELETE FROM {operations.quote_name(table)};" for table in tables]


@pytest.fixture(scope="session", autouse=True)
def threads_close_their_own() -> None:
    """Let `close()` do what it says in every thread but the tests' own."""
    if connection.vendor != "sqlite":
        return
    tests_own = threading.get_ident()

    def close(wrapper: Any) -> None:  # noqa: ANN401  Django's wrapper
        wrapper.validate_thread_sharing()
        # A server's thread may have been lent the connection of the tests.
        if wrapper._thread_ident != tests_own or not wrapper.is_in_memory_db():
            BaseDatabaseWrapper.close(wrapper)

    setattr(type(connections[DEFAULT_DB_ALIAS]), "close", close)  # noqa: B010  a method of Django's, for the tests


@pytest.fixture(scope="session", autouse=True)
def one_request_after_another() -> None:
    """Let no request of a server into the transaction of another."""
    if connection.vendor != "sqlite":
        return
    turn = threading.Lock()

    def get_response(handler: WSGIHandler, request: HttpRequest) -> HttpResponseBase:
        with turn:
            return BaseHandler.get_response(handler, request)

    setattr(WSGIHandler, "get_response", get_response)  # noqa: B010  a method of Django's, for the tests
