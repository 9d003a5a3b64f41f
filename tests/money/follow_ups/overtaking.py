"""What others do between an operation's reading of a row and its own writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import connection

RESERVING: Final = f"UPDATE {connection.ops.quote_name('wallet_gateway_payment')}"
"""The statement that decides whether an amount is there. What is done before it, is undone with it."""
WRITING: Final = "SAVEPOINT"
"""How a database transaction begins inside the one of a test: so far, all was only read."""


@contextmanager
def overtaken(statement: str, act: Callable[[], object]) -> Iterator[None]:
    """Let somebody else act right before the next statement that begins so."""
    acted: list[str] = []

    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> object:
        if sql.startswith(statement) and not acted:
            acted.append(sql)
            act()
        return execute(sql, *rest)

    with connection.execute_wrapper(wrapper):
        yield
    assert acted, "there was nothing to overtake"
