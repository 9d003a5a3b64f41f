"""The findings that docs/security.md calls closed name tests that there are."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT


def test_each_test_that_closes_a_finding_exists() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert named
    assert [name for name in sorted(named) if f"def {name}(" not in sources] == []
