"""The source archive holds what the wheel is built from, and nothing that a job has made or fetched."""

from __future__ import annotations

from hatchling.builders.sdist import SdistBuilder

from tests.packaging.wheel import ROOT

MADE = {"node_modules", "_build", "dist", "__pycache__", ".venv"}
MAX_BYTES = 12_000_000
"""Unpacked: the sources, and the documentation with its pictures, which are 2 MB at most."""


def test_sources_and_documentation_are_in_it_and_it_stays_small() -> None:
    files = [file.relative_path for file in SdistBuilder(str(ROOT)).recurse_included_files()]
    assert {"wallet_gateway/__init__.py", "docs/images/journey.png", "docs/how-to/conformance.md"} <= set(
        files
    )
    tops = {"wallet_gateway", "docs", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "pyproject.toml"}
    assert {name.partition("/")[0] for name in files} <= {*tops, ".gitignore", "PKG-INFO"}
    assert {part for name in files for part in name.split("/") if part in MADE} == set()
    assert sum((ROOT / name).stat().st_size for name in files) < MAX_BYTES


def test_a_folder_that_a_job_would_make_is_left_out_by_name() -> None:
    assert SdistBuilder(str(ROOT)).config.path_is_excluded("docs/_build/html/index.html")
