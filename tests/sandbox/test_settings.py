"""The sandbox as a Django project: its own checks, its migrations, its addresses and its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def manage(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "django", *arguments],
        env=os.environ
        | {
            "DJANGO_SETTINGS_MODULE": "wallet_gateway.sandbox.settings",
            "WALLET_SANDBOX_DATABASE": str(tmp_path / "sandbox.sqlite3"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_djangos_own_checks_find_nothing(tmp_path: Path) -> None:
    finished = manage(tmp_path, "check", "--fail-level", "INFO")
    assert finished.returncode == 0, finished.stderr


def test_no_migration_is_missing(tmp_path: Path) -> None:
    finished = manage(tmp_path, "makemigrations", "--check", "--dry-run")
    assert finished.returncode == 0, finished.stdout
