"""One virtual time for shop and gateway, each with a wall clock of its own that may be set forward or back.

Import this before Django and the plugin: `time.sleep` is stored by some of their classes. Outside of
`VirtualTime.running` all clocks are the machine's.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, SupportsIndex

EPOCH: Final = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)
_real_sleep, _real_monotonic, _real_time = time.sleep, time.monotonic, time.time
_real_clock_gettime = time.clock_gettime
_active: list[VirtualTime] = []


class VirtualTime:
    """Seconds since the beginning of a history, which only go forward, and two wall clocks over them."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.shop_ahead = timedelta()
        """How far the wall clock of the shop's database is ahead of true time; negative behind."""

    def restart(self) -> None:
        """Begin a history: both clocks are right."""
        self.elapsed, self.shop_ahead = 0.0, timedelta()

    def pass_by(self, seconds: float) -> None:
        """Let time pass for everybody."""
        self.elapsed += seconds

    def set_shop_ahead(self, seconds: float) -> None:
        """Set the shop's wall clock forward, or back."""
        self.shop_ahead += timedelta(seconds=seconds)

    def true_now(self) -> datetime:
        """Return the time of the gateway's clock."""
        return EPOCH + timedelta(seconds=self.elapsed)

    def shop_now(self) -> datetime:
        """Return the time of the shop's wall clock, that of its database."""
        return self.true_now() + self.shop_ahead

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Let all of Python's clocks in this process show this time."""
        _active.append(self)
        try:
            yield
        finally:
            _active.remove(self)


def _sleep(seconds: float | SupportsIndex, /) -> None:
    if _active:
        _active[-1].pass_by(max(float(seconds), 0.0))
    else:
        _real_sleep(seconds)


def _monotonic() -> float:
    return 1_000.0 + _active[-1].elapsed if _active else _real_monotonic()


def _clock_gettime(clock: int, /) -> float:
    return _monotonic() if _active else _real_clock_gettime(clock)


def _time() -> float:
    return _active[-1].shop_now().timestamp() if _active else _real_time()


def true_now() -> datetime:
    """Return the gateway's time: the virtual one while a history runs."""
    return _active[-1].true_now() if _active else datetime.now(UTC)


def shop_now() -> datetime:
    """Return the shop's time: the virtual one while a history runs."""
    return _active[-1].shop_now() if _active else datetime.now(UTC)


time.sleep, time.monotonic, time.time = _sleep, _monotonic, _time
time.clock_gettime = _clock_gettime
