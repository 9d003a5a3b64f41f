"""The sandbox as a Django project: its own checks, its migrations, its addresses and its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox.merchant import Merchant
from wallet_gateway.protocol.endpoints import ENDPOINTS, Endpoint


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


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_every_endpoint_of_the_interface_is_there(merchant: Merchant, endpoint: Endpoint) -> None:
    assert merchant.send(endpoint.method, endpoint.path).status not in {404, 405}


def test_static_files_are_served(merchant: Merchant) -> None:
    folder = Path("wallet_gateway/sandbox/static")
    file = next(path for path in sorted(folder.rglob("*.css")))
    answer = merchant.send("GET", f"/static/{file.relative_to(folder)}")
    assert (answer.status, answer.body) == (200, file.read_bytes())
    assert answer.headers["content-type"].startswith("text/css")
