"""Pages in every language, size and state: each run looks at one of them, `make test-all` at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
WIDTHS: Final = (320, 390, 1280)
"""In which a page is looked at: a narrow phone (and 1280 px at 400 %), a usual one, a desk."""


def one_of(rows: Iterable[object]) -> list[ParameterSet]:
    """Rows for `parametrize`, of which the first always runs and the others are marked `exhaustive`."""
    first, *others = (row if isinstance(row, tuple) else (row,) for row in rows)
    return [pytest.param(*first), *(pytest.param(*row, marks=pytest.mark.exhaustive) for row in others)]
