"""Tells whether the time for a text grows faster than the text, by processor time and with an end.

Sixteen times the text takes 16 times as long where time is linear, and 256 times where it is quadratic.
Between the two is room for a busy machine, on which memory costs more.
"""

from __future__ import annotations

import gc
import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SMALL, MIDDLE, LARGE, BIG = 256, 4_096, 65_536, 1_048_576
"""Sizes to compare: small with middle, large with big."""
MOST_GROWTH = 128
MOST_SECONDS = {SMALL: 0.2, MIDDLE: 0.2, LARGE: 2, BIG: 10}
"""Many times what anything takes that is linear."""
SECONDS_A_CHARACTER = 250e-9
"""Where a way takes no longer, it is linear: a quadratic one has half of the size to look at for each."""
LEAST_SECONDS = 5e-6
"""Less than this cannot be measured."""

Way = Callable[[str], object]
TextOf = Callable[[int], str]


class TakesTooLong(Exception):
    """Processor time has run out."""


def grows_too_fast(way: Way, text_of: TextOf, small: int, large: int) -> bool:
    """Compare two sizes; what looks bad is looked at again with care, for it may have been something else."""
    after = seconds(way, text_of, large)
    if after <= large * SECONDS_A_CHARACTER:
        return False
    if not math.isinf(after) and after <= seconds(way, text_of, small) * MOST_GROWTH:
        return False
    again = seconds(way, text_of, large, times=3)
    return math.isinf(again) or again > seconds(way, text_of, small, times=5) * MOST_GROWTH


def seconds(way: Way, text_of: TextOf, size: int, *, times: int = 1) -> float:
    """Return the least processor time that something takes for a text; infinite is too long."""
    least, text = math.inf, text_of(size)
    try:
        with _at_most(MOST_SECONDS[size] * times):
            for _ in range(times):
                begun = time.thread_time()
                way(text)
                least = min(least, time.thread_time() - begun)
    except TakesTooLong:
        return math.inf
    return max(least, LEAST_SECONDS)


@contextmanager
def _at_most(limit: float) -> Iterator[None]:
    """Interrupt after so many seconds of processor time; `re` looks for signals while it matches."""

    def stop(*_: object) -> None:
        raise TakesTooLong

    # Python drops what is raised while it collects garbage, and a collection is no part of what is measured.
    gc.disable()
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        gc.enable()
