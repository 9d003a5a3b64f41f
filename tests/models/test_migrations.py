"""Until the first release each app has one migration, made anew: nobody has rows of an earlier one."""

from __future__ import annotations

from pathlib import Path

import pytest

import wallet_gateway
from tests.architecture.sources import ROOT

FOLDERS = [
    "wallet_gateway/migrations",
    "wallet_gateway/sandbox/migrations",
    "example_project/shop/migrations",
]


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_app_has_one_migration_until_the_first_release(folder: str) -> None:
    assert wallet_gateway.__version__ == "0.1.0"
    names = [path.name for path in sorted(Path(ROOT, folder).glob("[0-9]*.py"))]
    assert names == ["0001_initial.py"]
