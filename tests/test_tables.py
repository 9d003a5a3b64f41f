"""A table as one test: every row is carried out, and every fault is told with its row."""

from __future__ import annotations

import pytest

from tests.support.tables import every


def test_every_row_is_carried_out_although_some_fail() -> None:
    seen: list[int] = []

    @every("number", [1, 2, 3, pytest.param(4, id="the fourth")])
    def odd(number: int) -> None:
        seen.append(number)
        assert number % 2

    with pytest.raises(ExceptionGroup, match="2 of 4 rows failed") as failure:
        odd()
    assert seen == [1, 2, 3, 4]
    assert [fault.__notes__ for fault in failure.value.exceptions] == [["row: (2,)"], ["row: the fourth"]]


def test_an_error_that_did_not_come_fails_the_row() -> None:
    @every("text", ["1", "x"])
    def refused(text: str) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows failed"):
        refused()


def test_a_table_without_rows_is_a_fault() -> None:
    @every("number", [])
    def nothing(number: int) -> None:
        """Never runs."""

    with pytest.raises(ValueError, match="without rows"):
        nothing()
