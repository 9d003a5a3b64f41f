"""A PostgreSQL whose tables lie on a small file system that can be filled. Needs root, to mount it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proof.database_faults.servers import Postgres, own_postgres
from proof.kills.databases import NotRun

_MEGABYTES = 96


class SmallPostgres:
    """The server, and what fills its disk."""

    def __init__(self, server: Postgres, disk: Path) -> None:
        self.url = server.url.removesuffix("/postgres") + "/small"
        self._filling = disk / "filling"

    @property
    def address(self) -> str:
        """The URL, as the driver takes it."""
        return self.url.replace("postgres:", "postgresql:", 1)

    def fill(self) -> None:
        """Leave not one byte."""
        with contextlib.suppress(OSError), self._filling.open("wb", buffering=0) as filling:
            while True:
                try:
                    filling.write(b"\0" * 65_536)
                except OSError:
                    filling.write(b"\0" * 4_096)

    def empty(self) -> None:
        """Give the room back."""
        self._filling.unlink(missing_ok=True)


@contextmanager
def small_postgres() -> Iterator[SmallPostgres]:
    """Start a PostgreSQL on a small disk; raises `NotRun` where none can be mounted."""
    import psycopg

    with own_postgres() as server, _mounted(server.folder / "disk") as disk:
        with psycopg.connect(
            server.url.replace("postgres:", "postgresql:", 1), autocommit=True
        ) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{disk}/tables'".encode())
            connection.execute(b"CREATE DATABASE small TABLESPACE small")
        small = SmallPostgres(server, disk)
        try:
            yield small
        finally:
            small.empty()
            server.restart()
            with psycopg.connect(
                server.url.replace("postgres:", "postgresql:", 1), autocommit=True
            ) as connection:
                connection.execute(b"DROP DATABASE small WITH (FORCE)")
                connection.execute(b"DROP TABLESPACE small")


@contextmanager
def _mounted(disk: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        raise NotRun("only root mounts a small file system to fill")
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_MEGABYTES}m", "tmpfs", str(disk)]
    mounting = subprocess.run(command, check=False, capture_output=True, text=True)
    if mounting.returncode:
        raise NotRun(f"no small file system can be mounted: {mounting.stderr.strip()}")
    try:
        (disk / "tables").mkdir()
        shutil.chown(disk / "tables", "postgres")
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
