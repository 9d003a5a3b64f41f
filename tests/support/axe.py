"""axe-core, the accessibility checks, in an open page. It comes with the JavaScript tests' packages.

What axe could not decide ("incomplete") counts as well. Contrast that it could not see is computed from the
colours below the text; everything else is a fault unless `DECIDED` says why it is not one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.architecture.sources import ROOT
from tests.support.contrast import RATIOS
from tests.support.exhaustive import SCHEMES, WIDTHS

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

SCRIPT = ROOT / "tests" / "js" / "node_modules" / "axe-core" / "axe.min.js"
# What axe asks a person to look at, which somebody has: rule, elements, and what was seen.
DECIDED: Final = (
    (
        "label-content-name-mismatch",
        ".remove",
        "the text is a cross, which nobody says; the name says more",
    ),
    (
        "th-has-data-cells",
        "#nav-sidebar table",
        "Django's list of models has row headings only, links in them",
    ),
)
RUN = (
    """
async ({exclude, decided, only}) => {
  const RATIOS = """
    + RATIOS
    + """
  // A colour on its way to another one is neither.
  const ending = ({effect}) => effect.getComputedTiming().endTime < Infinity
  document.getAnimations().filter(ending).forEach((animation) => animation.finish())
  // What passed need not be told element by element.
  const options = {resultTypes: ["violations", "incomplete"], ...(only.length && {runOnly: only})}
  const {violations, incomplete} = await axe.run({include: [["html"]], exclude}, options)
  const told = ({id, nodes}) => nodes.map(({target, failureSummary}) => `${id} ${target} ${failureSummary}`)
  const element = ({target}) => target.length === 1 ? document.querySelector(target[0]) : null
  const isDecided = (id, node) =>
    decided.some(([rule, selector]) => rule === id && element(node)?.matches(selector))
  const isSeen = (node) => {
    const wanted = parseFloat(node.any[0]?.data?.expectedContrastRatio ?? 4.5)
    return element(node) !== null && RATIOS(element(node)).every((ratio) => ratio >= wanted)
  }
  const open = incomplete.map(({id, nodes}) => ({
    id: `undecided: ${id}`,
    nodes: nodes.filter((node) => !(isDecided(id, node) || (id === "color-contrast" && isSeen(node)))),
  }))
  return [...violations, ...open].flatMap(told)
}
"""
)


def violations(page: Page | Frame, *, without: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> list[str]:
    """What axe finds in a page as it is now: the rule, the element, and what would be right.

    `without` names what is not the page's own: the frames of another, which cannot be looked into from here.
    `only` names the rules that are of interest, if not all are.
    """
    if not SCRIPT.exists():
        pytest.skip("axe-core is not installed: run npm ci in tests/js")
    if page.evaluate("!window.axe"):
        page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    decided = [[rule, elements] for rule, elements, _ in DECIDED]
    exclude = [[selector] for selector in without]
    found: list[str] = page.evaluate(RUN, {"exclude": exclude, "decided": decided, "only": only})
    return found


def violations_in_the_dark(page: Page, *, without: tuple[str, ...] = ()) -> list[str]:
    """What axe finds in the dark colours of a page that is otherwise looked at in the light ones."""
    page.emulate_media(color_scheme="dark")
    found = violations(page, without=without, only=("color-contrast",))
    page.emulate_media(color_scheme="light")
    return [f"in the dark: {fault}" for fault in found]


def violations_in_every_look(
    page: Page, *, frame: Frame | None = None, without: tuple[str, ...] = ()
) -> list[str]:
    """What axe finds in a page in light and in dark, at every width; the page stays in the last look.

    `frame` is the part of the page to be looked at, if it is not the page itself.
    """
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            faults = violations(frame or page, without=without)
            found += [f"{scheme}, {width} px: {fault}" for fault in faults]
    return found
