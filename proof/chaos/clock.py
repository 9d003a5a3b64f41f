"""The clock of the shop under chaos: all its processes read it, and a step moves it.

It is a file with one number, changed under a lock that the system takes back from a process that dies. With
one worker time stands between the steps, so that a run can be repeated; with several it goes on by itself.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from wallet_gateway.gateways import DatabaseClock

_AHEAD: Final = struct.Struct("<d")
_HEAD_START: Final = timedelta(days=1)
"""How far a clock that stands is ahead at first: the sandbox's cannot be set to before the machine's."""


class ShopClock(DatabaseClock):
    """Replaces the database's time for the plugin: see `wallet_gateway.gateways.use_clock`."""

    def __init__(self, file: Path, *, is_standing: bool) -> None:
        super().__init__()
        self._file = file
        self._stands_at = datetime.now(UTC) + _HEAD_START if is_standing else None
        file.write_bytes(_AHEAD.pack(0.0))

    @property
    def is_standing(self) -> bool:
        """Whether only steps move it."""
        return self._stands_at is not None

    def now(self) -> datetime:
        """Return the shop's time."""
        ahead: float = _AHEAD.unpack(self._file.read_bytes())[0]
        return (self._stands_at or datetime.now(UTC)) + timedelta(seconds=ahead)

    def read(self) -> datetime:
        """Return the shop's time; no database is asked."""
        return self.now()

    def sleep(self, seconds: float) -> None:
        """Wait for nothing: a pause is no part of what is tried."""

    def move(self, seconds: float) -> None:
        """Move it on, or back."""
        with self._locked() as file:
            (ahead,) = _AHEAD.unpack(os.pread(file, _AHEAD.size, 0))
            os.pwrite(file, _AHEAD.pack(ahead + seconds), 0)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        file = os.open(self._file, os.O_RDWR)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)
