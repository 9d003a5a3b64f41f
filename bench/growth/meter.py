"""Counts what operations cost: statements, WAL, and the processor time of both sides of the connection."""

from __future__ import annotations

import contextlib
import os
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
        backend, wal, server = _backend(), _wal(), _server_ms(_backend())
        client = time.process_time()
        with connection.execute_wrapper(self._count):
            yield
        self.client_ms += (time.process_time() - client) * 1000
        self.server_ms += _server_ms(backend) - server
        self.wal_bytes += _wal() - wal
        self.times += times

    def each(self) -> dict[str, float]:
        """Return what one operation took."""
        names = ("statements", "wal_bytes", "client_ms", "server_ms")
        return {name: getattr(self, name) / max(self.times, 1) for name in names}

    def _count(self, execute: Any, *call: Any) -> Any:  # noqa: ANN401 - Django's own
        self.statements += 1
        return execute(*call)


def _backend() -> int:
    return int(_value("SELECT pg_backend_pid()"))


def _wal() -> int:
    return int(_value("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))


def _value(question: str) -> Any:  # noqa: ANN401 - whatever it asks for
    with connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchone()[0]


def _server_ms(process: int) -> float:
    """Return the processor time of a process of this machine, to ten milliseconds."""
    _, _, fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / _TICKS * 1000
