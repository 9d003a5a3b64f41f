"""When and with what a run was made: the date, this package, Python, Django, and the database servers."""

from __future__ import annotations

import platform
import re
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version

from proof.failures.servers import program
from proof.parts import ROOT
from proof.results import NotRun

CODE = "django-wallet-gateway"


def facts() -> dict[str, str]:
    """Return names and versions, as they stand above the table of a proof."""
    commit = _said("git", "describe", "--always", "--dirty")
    return {
        "Run on": f"{datetime.now(tz=UTC):%Y-%m-%d}",
        CODE: version(CODE) + (f" ({commit})" if commit else ""),
        "Python": platform.python_version(),
        "Django": version("django"),
        "SQLite": sqlite3.sqlite_version,
        "PostgreSQL": _server("postgres"),
        "MariaDB": _server("mariadbd", "mysqld"),
    }


def _server(*names: str) -> str:
    """Return the version of an installed server, which the parts start."""
    try:
        found = re.search(r"\d[\d.]+", _said(program(*names), "--version"))
    except NotRun:
        return "not there"
    return found[0] if found else "unknown"


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
