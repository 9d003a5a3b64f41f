"""What a page looks like in a real browser: what spills over, what is too faint, what the browser says."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

from tests.support.contrast import RATIOS
from tests.support.exhaustive import SCHEMES, WIDTHS

CONTRAST: Final = (
    "() => { const RATIOS = "
    + RATIOS
    + """
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const box = element.getBoundingClientRect();
    if (!text || box.width < 2 || box.bottom < 0) continue;
    for (const ratio of RATIOS(element)) {
      if (ratio < 4.5) faint.push(`${text.slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
  }
  return faint;
}
"""
)
SPILL: Final = """
() => [...document.querySelectorAll("body *")]
  .filter((e) => !e.closest(".skip, .visually-hidden, thead, svg"))
  .map((e) => [e, e.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.right > innerWidth + 1 || box.left < -1))
  .map(([e]) => `${e.tagName}.${e.className}`)
"""

complaints: dict[Page, list[str]] = {}
"""What each page's browser had to say: errors of scripts, and what the policy forbade."""


def spills(page: Page) -> dict[int, list[str]]:
    """What stands out over the edge of the screen, by the width of the screen."""
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        if over := page.evaluate(SPILL):
            found[width] = over
    return found


def faint(page: Page) -> dict[str, list[str]]:
    """What is too faint to be read, in light and in dark."""
    found: dict[str, list[str]] = {}
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        if texts := page.evaluate(CONTRAST):
            found[scheme] = texts
    return found
