"""The one proxy around the database: somebody else acts before a statement, or the statement fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import connection


def update_of(table: str) -> str:
    """Return how an UPDATE of a table begins."""
    return f"UPDATE {connection.ops.quote_name(table)}"


RESERVING: Final = update_of("wallet_gateway_payment")
"""The statement that decides whether an amount is there. What is done before it, is undone with it."""
WRITING: Final = "SAVEPOINT"
"""How a database transaction begins inside the one of a test: so far, all was only read."""


class Meddler:
    """Acts before the first statements that hold some words: raises an error, or does another's work."""

    def __init__(self, *parts: str, act: Callable[[], object], times: int = 1) -> None:
        self._parts, self._act, self.left = parts, act, times
        self._is_acting = False

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's
        if self.left and not self._is_acting and all(part in sql for part in self._parts):
            self.left -= 1
            self._is_acting = True
            try:
                self._act()
            finally:
                self._is_acting = False
        return execute(sql, *rest)


def raising(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


@contextmanager
def meddling(*parts: str, act: Callable[[], object], times: int = 1) -> Iterator[None]:
    """Act before so many statements, all of which must come."""
    meddler = Meddler(*parts, act=act, times=times)
    with connection.execute_wrapper(meddler):
        yield
    assert not meddler.left, f"{meddler.left} statements with {parts} did not come"
