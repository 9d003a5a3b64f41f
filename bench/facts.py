"""When, with what and on what a run of the bench was made. No paths and no names of machines."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.processes import SERVER, connected

PACKAGES = ("Django", "psycopg", "pydantic", "requests", "urllib3")
PEERS = ("django-payments", "dj-stripe", "stripe")


def facts() -> dict[str, str]:
    """Return names and values, as one reads them below the table."""
    git = ["git", "describe", "--always", "--dirty"]
    try:
        code = subprocess.run(
            git, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        code = version("django-wallet-gateway")
    return {
        "run on": f"{datetime.now(tz=UTC):%Y-%m-%d}",
        "code": code.strip(),
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "PostgreSQL": _postgres(),
        **{name: found for name in (*PACKAGES, *PEERS) if (found := _installed(name))},
        "cores": str(os.cpu_count()),
        "load average": f"{os.getloadavg()[0]:.1f}",
    }


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _postgres() -> str:
    """Return the server's version, and whether it waits for the disk: much depends on that."""
    from bench.measure import LeftOut

    try:
        with connected(SERVER) as server:
            names = ("server_version", "fsync", "synchronous_commit")
            shown = [server.execute(f"SHOW {name}".encode()).fetchone() for name in names]
    except LeftOut:
        return "not there"
    number, fsync, synchronous = (row[0] for row in shown if row)
    return f"{number.split()[0]} (fsync {fsync}, synchronous_commit {synchronous})"
