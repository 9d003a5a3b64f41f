"""axe-core, the accessibility checks, in an open page. It comes with the JavaScript tests' packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.architecture.sources import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

SCRIPT = ROOT / "tests" / "js" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """
async () => (await axe.run()).violations.flatMap(({id, nodes}) =>
  nodes.map(({target, failureSummary}) => `${id} ${target} ${failureSummary}`))
"""


def violations(page: Page | Frame) -> list[str]:
    """What axe finds in a page as it is now: the rule, the element, and what would be right."""
    if not SCRIPT.exists():
        pytest.skip("axe-core is not installed: run npm ci in tests/js")
    page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RUN)
    return found
