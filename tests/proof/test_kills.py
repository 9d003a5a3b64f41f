"""The killer of processes: a handful of kills find nothing, and a plugin that sends twice is found."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proof.kills import __main__ as kills
from proof.kills.children import in_child
from proof.kills.databases import NotRun
from proof.kills.instants import Instants
from tests.architecture.sources import ROOT

pytestmark = [pytest.mark.wire]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=900
    )


@pytest.mark.slow
def test_a_capture_whose_process_is_killed_is_sent_once_and_ends_as_the_gateway_says(tmp_path: Path) -> None:
    result = tmp_path / "result"
    given = ("--database", "sqlite", "--operation", "capture", "--runs", "3", "--seed", "7")
    done = run("proof.kills", *given, "--result", str(result))
    found = json.loads(result.read_text(encoding="utf-8"))
    assert (done.returncode, found["found"], found["seed"]) == (0, 0, 7), done.stdout + done.stderr
    assert found["runs"] == 3


@pytest.mark.slow
def test_a_backup_that_is_restored_as_the_runbook_says_pays_nothing_twice(tmp_path: Path) -> None:
    result = tmp_path / "result"
    done = run("proof.disaster", "--only", "restore", "--result", str(result))
    assert (done.returncode, json.loads(result.read_text(encoding="utf-8"))["found"]) == (0, 0), done.stdout


@pytest.mark.parametrize(("found", "code"), [(0, 0), (1, 1)])
def test_the_exit_code_says_whether_something_was_found(
    found: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(*_: Any) -> dict[str, Any]:
        return {"runs": 3, "found": found, "notes": []}

    monkeypatch.setattr(kills, "_killed", told)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    result = tmp_path / "result"
    assert kills.main(["--database", "sqlite", "--result", str(result)]) == code
    assert json.loads(result.read_text(encoding="utf-8"))["found"] == found


def test_a_server_that_is_not_there_is_noted_as_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "own_database", _missing)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    result = tmp_path / "result"
    assert kills.main(["--database", "postgres", "--result", str(result)]) == 0
    assert json.loads(result.read_text(encoding="utf-8"))["notes"] == ["NOT RUN on postgres: no server"]


def _missing(kind: str) -> None:
    raise NotRun("no server")


@pytest.mark.django_db(transaction=True)
def test_a_process_dies_exactly_at_its_instant() -> None:
    reading, writing = os.pipe()

    def work() -> None:
        instants = Instants(fatal=2)
        for number in range(5):
            os.write(writing, str(number).encode())
            instants.reach(str(number))

    assert in_child(work).killed
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "012"
