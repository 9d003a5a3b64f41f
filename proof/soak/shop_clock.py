"""The clock of all processes of the shop: the machine's, and as far ahead as a file says."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from wallet_gateway import gateways

_AHEAD: Final = struct.Struct("<d")


class ShopClock(gateways.DatabaseClock):
    """Time that a run moves on; the sandbox's clock is moved with it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        if not file.exists():
            file.write_bytes(_AHEAD.pack(0))

    def now(self) -> datetime:
        """Return the shop's time."""
        (seconds,) = _AHEAD.unpack(self._file.read_bytes())
        return datetime.now(tz=UTC) + timedelta(seconds=seconds)

    def read(self) -> datetime:
        """Return the shop's time; no database is asked."""
        return self.now()

    def move(self, seconds: float) -> None:
        """Move it on, for all processes."""
        (ahead,) = _AHEAD.unpack(self._file.read_bytes())
        changed = self._file.with_suffix(".new")
        changed.write_bytes(_AHEAD.pack(ahead + seconds))
        changed.replace(self._file)

    def use(self) -> None:
        """Let this process go by it."""
        gateways.use_clock(self)
