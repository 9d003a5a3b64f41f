"""The README and the tutorial, followed word for word in an empty folder with the built wheel."""

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


@pytest.mark.parametrize("page", pages_run("in a fresh project"))
def test_a_new_reader_gets_to_the_end_of(page: str, tmp_path: Path) -> None:
    wheel, work, checkout = (tmp_path / name for name in ("wheel", "work", "checkout"))
    work.mkdir()
    build_wheel(wheel)
    with Reader(
        work, environment={"PIP_FIND_LINKS": str(wheel), "PIP_QUIET": "1", "BROWSER": "true"}
    ) as reader:
        for step in steps(page):
            if step.kind == "<checkout>":
                _copy_checkout(checkout)
                reader.go(checkout)
            elif step.kind == "<folder>":
                reader.go(work)
            else:
                reader.follow(step)
