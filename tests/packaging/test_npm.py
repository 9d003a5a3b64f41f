"""The npm package in the folder of the static files: of the Python package's release and licence."""

from __future__ import annotations

import json
from typing import Any

import pytest

import wallet_gateway
from tests.packaging.wheel import ROOT

FOLDER = ROOT / "wallet_gateway" / "static" / "wallet_gateway"


@pytest.fixture
def package() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    return read


def test_it_is_the_release_of_the_python_package(package: dict[str, Any]) -> None:
    assert package["version"] == wallet_gateway.__version__
    # The script tells the wallet's maker.
    assert f'version: "{wallet_gateway.__version__}"' in (FOLDER / "wallet" / "run.js").read_text()


def test_every_file_it_names_is_there_and_it_needs_no_other_package(package: dict[str, Any]) -> None:
    named = [*package["files"], package["types"]]
    for export in package["exports"].values():
        named += export.values() if isinstance(export, dict) else [export]
    assert not [name for name in named if not list(FOLDER.glob(name.removeprefix("./")))]
    assert not {"dependencies", "peerDependencies", "scripts"} & set(package)
