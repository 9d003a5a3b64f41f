"""Times two things in turns, so that whatever else the machine does meets both. No subject matter here."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


SCALE = float(os.environ.get("BENCH_SCALE", "1"))
"""What all sizes are multiplied by; other than 1, the measurement is only tried out."""


def scaled(size: int, *, least: int = 1) -> int:
    """Return a size times `SCALE`, and no less than a measurement needs to run at all."""
    return max(least, round(size * SCALE))


class LeftOut(Exception):
    """A part cannot be measured here; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the table: what was measured, what came out, what was promised.

    A unit of "x" is a ratio that was measured on one machine in one run, so the machine counts little. Never
    is it a ratio to a figure of this project's own, but for growth: the same with many rows against few.
    """

    what: str
    value: float
    target: float
    unit: str = ""
    at_most: bool = True

    @property
    def met(self) -> bool:
        return self.value <= self.target if self.at_most else self.value >= self.target

    @property
    def measured(self) -> str:
        return f"{self.value:.2f}{self.unit}"

    @property
    def promise(self) -> str:
        return f"{'at most' if self.at_most else 'at least'} {self.target:g}{self.unit}"


def ratio(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    rounds: int = 15,
    seconds: float = 0.15,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Give the median, over rounds in turns, of how many times longer ours takes than theirs."""
    ours_times, their_times = _times_for(ours, seconds), _times_for(theirs, seconds)
    found = []
    for _ in range(rounds):
        their_share = _cost(theirs, times=their_times, clock=clock)
        found.append(_cost(ours, times=ours_times, clock=clock) / their_share)
    return statistics.median(found)


def _times_for(call: Callable[[], object], seconds: float) -> int:
    call()
    started = time.perf_counter()
    call()
    return max(1, int(seconds / (time.perf_counter() - started)))


def _cost(call: Callable[[], object], *, times: int, clock: Callable[[], float]) -> float:
    started = clock()
    for _ in range(times):
        call()
    return (clock() - started) / times


def percentile(values: list[float], share: float) -> float:
    """Give the value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
