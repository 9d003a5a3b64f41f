"""What a measurement finds, and how often and how much is measured. No subject matter here."""

from __future__ import annotations

import os
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


SCALE = float(os.environ.get("BENCH_SCALE", "1"))
"""What all sizes are multiplied by; other than 1, the measurement is only tried out."""

LEAST_ROUNDS = 7
"""With fewer rounds nothing is judged: a median of less says little."""

ROUNDS = "BENCH_ROUNDS"
"""The environment variable with the number of rounds, which the started processes read as well."""


def rounds() -> int:
    """Return how many times all that is compared is measured in turns."""
    return int(os.environ.get(ROUNDS, LEAST_ROUNDS))


def scaled(size: int, *, least: int = 2) -> int:
    """Return a size times `SCALE`, and no less than a measurement needs to run at all."""
    return max(least, round(size * SCALE))


class LeftOut(Exception):
    """A part cannot be measured here; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the table: what was measured, what came out in each round, what was promised.

    A unit of "x" is a ratio that was measured on one machine in one run, so the machine counts little. Never
    is it a ratio to a figure of this project's own.
    """

    what: str
    values: tuple[float, ...]
    """One of each round; their median is what counts."""
    target: float | None = None
    """None if nothing is promised, and the figure is there to understand the others."""
    unit: str = ""
    at_most: bool = True

    @property
    def value(self) -> float:
        return statistics.median(self.values)

    @property
    def met(self) -> bool:
        if self.target is None:
            return True
        return self.value <= self.target if self.at_most else self.value >= self.target

    @property
    def promise(self) -> str:
        if self.target is None:
            return "-"
        return f"{'at most' if self.at_most else 'at least'} {self.target:g}{self.unit}"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, ...]:
    """Divide what two things took, round by round."""
    return tuple(mine / other for mine, other in zip(ours, theirs, strict=True))


def number(value: float) -> str:
    """Write a figure with three digits that say something."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"
