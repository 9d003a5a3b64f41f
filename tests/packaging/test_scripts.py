"""The scripts behind the Makefile: what they find, and what they say when there is nothing to find."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.wheel import ROOT

SCRIPTS = ROOT / "scripts"


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {**os.environ, "CI": "", **environment}
    return subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, check=False)


@pytest.fixture
def deaf() -> Iterator[str]:
    """The URL of a server that does not answer: its port is taken, and nobody listens there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"postgres://nobody@127.0.0.1:{taken.getsockname()[1]}/test"


def on_postgres(url: str, *, ci: str) -> subprocess.CompletedProcess[str]:
    script = str(SCRIPTS / "test-database")
    return run(script, str(Path(sys.executable).parent.parent), "postgres", "PostgreSQL", url, CI=ci)


def test_by_hand_a_database_that_does_not_answer_is_a_loud_skip(deaf: str) -> None:
    ran = on_postgres(deaf, ci="")
    assert ran.returncode == 0
    assert "*** PostgreSQL: TESTS SKIPPED. It does not answer at 127.0.0.1:" in ran.stderr


def test_in_ci_a_database_that_does_not_answer_is_a_failure_that_says_what_to_do(deaf: str) -> None:
    ran = on_postgres(deaf, ci="true")
    assert ran.returncode == 1
    assert "*** PostgreSQL: TESTS NOT RUN, WHICH FAILS IN CI. It does not answer at 127.0.0.1:" in ran.stderr
    assert "set POSTGRES_URL to nothing where there is none" in ran.stderr


@pytest.mark.parametrize("ci", ["", "true"], ids=["by-hand", "in-ci"])
def test_where_there_is_said_to_be_no_database_its_tests_are_skipped_aloud(ci: str) -> None:
    ran = on_postgres("", ci=ci)
    assert ran.returncode == 0
    assert "*** PostgreSQL: TESTS SKIPPED. POSTGRES_URL is empty" in ran.stderr


def test_no_registry_and_no_path_of_a_machine_is_named() -> None:
    listed = run("git", "ls-files", "-z").stdout.split("\0")
    forbidden = re.compile(r"pypi\.o" r"rg|registry\.npm" r"js|deb\.deb" r"ian|/wo" r"rk/|/ro" r"ot/")
    texts = {".py", ".md", ".toml", ".html", ".js", ".css", ""}
    found = [
        name
        for name in filter(None, listed)
        if Path(name).suffix in texts
        and (ROOT / name).is_file()
        and forbidden.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found
