"""Faults that may come anywhere: in the n-th of our functions, or at the n-th statement of the database."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import CodeType, FrameType
from typing import Any

from django.db import DataError, InternalError, connection

import wallet_gateway

OURS = wallet_gateway.__path__[0]
DOOR = f"{OURS}/error_reports.py"
"""What hides variables. Before it nothing of a request was read, and it is not what fails itself."""
OF_NO_FAULT = ("__enter__", "__exit__", "close")
"""A fault in there would leave connections open."""
Faults = Iterator[AbstractContextManager[object]]


class Broken(Exception):
    """Of the test."""


class Dying:
    """A wrapper of `execute` that fails at one statement, or from it on, and quotes what it was given."""

    def __init__(self, number: int, error: type[Exception], *, once: bool) -> None:
        self.number, self.error, self.once, self.count = number, error, once, 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, *others: Any) -> Any:  # noqa: ANN401
        """Execute a statement, or fail."""
        self.count += 1
        if self.count == self.number or (0 < self.number < self.count and not self.once):
            raise self.error(f'bad value "{params}"\nDETAIL:  Failing row contains ({params}).')
        return execute(sql, params, *others)


class Breaking:
    """Raises in one of our functions, by the order in which they are called for the first time."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.seen: set[CodeType] = set()
        self._is_inside = False

    @property
    def count(self) -> int:
        return len(self.seen)

    def __enter__(self) -> None:
        self._before = sys.getprofile()
        sys.setprofile(self._look)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        sys.setprofile(self._before)
        return isinstance(error, Broken)

    def _look(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in self.seen or not code.co_filename.startswith(OURS):
            return
        if code.co_filename == DOOR:
            self._is_inside = True
        elif self._is_inside and code.co_flags & inspect.CO_OPTIMIZED and code.co_name not in OF_NO_FAULT:
            self._count(code)

    def _count(self, code: CodeType) -> None:
        self.seen.add(code)
        if self.count == self.number:
            sys.setprofile(self._before)
            raise Broken(f"in {code.co_qualname}")


def at_any_call(places: int = 12) -> Faults:
    """Give a fault in so many functions of one way, evenly spread; at first nothing fails, to count them."""
    whole = Breaking(0)
    yield whole
    for number in range(1, whole.count + 1, max(whole.count // places, 1)):
        yield Breaking(number)


def at_any_statement(places: int = 12) -> Faults:
    """Give a fault at so many statements: of one row, or of a database that stays away."""
    whole = Dying(0, DataError, once=True)
    yield connection.execute_wrapper(whole)
    step = max(whole.count // places, 1)
    for number in range(1, whole.count + 1, step):
        is_row = number // step % 2 == 0
        yield _statement(Dying(number, DataError if is_row else InternalError, once=is_row))


@contextmanager
def _statement(dying: Dying) -> Iterator[None]:
    with connection.execute_wrapper(dying):
        yield
    # The test's own transaction is not to be rolled back for it.
    connection.needs_rollback = False
