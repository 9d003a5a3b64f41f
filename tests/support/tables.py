"""Tables whose rows do not depend on each other: one test carries out every row and reports all faults.

`pytest.mark.parametrize` makes a test of each row, with fixtures of its own, which thousands of rows of
hostile input do not need. It stays the right thing where a row changes what the next one would find.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from _pytest._io.saferepr import saferepr
from _pytest.mark.structures import ParameterSet

Test = Callable[..., None]


@dataclass(frozen=True)
class _Row:
    label: str
    values: dict[str, Any]

    def fault_of(self, test: Callable[..., None]) -> BaseException | None:
        try:
            test(**self.values)
        except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001  reported with the others
            fault.add_note(f"row: {self.label}")
            return fault
        return None


def every(
    names: str | Sequence[str],
    rows: Iterable[Any],
    *,
    ids: Iterable[object] | Callable[[Any], object] | None = None,
) -> Callable[[Test], Test]:
    """Carry out a test for every row, as one test; takes what `parametrize` takes, but no marks.

    Raises a group of all faults, each with a note that names its row. A table without rows is refused.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [_row(columns, given) for given in rows]
    if isinstance(ids, Iterable):
        table = [replace(row, label=label) for row, label in zip(table, map(str, ids), strict=True)]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def whole(*arguments: Any, **fixtures: Any) -> None:
            # Said when it runs: a test that is skipped where its vectors are missing has no rows either.
            if not table:
                raise ValueError("a table without rows tests nothing")
            bound = functools.partial(test, *arguments, **fixtures)
            if faults := [fault for row in table if (fault := row.fault_of(bound)) is not None]:
                raise BaseExceptionGroup(f"{len(faults)} of {len(table)} rows failed", faults)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in columns]
        setattr(whole, "__signature__", signature.replace(parameters=kept))  # noqa: B010  pytest reads it
        return whole

    return decorate


def _row(columns: list[str], given: object) -> _Row:
    row = given if isinstance(given, ParameterSet) else ParameterSet.extract_from(given, len(columns) == 1)
    if row.marks:
        raise ValueError(f"a row of a table has no marks of its own: {row.id}")
    label = row.id if isinstance(row.id, str) else saferepr(row.values, maxsize=200)
    return _Row(label=label, values=dict(zip(columns, row.values, strict=True)))
