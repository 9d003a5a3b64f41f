"""When, with what and on what a run of the bench was made. No paths and no names of machines."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.databases import SERVER, connected
from bench.measure import LeftOut
from proof.versions import facts_of_code

PACKAGES = ("granian", "psycopg", "pydantic", "requests", "urllib3", "cryptography")
PEERS = ("django-payments", "django-getpaid", "dj-stripe", "stripe")


def facts() -> dict[str, str]:
    """Return names and values, as one reads them above the table."""
    return {
        **facts_of_code(),
        "PostgreSQL": _postgres(),
        **{name: found for name in (*PACKAGES, *PEERS) if (found := _installed(name))},
        "processor": f"{os.cpu_count()} cores, {_processor()}",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "load average": f"{os.getloadavg()[0]:.1f}",
    }


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _postgres() -> str:
    """Return the server's version, and whether it waits for the disk: much depends on that."""
    try:
        with connected(SERVER) as server:
            names = ("server_version", "fsync", "synchronous_commit")
            shown = [server.execute(f"SHOW {name}".encode()).fetchone() for name in names]
    except LeftOut:
        return "not there"
    number, fsync, synchronous = (row[0] for row in shown if row)
    return f"{number.split()[0]} (fsync {fsync}, synchronous_commit {synchronous})"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
