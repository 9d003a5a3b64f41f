"""A database that fails at one statement of many, and quotes what it was given, as databases do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Dying:
    """A wrapper of `execute` that fails at the given statement, or from it on."""

    def __init__(self, number: int, error: type[Exception], *, once: bool) -> None:
        self.number, self.error, self.once, self.count = number, error, once, 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, *others: Any) -> Any:  # noqa: ANN401
        """Execute a statement, or fail."""
        self.count += 1
        if self.count == self.number or (self.count > self.number and not self.once):
            raise self.error(f'bad value "{params}"\nDETAIL:  Failing row contains ({params}).')
        return execute(sql, params, *others)
