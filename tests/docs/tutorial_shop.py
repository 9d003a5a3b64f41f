"""A reader who has finished the tutorial: follows another page in the shop that the tutorial has made.

The shop is what stands in the tutorial's blocks, and nothing else: no settings of this test suite. Files are
written and commands run as in `fresh`; a page's other blocks run in one Python process of the shop, as in its
`manage.py shell`. It starts with the first of them, when the files above it are there.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from tests.docs.fresh import COMMANDS, Reader, commands
from tests.docs.pages import ROOT, Step, steps

if TYPE_CHECKING:
    from types import TracebackType

TUTORIAL = "docs/tutorial.md"
# What this suite has installed for itself, and a reader has not.
WITHOUT_PLUGINS = "-p no:schemathesis -p no:hypothesispytest -p no:randomly -p no:pytest_cov -p no:anyio"
IN_PYTHON = {"python", "html+django", "<setup>", "<check>"}


def environment(metadata: Path) -> dict[str, str]:
    """What a shell of the shop has: this checkout in place of an installed wheel, with its entry points."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{metadata}",
        "PYTEST_ADDOPTS": WITHOUT_PLUGINS,
    }


def write_metadata(folder: Path) -> None:
    """Write the entry points of pyproject.toml as an installation would."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = folder / "checkout-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: checkout\nVersion: 0\n")
    sections = (
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
        for group, points in project["entry-points"].items()
    )
    (installed / "entry_points.txt").write_text("\n".join(sections), encoding="utf-8")


def make_shop(folder: Path, given: dict[str, str]) -> None:
    """Do in an empty folder what the tutorial says, with no server and no installation."""
    with Reader(folder, environment=given) as reader:
        for step in steps(TUTORIAL):
            if step.kind in COMMANDS:
                lines = (command for command, _ in commands(step) if "startproject" in command)
                for command in lines:
                    _run(reader, command)
            elif step.directives.keys() & {"file", "append"}:
                reader.follow(step)
        _run(reader, "python manage.py migrate --verbosity 0")


def _run(reader: Reader, command: str) -> None:
    code, printed = reader.shell(command)
    assert code == 0, printed


class ShopReader(Reader):
    """Follows a page step by step in a copy of the shop."""

    def __init__(self, shop: Path, folder: Path, *, given: dict[str, str], sandbox: str) -> None:
        shutil.copytree(shop, folder, dirs_exist_ok=True)
        super().__init__(folder, environment=given)
        # As manage.py sets it; a reader's own shell does not have it.
        self._of_shell = {"DJANGO_SETTINGS_MODULE": "shop.settings", "DOCS_SANDBOX": sandbox}
        self._python: subprocess.Popen[str] | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._python is not None:
            # Its last line read, it ends.
            self._python.communicate(timeout=30)
        super().__exit__(kind, error, trace)

    def follow(self, step: Step) -> None:
        """Do what one step says."""
        if step.kind in IN_PYTHON and not step.directives.keys() & {"file", "append"}:
            self._in_python(step)
        else:
            super().follow(step)

    def _in_python(self, step: Step) -> None:
        if self._python is None:
            self._python = subprocess.Popen(
                [sys.executable, "-m", "tests.docs.shop_shell"],
                cwd=self.folder,
                env={**self.environment, **self._of_shell},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._python.stdin
        assert self._python.stdout
        self._python.stdin.write(json.dumps(dataclasses.asdict(step)) + "\n")
        self._python.stdin.flush()
        answer = self._python.stdout.readline()
        assert answer, f"{step.where}: the shop's shell has ended"
        fault = json.loads(answer)
        assert not fault, f"{step.where}:\n{fault}"
