"""The catalogues of all pages: they are as `make messages` writes them, and no text waits for its words."""

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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what has texts, so that the script may write into it."""
    rest = shutil.ignore_patterns("__pycache__", "*.sqlite3*", "static", "data")
    for name in ("wallet_gateway", "example_project", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=rest)
    return tmp_path


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


def test_every_catalogue_is_up_to_date_compiled_and_whole(project: Path) -> None:
    finished = update(project)
    assert (finished.returncode, finished.stdout) == (0, "Every text is translated.\n"), finished.stderr
    for name in FILES:
        written, shipped = (ROOT / f"{name}.po"), (ROOT / f"{name}.mo")
        assert entries_of(written) == entries_of(project / f"{name}.po"), f"{name}: run make messages"
        assert words_of(shipped) == words_of(project / f"{name}.mo"), f"{name}: run make messages"


def test_a_text_that_nobody_has_translated_is_named_for_each_language(project: Path) -> None:
    places = [
        ("wallet_gateway/templates/wallet_gateway/paid.html", "wallet_gateway/locale"),
        ("wallet_gateway/sandbox/templates/wallet_sandbox/checkout.html", "wallet_gateway/sandbox/locale"),
        ("example_project/shop/templates/shop/cart.html", "example_project/shop/locale"),
        ("example_project/templates/404.html", "example_project/shop/locale"),
    ]
    for number, (source, _) in enumerate(places):
        with (project / source).open("a", encoding="utf-8") as file:
            file.write(f'{{% load i18n %}}{{% translate "{number} herons stand on one leg" %}}\n')
    finished = update(project)
    named = [
        f'  {folder}/{language}/LC_MESSAGES/django.po: "{number} herons stand on one leg"'
        for number, (_, folder) in enumerate(places)
        for language in LANGUAGES
    ]
    assert finished.returncode == 1
    assert finished.stdout.startswith("To be translated:\n")
    assert sorted(finished.stdout.splitlines()[1:]) == sorted(named)


def test_a_translation_whose_english_has_changed_waits_for_a_person(project: Path) -> None:
    page = project / "wallet_gateway/templates/wallet_gateway/paid.html"
    changed = page.read_text(encoding="utf-8").replace(
        "Your payment went through", "Your payment came through"
    )
    page.write_text(changed, encoding="utf-8")
    finished = update(project)
    assert finished.returncode == 1
    assert finished.stdout.count("Your payment came through") == len(LANGUAGES)
    german = (project / "wallet_gateway/locale/de/LC_MESSAGES/django.po").read_text(encoding="utf-8")
    assert "#, fuzzy" in german


def test_a_second_run_changes_nothing(project: Path) -> None:
    update(project)
    first = [(project / f"{name}.po").read_text(encoding="utf-8") for name in FILES]
    update(project)
    assert first == [(project / f"{name}.po").read_text(encoding="utf-8") for name in FILES]
