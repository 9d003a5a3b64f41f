"""What a release adds to the checkout, and what keeps it from being made."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import wallet_gateway
from tests.packaging.wheel import ROOT

REPOSITORY = "https://forge.example/owner/django-wallet-gateway"
TAG = f"v{wallet_gateway.__version__}"
RELATIVE_LINK = re.compile(r"\]\((?!https?://|#)[^)]+\)")
CHANGED = (
    "README.md",
    "pyproject.toml",
    "wallet_gateway/documentation.py",
    "wallet_gateway/contrib/prometheus/alerts.yml",
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in (*CHANGED, "CHANGELOG.md", "wallet_gateway/__init__.py", "scripts/prepare-release"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def prepare(checkout: Path, tag: str = TAG, repository: str = REPOSITORY) -> str:
    command = [sys.executable, str(checkout / "scripts" / "prepare-release"), tag, repository]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_links_metadata_messages_and_alerts_of_a_release_name_the_pages_of_its_tag(checkout: Path) -> None:
    assert prepare(checkout) == ""

    texts = {name: (checkout / name).read_text(encoding="utf-8") for name in CHANGED}
    pages = f"{REPOSITORY}/blob/{TAG}/docs/"
    # Those of the README work on a package index.
    assert not RELATIVE_LINK.findall(texts["README.md"])
    assert f"]({REPOSITORY}/raw/{TAG}/docs/images/journey.png)" in texts["README.md"]
    assert f"]({pages}tutorial.md)" in texts["README.md"]

    before = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    after = tomllib.loads(texts["pyproject.toml"])
    urls = after["project"].pop("urls")
    assert after == before
    assert {"Homepage", "Documentation", "Changelog", "Issues", "Security", "Source"} == set(urls)
    assert all(address.startswith(REPOSITORY) for address in urls.values())

    address_of = runpy.run_path(str(checkout / "wallet_gateway/documentation.py"))["address_of"]
    assert address_of("reference/errors", "nothing_sent") == f"{pages}reference/errors.md#nothing_sent"
    runbooks = re.findall(r"runbook: (\S+)", texts["wallet_gateway/contrib/prometheus/alerts.yml"])
    assert len(runbooks) > 20
    assert all(address.startswith(f"{pages}runbook.md#") for address in runbooks)


@pytest.mark.parametrize(
    ("tag", "repository", "changelog", "told"),
    [
        ("v9.9.9", REPOSITORY, "", "the tag is v9.9.9"),
        (TAG, "github.com/owner/name", "", "no address of a repository"),
        (TAG, REPOSITORY, "# Changelog\n", f"CHANGELOG.md has no section [{wallet_gateway.__version__}]"),
    ],
)
def test_a_release_that_contradicts_itself_is_refused_and_changes_nothing(
    checkout: Path, tag: str, repository: str, changelog: str, told: str
) -> None:
    if changelog:
        (checkout / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    assert told in prepare(checkout, tag, repository)
    for name in CHANGED:
        assert (checkout / name).read_bytes() == (ROOT / name).read_bytes()


def test_a_vulnerability_fails_and_names_its_remedy() -> None:
    audit = runpy.run_path(str(ROOT / "scripts" / "audit"))
    unknown: dict[str, Any] = {"name": "our-own", "skip_reason": "Dependency not found on PyPI"}
    fault = {"id": "PYSEC-1", "fix_versions": ["5.2.2"]}
    report = {"dependencies": [{"name": "django", "version": "5.2.1", "vulns": [fault]}, unknown]}
    code, lines = audit["verdict"](report)
    assert (code, lines[0]) == (1, "django 5.2.1: PYSEC-1, mended in 5.2.2")
    for nothing in ({"dependencies": [unknown]}, {}):
        code, lines = audit["verdict"](nothing)
        assert code == 0
        assert "NOT CHECKED" in lines[0]


KNOWN_TO_BE_UNSAFE = {"django": "5.2 5.2.5 5.2.7", "urllib3": "2.2.3 2.5.0", "requests": "2.32.3"}


def test_no_release_with_a_known_advisory_is_admitted() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {one.name: one.specifier for one in map(Requirement, project["dependencies"])}
    for name, versions in KNOWN_TO_BE_UNSAFE.items():
        assert [version for version in versions.split() if version in wanted[name]] == []
