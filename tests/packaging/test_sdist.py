"""The source archive holds what is written by hand, and nothing that a job has made or fetched."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hatchling.builders.sdist import SdistBuilder

from tests.packaging.wheel import ROOT

MAX_BYTES = 20_000_000
"""Unpacked: the sources, their tests, and the pictures of the documentation, which are 2 MB at most."""


@pytest.fixture(scope="module")
def included() -> list[PurePosixPath]:
    files = SdistBuilder(str(ROOT)).recurse_included_files()
    return [PurePosixPath(file.relative_path) for file in files]


def test_a_folder_that_a_job_would_make_is_left_out_by_name() -> None:
    builder = SdistBuilder(str(ROOT))
    made = ("tests/js/node_modules/react/index.js", "docs/_build/html/index.html")
    assert [path for path in made if not builder.config.path_is_excluded(path)] == []


def test_sources_tests_and_pictures_are_in_it_and_it_stays_small(included: list[PurePosixPath]) -> None:
    names = set(map(str, included))
    assert {"wallet_gateway/__init__.py", "docs/images/journey.png", "tests/js/package.json"} <= names
    assert sum((ROOT / path).stat().st_size for path in included) < MAX_BYTES
