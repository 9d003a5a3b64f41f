"""`scripts/audit` fails for a known vulnerability, and for nothing else."""

from __future__ import annotations

import runpy
from typing import Any

from tests.architecture.sources import ROOT

audit = runpy.run_path(str(ROOT / "scripts" / "audit"))
PACKAGES: list[dict[str, Any]] = [{"name": "django", "version": "5.2.1", "vulns": []}]
UNKNOWN = {"name": "our-own", "skip_reason": "Dependency not found on PyPI"}
FAULT = {"id": "PYSEC-1", "fix_versions": ["5.2.2"]}


def test_a_vulnerability_fails_and_names_its_remedy() -> None:
    report = {"dependencies": [PACKAGES[0] | {"vulns": [FAULT]}, UNKNOWN]}
    code, lines = audit["verdict"](report)
    assert code == 1
    assert lines[0] == "django 5.2.1: PYSEC-1, mended in 5.2.2"
    assert lines[1] == "1 packages checked, not our-own."


def test_a_mirror_without_advisories_is_not_taken_for_an_all_clear() -> None:
    code, lines = audit["verdict"]({"dependencies": [UNKNOWN]})
    assert code == 0
    assert "NOT CHECKED" in lines[0]


def test_without_a_network_nothing_is_checked_and_nothing_fails() -> None:
    assert audit["ask"](["false"]) == {}
    assert audit["ask"](["/no/such/program"]) == {}
    code, lines = audit["verdict"]({})
    assert code == 0
    assert "NOT CHECKED" in lines[0]
