"""The scripts behind the Makefile: what they find, and what they say when there is nothing to find."""

from __future__ import annotations

import os
import re
import shutil
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


def version_of(python: str) -> str:
    return run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").stdout.strip()


def test_a_python_is_found_that_runs() -> None:
    found = run(str(SCRIPTS / "find-python"), "3.11")
    assert found.returncode == 0, found.stderr
    assert version_of(found.stdout.strip()) in {"3.11", "3.12", "3.13"}


def test_a_python_is_found_among_those_of_pyenv(tmp_path: Path) -> None:
    python = tmp_path / "versions" / "3.x" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "ls", "sort"):
        (tools / name).symlink_to(str(shutil.which(name)))
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = run(str(SCRIPTS / "find-python"), version, version, PATH=str(tools), PYENV_ROOT=str(tmp_path))
    assert found.returncode == 0, found.stderr
    assert version_of(found.stdout.strip()) == version


def test_a_missing_python_is_named_with_what_to_install(tmp_path: Path) -> None:
    # Without pyenv's versions, each of which would be started.
    found = run(str(SCRIPTS / "find-python"), "2.0", "2.1", PYENV_ROOT=str(tmp_path))
    assert found.returncode == 1
    assert "No Python from 2.0 to 2.1 found" in found.stderr


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
