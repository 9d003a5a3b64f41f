"""The wheel holds the package with everything it needs at run time, and nothing of the checkout beside it."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

import wallet_gateway
from tests.packaging.wheel import ROOT, build_wheel

if TYPE_CHECKING:
    from pathlib import Path

STATIC = ROOT / "wallet_gateway" / "static" / "wallet_gateway"
NEEDED = """
wallet_gateway/py.typed
wallet_gateway/migrations/0001_*.py
wallet_gateway/sandbox/migrations/0001_*.py
wallet_gateway/docs/reference/errors.md
wallet_gateway/docs/how-to/monitoring.md
wallet_gateway/docs/runbook.md
*.dist-info/licenses/LICENSE
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_every_file_of_the_package_what_it_needs_and_nothing_beside_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {PurePosixPath(name).parts[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"wallet_gateway"}
    unshipped = {"__pycache__", ".mypy_cache"}
    files = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "wallet_gateway").rglob("*")
        if path.is_file() and not unshipped & set(path.parts) and path.suffix != ".pyc"
    }
    assert files - set(names) == set()
    for pattern in NEEDED.split():
        assert [name for name in names if PurePosixPath(name).match(pattern)], pattern


def test_the_metadata_demands_what_pyproject_lists_and_no_more(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    always = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", archive.read(name).decode(), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(always) == {re.split(r"[<>=!~]", wanted)[0] for wanted in project["dependencies"]}
    points = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert "[pytest11]\nwallet_gateway.testing.plugin = wallet_gateway.testing.plugin" in points


def test_the_npm_package_is_of_the_same_release_and_every_file_it_names_is_there() -> None:
    package = json.loads((STATIC / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == wallet_gateway.__version__
    # The script tells the wallet's maker.
    assert f'version: "{wallet_gateway.__version__}"' in (STATIC / "wallet" / "run.js").read_text()
    named = [*package["files"], package["types"]]
    for export in package["exports"].values():
        named += export.values() if isinstance(export, dict) else [export]
    assert not [name for name in named if not list(STATIC.glob(name.removeprefix("./")))]
    assert not {"dependencies", "peerDependencies", "scripts"} & set(package)
