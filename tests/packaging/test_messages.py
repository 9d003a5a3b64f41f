"""The catalogues of all pages are as `scripts/update-messages` writes them, and no text waits for words."""

from __future__ import annotations

import gettext
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.wheel import ROOT

CATALOGUES = ("wallet_gateway/locale", "wallet_gateway/sandbox/locale", "example_project/shop/locale")
LANGUAGES = ("de", "fr", "es", "ar")
FILES = [f"{folder}/{language}/LC_MESSAGES/django" for folder in CATALOGUES for language in LANGUAGES]

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("xgettext", "msgmerge", "msgfmt", "msgattrib")),
    reason="GNU gettext is not installed, which writes the catalogues (Debian: apt-get install gettext)",
)


def copy_to(folder: Path) -> Path:
    """A copy of what has texts, so that the script may write into it."""
    rest = shutil.ignore_patterns("__pycache__", "*.sqlite3*", "static", "data")
    for name in ("wallet_gateway", "example_project", "scripts"):
        shutil.copytree(ROOT / name, folder / name, ignore=rest)
    return folder


def update(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(project / "scripts" / "update-messages")]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def entries_of(written: Path) -> list[str]:
    """Return the entries in one order and without their places, which each Django lists in its own."""
    lines = written.read_text(encoding="utf-8").strip().splitlines(keepends=True)
    return sorted("".join(line for line in lines if not line.startswith("#:")).split("\n\n"))


def words_of(compiled: Path) -> dict[object, str]:
    with compiled.open("rb") as file:
        return dict(vars(gettext.GNUTranslations(file))["_catalog"])


def test_every_catalogue_is_up_to_date_compiled_and_whole(tmp_path: Path) -> None:
    project = copy_to(tmp_path)
    finished = update(project)
    assert (finished.returncode, finished.stdout) == (0, "Every text is translated.\n"), finished.stderr
    for name in FILES:
        written, shipped = (ROOT / f"{name}.po"), (ROOT / f"{name}.mo")
        assert entries_of(written) == entries_of(project / f"{name}.po"), f"{name}: run update-messages"
        assert words_of(shipped) == words_of(project / f"{name}.mo"), f"{name}: run update-messages"
