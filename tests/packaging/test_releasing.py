"""What a release adds to the checkout, what keeps it from being made, and the workflows of the forge."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import wallet_gateway
from tests.packaging.wheel import ROOT

REPOSITORY = "https://forge.example/owner/django-wallet-gateway"
TAG = f"v{wallet_gateway.__version__}"
RELATIVE_LINK = re.compile(r"\]\((?!https?://|#)[^)]+\)")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in (
        "README.md",
        "pyproject.toml",
        "CHANGELOG.md",
        "wallet_gateway/__init__.py",
        "scripts/prepare-release",
        "wallet_gateway/documentation.py",
        "wallet_gateway/contrib/prometheus/alerts.yml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def prepare(checkout: Path, tag: str = TAG, repository: str = REPOSITORY) -> str:
    command = [sys.executable, str(checkout / "scripts" / "prepare-release"), tag, repository]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def workflow(name: str) -> dict[str, Any]:
    text = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def test_every_link_and_picture_of_the_released_readme_works_on_a_package_index(checkout: Path) -> None:
    before = RELATIVE_LINK.findall((checkout / "README.md").read_text(encoding="utf-8"))

    assert prepare(checkout) == ""

    readme = (checkout / "README.md").read_text(encoding="utf-8")
    assert before
    assert not RELATIVE_LINK.findall(readme)
    assert f"]({REPOSITORY}/raw/{TAG}/docs/images/journey.png)" in readme
    assert f"]({REPOSITORY}/blob/{TAG}/docs/tutorial.md)" in readme


def test_the_released_metadata_have_the_addresses_of_the_repository(checkout: Path) -> None:
    prepare(checkout)

    before = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    after = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    urls = after["project"].pop("urls")
    assert after == before
    assert {"Homepage", "Documentation", "Changelog", "Issues", "Security", "Source"} == set(urls)
    assert all(address.startswith(REPOSITORY) for address in urls.values())


def test_messages_and_alerts_of_a_release_name_the_pages_of_its_tag(checkout: Path) -> None:
    prepare(checkout)

    pages = f"{REPOSITORY}/blob/{TAG}/docs/"
    scope: dict[str, Any] = {
        "__file__": str(checkout / "wallet_gateway" / "documentation.py"),
        "__name__": "d",
    }
    exec(Path(scope["__file__"]).read_text(encoding="utf-8"), scope)
    assert (
        scope["address_of"]("reference/errors", "nothing_sent") == f"{pages}reference/errors.md#nothing_sent"
    )
    alerts = (checkout / "wallet_gateway/contrib/prometheus/alerts.yml").read_text(encoding="utf-8")
    runbooks = re.findall(r"runbook: (\S+)", alerts)
    assert len(runbooks) > 20
    assert all(address.startswith(f"{pages}runbook.md#") for address in runbooks)


@pytest.mark.parametrize(
    ("tag", "repository", "told"),
    [
        ("v9.9.9", REPOSITORY, "the tag is v9.9.9"),
        (TAG, "github.com/owner/name", "no address of a repository"),
    ],
)
def test_a_release_that_contradicts_itself_is_refused_and_changes_nothing(
    checkout: Path, tag: str, repository: str, told: str
) -> None:
    assert told in prepare(checkout, tag, repository)
    for name in ("README.md", "pyproject.toml", "wallet_gateway/documentation.py"):
        assert (checkout / name).read_bytes() == (ROOT / name).read_bytes()


def test_a_version_without_a_section_in_the_changelog_is_refused(checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text("# Changelog\n", encoding="utf-8")
    assert f"CHANGELOG.md has no section [{wallet_gateway.__version__}]" in prepare(checkout)


@pytest.mark.parametrize("name", ["tests.yml", "release.yml"])
def test_a_workflow_runs_only_what_is_there(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    steps = [step for job in workflow(name)["jobs"].values() for step in job["steps"]]
    commands = "\n".join(step["run"] for step in steps if "run" in step)
    jobs = re.findall(r"\bmake ([\w-]+)", commands)
    scripts = re.findall(r"(?:^|\s)((?:scripts|\.ci)/[\w-]+)", commands)
    assert jobs
    assert [job for job in jobs if not re.search(rf"^{job}:", makefile, re.MULTILINE)] == []
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


def test_the_matrix_tries_every_version_that_the_metadata_promise() -> None:
    matrix = workflow("tests.yml")["jobs"]["versions"]["strategy"]["matrix"]
    listed = "\n".join(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"])
    assert set(re.findall(r"Python :: (3\.\d+)$", listed, re.MULTILINE)) <= set(matrix["python"])
    assert set(re.findall(r"Django :: (\d\.\d)$", listed, re.MULTILINE)) == set(matrix["django"])


def test_no_workflow_may_write_to_the_repository() -> None:
    for name in ("tests.yml", "release.yml"):
        read = workflow(name)
        assert read["permissions"] == {"contents": "read"}
        for job in read["jobs"].values():
            assert job.get("permissions", {}).get("contents", "read") == "read"
