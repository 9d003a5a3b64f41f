"""The sweep as a process of its own: it works, it says so, and it ends when it is told to."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[3]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def environment(tmp_path: Path, transactional_db: None) -> dict[str, str]:
    """A shop with an empty database in a file, which is a copy of the one that tests use."""
    if connection.vendor != "sqlite":
        pytest.skip("the process has a file for its database, whatever the others run on")
    file = tmp_path / "shop.sqlite3"
    connection.ensure_connection()
    with closing(sqlite3.connect(file)) as copy:
        connection.connection.backup(copy)
    return os.environ | {"DATABASE_URL": f"sqlite:///{file}", "DJANGO_SETTINGS_MODULE": "tests.settings"}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "django", "wallet_sweep", "--skip-checks", "-v", "2", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate(timeout=60)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_a_loop_ends_by_itself_when_it_is_told_to(start: Start) -> None:
    process = start("--loop", "--every", "0.1")
    assert "default: 0 queried" in line_of(process)
    assert "default: 0 queried" in line_of(process)

    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "Traceback" not in said


def test_a_loop_that_waits_long_ends_at_once_all_the_same(start: Start) -> None:
    process = start("--loop", "--every", "3600")
    assert "default: 0 queried" in line_of(process)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "Traceback" not in said
