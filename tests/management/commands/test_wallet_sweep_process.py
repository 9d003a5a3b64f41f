"""The sweep as a process of its own: it works, it says so, and it ends when it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A shop with an empty database in a file."""
    file = tmp_path_factory.mktemp("sweep") / "shop.sqlite3"
    given = os.environ | {"DATABASE_URL": f"sqlite:///{file}", "DJANGO_SETTINGS_MODULE": "tests.settings"}
    subprocess.run(
        [sys.executable, "-m", "django", "migrate", "-v", "0"], cwd=ROOT, env=given, check=True, timeout=120
    )
    return given


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


def test_once_is_once(start: Start) -> None:
    process = start()
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert said.count("default: 0 asked") == 1


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT], ids=lambda name: name.name)
def test_a_loop_ends_by_itself_when_it_is_told_to(name: signal.Signals, start: Start) -> None:
    process = start("--loop", "--every", "0.1")
    assert "default: 0 asked" in line_of(process)
    assert "default: 0 asked" in line_of(process)

    process.send_signal(name)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "Traceback" not in said


def test_a_loop_that_waits_long_ends_at_once_all_the_same(start: Start) -> None:
    process = start("--loop", "--every", "3600")
    assert "default: 0 asked" in line_of(process)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0
