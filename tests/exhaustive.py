"""Pages in every language, size and state: each run looks at one of them, `make test-all` at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet


def one_of(rows: Iterable[object]) -> list[ParameterSet]:
    """Rows for `parametrize`, of which the first always runs and the others are marked `exhaustive`."""
    first, *others = (row if isinstance(row, tuple) else (row,) for row in rows)
    return [pytest.param(*first), *(pytest.param(*row, marks=pytest.mark.exhaustive) for row in others)]
