"""Counts what operations cost: the processor time of both sides of the connection."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from django.db import connection

_TICKS = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def metered() -> Iterator[list[float]]:
    """Give a list that has the milliseconds of the block at its end, on both sides of the connection."""
    took: list[float] = []
    server, client = _server_ms(), time.process_time()
    yield took
    client = time.process_time() - client
    took.append(client * 1000 + _server_ms() - server)


def _server_ms() -> float:
    """Return the processor time of PostgreSQL's process, to ten milliseconds."""
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
    _, _, fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / _TICKS * 1000


def peak_megabytes() -> float:
    """Return the peak of this process; `getrusage` would give that of its parent, where that was larger."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"^VmHWM:\s+([0-9]+) kB$", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024
