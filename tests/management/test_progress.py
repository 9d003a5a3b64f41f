"""The bar of a long command: drawn where somebody watches, told in tenths where nobody does."""

from __future__ import annotations

from io import StringIO

from django.core.management.base import OutputWrapper

from wallet_gateway.management.progress import with_progress


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def written(out: StringIO, count: int, total: int) -> str:
    assert list(with_progress(range(count), total=total, out=OutputWrapper(out))) == list(range(count))
    return out.getvalue()


def test_a_terminal_sees_one_line_that_fills_and_ends() -> None:
    text = written(Terminal(), 50, 50)
    assert text.startswith("\r[")
    assert "\r[##############################] 100%  50 of 50" in text
    assert text.count("\n") == 1
    assert text.endswith("\n")


def test_a_log_gets_a_line_for_each_tenth() -> None:
    lines = written(StringIO(), 1000, 1000).splitlines()
    assert len(lines) == 10
    assert " 10%  100 of 1000" in lines[0]
    assert "100%  1000 of 1000" in lines[-1]
