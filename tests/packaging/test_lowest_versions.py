"""The script behind `make test-lowest` names one version of each package that comes with the plugin."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.docs.pages import ROOT


def test_each_package_is_named_once_with_its_lowest_version() -> None:
    script = ROOT / "scripts" / "lowest-versions"
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    versions = dict(re.findall(r"^([a-z0-9-]+)==([\d.]+)$", printed, flags=re.MULTILINE))
    assert len(versions) == len(printed.splitlines())
    project = (ROOT / "pyproject.toml").read_text("utf-8").split("[dependency-groups]")[0]
    required = re.findall(r'"([a-z0-9-]+)>=([\d.]+)', project.split("\ndependencies = ")[1])
    assert versions == dict(required)
