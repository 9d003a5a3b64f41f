"""The README and the tutorial, followed word for word in an empty folder with the built wheel.

Empty but for the virtual environment of the page before, without the project: so each page installs the
wheel, and only the first command of all installs what the project needs.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.docs.fresh import Reader
from tests.docs.pages import ROOT, pages_run, steps
from tests.packaging.wheel import build_wheel

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def _copy_checkout(folder: Path) -> None:
    """Copy what a clone would hold, uncommitted work included."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


# What is installed is the same: modules are compiled when they are used, and nobody asks for a newer pip.
QUICK_PIP = {"PIP_COMPILE": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_QUIET": "1"}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel")).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reader")


def _of_the_project(folder: Path) -> list[Path]:
    """What an installation of the project put into the virtual environment."""
    return list(folder.glob(".venv/lib/python*/site-packages/*wallet_gateway*"))


def _empty(folder: Path) -> None:
    """Remove everything but the virtual environment, and the project from that."""
    for path in [*folder.iterdir(), *_of_the_project(folder)]:
        if path.is_file():
            path.unlink()
        elif path.name != ".venv":
            shutil.rmtree(path)


@pytest.mark.parametrize("page", pages_run("in a fresh project"))
def test_a_new_reader_gets_to_the_end_of(page: str, folder: Path, wheels: Path) -> None:
    _empty(folder)
    environment = QUICK_PIP | {"PIP_FIND_LINKS": str(wheels), "BROWSER": "true"}
    with Reader(folder, environment=environment) as reader:
        for step in steps(page):
            if step.kind in {"<checkout>", "<folder>"}:
                _empty(folder)
            if step.kind == "<checkout>":
                _copy_checkout(folder)
            reader.follow(step)
    assert "wallet_gateway" in {path.name for path in _of_the_project(folder)}, "the wheel is not installed"
