"""Whether a figure that was measured again and again grows: by the line that fits it, not by two values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

WARM_UP: Final = 1 / 3
"""The share of a run in which caches fill and pools open."""
_MOST_VALUES: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """How much a figure may grow from the end of the warm-up to the end of the run, however long that is."""

    unit: str
    share: float
    """Of the figure after the warm-up."""
    more: float
    """Beside that share: what a busy allocator, or one more connection, comes to."""

    def broken_by(self, values: Sequence[float]) -> str:
        """Return what is wrong with these values, one for each round; an empty text if they are flat."""
        measured = values[int(len(values) * WARM_UP) :]
        grown, first = growth(measured), measured[0]
        allowed = self.share * first + self.more
        if grown <= allowed:
            return ""
        return f"{self.unit} grow from {first:,.0f} by {grown:,.0f} in {len(measured)} rounds"


def growth(values: Sequence[float]) -> float:
    """Return by how much the values rise from the first to the last.

    It is the median of the slopes between all pairs (Theil and Sen): a few values out of line do not count.
    """
    step = max(1, len(values) // _MOST_VALUES)
    places = range(0, len(values), step)
    slopes = [(values[b] - values[a]) / (b - a) for a, b in combinations(places, 2)]
    return median(slopes) * (len(values) - 1) if slopes else 0


BOUNDS: Final = {
    "kilobytes": Bound(unit="kilobytes of memory", share=0.05, more=6_000),
    "objects": Bound(unit="objects", share=0.02, more=1_500),
    "files": Bound(unit="open files", share=0, more=2),
    "connections": Bound(unit="connections of the database", share=0, more=2),
    "undelivered": Bound(unit="events that wait for delivery", share=0.5, more=10),
    "unasked": Bound(unit="questions that are an hour late", share=0.5, more=3),
    "oldest": Bound(unit="minutes of the oldest due question", share=0.5, more=90),
}
"""What is judged: the first three of each process that lives for the whole run, the others of the shop."""
