"""Waiting for what another thread or process is about to do, however busy the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Nobody waits that long for what works. It is where a busy machine is taken for a broken program.
PATIENCE = 60.0


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it comes true; asks every few milliseconds, and gives up late."""
    deadline = time.monotonic() + PATIENCE
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.005)
    return held
