"""The progress of a long command: a bar on a terminal, otherwise a line for every tenth."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from django.core.management.base import OutputWrapper

T = TypeVar("T")

_WIDTH = 30
_REDRAW_SECONDS = 0.1


def with_progress(items: Iterable[T], *, total: int, out: OutputWrapper) -> Iterator[T]:
    """Yield the items and show on `out` how many of `total` are done."""
    bar = _Bar(total, out)
    for done, item in enumerate(items, start=1):
        yield item
        bar.show(done)
    bar.end()


class _Bar:
    def __init__(self, total: int, out: OutputWrapper) -> None:
        self._total, self._out = total, out
        self._watched = out.isatty()
        self._started = time.monotonic()
        self._drawn = float("-inf")
        self._tenth = 0

    def show(self, done: int) -> None:
        """Redraw the bar, or write the next line, if the progress has changed."""
        if self._watched:
            now = time.monotonic()
            if now - self._drawn >= _REDRAW_SECONDS or done >= self._total:
                self._drawn = now
                self._out.write("\r" + self._text(done), ending="")
                self._out.flush()
        elif (tenth := done * 10 // max(self._total, 1)) > self._tenth:
            self._tenth = tenth
            self._out.write(self._text(done))

    def end(self) -> None:
        """End the line of the bar."""
        if self._watched:
            self._out.write("")

    def _text(self, done: int) -> str:
        share = min(done / max(self._total, 1), 1)
        rate = done / max(time.monotonic() - self._started, 0.001)
        filled = round(share * _WIDTH)
        bar = "#" * filled + "." * (_WIDTH - filled)
        return f"[{bar}] {share:4.0%}  {done} of {self._total}  {rate:.0f}/s"
