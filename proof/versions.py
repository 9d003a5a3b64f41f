"""When and with what a run was made: the date, this package, Python, Django, and the database servers."""

from __future__ import annotations

import importlib
import platform
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from proof.parts import DRIVERS, ROOT, SERVERS

CODE = "django-wallet-gateway"
"""The fact that names the version and commit of this package."""


def facts() -> dict[str, str]:
    """Return names and versions, as they stand above the table of a proof."""
    return facts_of_code() | {SERVERS[database][0]: _server_version(database) for database in SERVERS}


def facts_of_code() -> dict[str, str]:
    """Return the facts that need no database server."""
    return {
        "Run on": f"{datetime.now(tz=UTC):%Y-%m-%d}",
        CODE: f"{version(CODE)}{_commit()}",
        "Python": platform.python_version(),
        "Django": version("django"),
        "SQLite": sqlite3.sqlite_version,
    }


def _commit() -> str:
    git = ["git", "describe", "--always", "--dirty"]
    try:
        said = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f" ({said})"


def _server_version(database: str) -> str:
    try:
        connection = _connected(database)
    except Exception:  # noqa: BLE001  a driver that is missing, a server that does not answer
        return "not there"
    cursor = connection.cursor()
    cursor.execute("SHOW server_version" if database == "postgres" else "SELECT version()")
    found = str(cursor.fetchone()[0]).split()[0].split("-")[0]
    connection.close()
    return found


def _connected(database: str) -> Any:  # noqa: ANN401  a connection of one of two drivers
    url, driver = SERVERS[database][1], importlib.import_module(DRIVERS[database])
    if database == "postgres":
        # The database of the address is made by the tests; this one is always there.
        return driver.connect(f"postgresql://{urlsplit(url).netloc}/postgres", connect_timeout=3)
    address = urlsplit(url)
    return driver.connect(
        host=address.hostname or "127.0.0.1",
        port=address.port or SERVERS[database][2],
        user=address.username or "root",
        password=address.password or "",
        connect_timeout=3,
    )
