"""Databases under test: quick to empty, and no request of a server is still writing when they are emptied.

After a test with real commits Django empties all tables, in a way that is slow: PostgreSQL's TRUNCATE takes
up to a second for tables of a few rows, where DELETE takes a millisecond, and after every flush Django writes
content types and permissions anew, which no test reads.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.contenttypes.management import create_contenttypes
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.db.models.signals import post_migrate

from tests.support.waiting import PATIENCE
from wallet_gateway import gateways

if TYPE_CHECKING:
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Read a server's clock before each test: every thirty seconds would be in the midst of any of them.

    Else one that counts statements finds one more, and one that takes the database away has no clock.
    """
    names = set(getattr(item, "fixturenames", ()))
    if item.get_closest_marker("django_db") or names & {"db", "transactional_db", "live_server"}:
        gateways.clock().read()
    return (yield)


class _Underway:
    """The requests that servers of this process are answering."""

    def __init__(self) -> None:
        self._number = 0
        self._changed = threading.Condition()

    def count(self, change: int) -> None:
        with self._changed:
            self._number += change
            self._changed.notify_all()

    def is_none_left(self) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._number == 0, PATIENCE)


@pytest.fixture(scope="session", autouse=True)
def _underway() -> Iterator[_Underway]:
    underway, answer = _Underway(), WSGIHandler.get_response

    def get_response(handler: WSGIHandler, request: HttpRequest) -> HttpResponseBase:
        underway.count(+1)
        try:
            return answer(handler, request)
        finally:
            underway.count(-1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WSGIHandler, "get_response", get_response)
        yield underway


@pytest.fixture(autouse=True)
def answered_before_the_flush(request: pytest.FixtureRequest, _underway: _Underway) -> Iterator[None]:
    """Let a live server answer what a closed page still asked for, before its tables are emptied."""
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    yield
    assert _underway.is_none_left(), "a request to the live server is not answered"
