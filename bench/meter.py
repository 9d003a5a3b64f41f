"""Counts what operations cost: statements, WAL, and the processor time of both sides of the connection."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connection

_TICKS = os.sysconf("SC_CLK_TCK")


class Meter:
    """The sums of what some operations of one name took."""

    def __init__(self) -> None:
        self.times = 0
        self.statements = 0
        self.wal_bytes = 0
        self.client_ms = 0.0
        self.server_ms = 0.0

    @contextlib.contextmanager
    def running(self, times: int = 1) -> Iterator[None]:
        """Count what the block does, as this many operations."""
        wal, server = _server()
        client = time.process_time()
        with connection.execute_wrapper(self._count):
            yield
        self.client_ms += (time.process_time() - client) * 1000
        wal_now, server_now = _server()
        self.wal_bytes += wal_now - wal
        self.server_ms += server_now - server
        self.times += times

    def each(self) -> dict[str, float]:
        """Return what one operation took."""
        names = ("statements", "wal_bytes", "client_ms", "server_ms")
        return {name: getattr(self, name) / max(self.times, 1) for name in names}

    def _count(self, execute: Any, *call: Any) -> Any:  # noqa: ANN401 - Django's own
        self.statements += 1
        return execute(*call)


def _server() -> tuple[int, float]:
    """Return the WAL's position and the processor time of PostgreSQL's process, to ten milliseconds."""
    if connection.vendor != "postgresql":
        return 0, 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        process, wal = cursor.fetchone()
    _, _, fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")
    user, system = fields.split()[11:13]
    return int(wal), (int(user) + int(system)) / _TICKS * 1000


def peak_megabytes() -> float:
    """Return the peak of this process; `getrusage` would give that of its parent, where that was larger."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"^VmHWM:\s+([0-9]+) kB$", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024
