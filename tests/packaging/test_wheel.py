"""The wheel holds the package with everything it needs at run time, and nothing of the checkout beside it."""

from __future__ import annotations

import re
import tomllib
import zipfile
from configparser import ConfigParser
from email.parser import Parser
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from tests.packaging.wheel import ROOT, build_wheel

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


@pytest.fixture(scope="module")
def metadata(wheel: Path, names: list[str]) -> Message:
    [name] = [name for name in names if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(zipfile.ZipFile(wheel).read(name).decode())


def test_the_wheel_holds_the_package_and_nothing_beside_it(names: list[str]) -> None:
    tops = {PurePosixPath(name).parts[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"wallet_gateway"}


def test_every_file_of_the_package_is_shipped(names: list[str]) -> None:
    unshipped = {"__pycache__", ".mypy_cache"}
    files = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "wallet_gateway").rglob("*")
        if path.is_file() and not unshipped & set(path.parts) and path.suffix != ".pyc"
    }
    assert files - set(names) == set()


@pytest.mark.parametrize(
    "pattern",
    [
        "wallet_gateway/py.typed",
        "wallet_gateway/migrations/0001_*.py",
        "wallet_gateway/sandbox/migrations/0001_*.py",
        "wallet_gateway/sandbox/__main__.py",
        "wallet_gateway/conformance/__main__.py",
        "wallet_gateway/api/openapi.json",
        "wallet_gateway/conformance/schemas/checkout_request.json",
        "wallet_gateway/sandbox/openapi.json",
        "wallet_gateway/conformance/examples/checkout_request.json",
        "wallet_gateway/sandbox/templates/**/*.html",
        "wallet_gateway/testing/plugin.py",
        "wallet_gateway/templates/wallet_gateway/*.html",
        "wallet_gateway/static/wallet_gateway/*.js",
        "wallet_gateway/static/wallet_gateway/*.css",
        "wallet_gateway/static/wallet_gateway/*.d.ts",
        "wallet_gateway/static/wallet_gateway/package.json",
        "wallet_gateway/locale/de/LC_MESSAGES/django.mo",
        "wallet_gateway/locale/fr/LC_MESSAGES/django.mo",
        "wallet_gateway/locale/es/LC_MESSAGES/django.mo",
        "wallet_gateway/locale/ar/LC_MESSAGES/django.mo",
        "wallet_gateway/docs/reference/errors.md",
        "wallet_gateway/docs/reference/checks.md",
        "wallet_gateway/docs/how-to/monitoring.md",
        "wallet_gateway/docs/runbook.md",
        "*.dist-info/licenses/LICENSE",
    ],
)
def test_what_is_needed_at_run_time_is_there(names: list[str], pattern: str) -> None:
    assert [name for name in names if PurePosixPath(name).match(pattern)]


def test_the_metadata_demands_what_pyproject_lists_and_no_more(metadata: Message) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    always = [value for value in metadata.get_all("Requires-Dist", []) if "extra ==" not in value]
    demanded, wanted = (
        {re.split(r"[<>=!~]", requirement)[0] for requirement in listed}
        for listed in (always, project["dependencies"])
    )
    assert demanded == wanted


def test_pytest_finds_the_fixtures_by_the_name_of_their_module(wheel: Path, names: list[str]) -> None:
    [name] = [name for name in names if name.endswith(".dist-info/entry_points.txt")]
    points = ConfigParser(delimiters=("=",))
    points.read_string(zipfile.ZipFile(wheel).read(name).decode())
    assert dict(points["pytest11"]) == {"wallet_gateway.testing.plugin": "wallet_gateway.testing.plugin"}
