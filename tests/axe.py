"""axe-core, the accessibility checks, in an open page. It comes with the JavaScript tests' packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.architecture.sources import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

SCRIPT = ROOT / "tests" / "js" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """
async (exclude) => {
  // A colour on its way to another one is neither.
  const ending = ({effect}) => effect.getComputedTiming().endTime < Infinity
  document.getAnimations().filter(ending).forEach((animation) => animation.finish())
  // What passed need not be told element by element.
  const resultTypes = ["violations", "incomplete"]
  const {violations, incomplete} = await axe.run({include: [["html"]], exclude}, {resultTypes})
  // axe leaves these to a person because nothing may refer to the id; no page of ours needs one twice.
  const doubled = incomplete.filter(({id}) => id === "duplicate-id-aria")
  return [...violations, ...doubled].flatMap(({id, nodes}) =>
    nodes.map(({target, failureSummary}) => `${id} ${target} ${failureSummary}`))
}
"""


def violations(page: Page | Frame, *, without: tuple[str, ...] = ()) -> list[str]:
    """What axe finds in a page as it is now: the rule, the element, and what would be right.

    `without` names what is not the page's own: the frames of another, which cannot be looked into from here.
    """
    if not SCRIPT.exists():
        pytest.skip("axe-core is not installed: run npm ci in tests/js")
    if page.evaluate("!window.axe"):
        page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RUN, [[selector] for selector in without])
    return found
