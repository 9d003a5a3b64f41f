"""What a page looks like in a real browser: what spills over, what is too faint, what the browser says."""

from __future__ import annotations

import itertools
from typing import Final, Literal

from playwright.sync_api import Page

from wallet_gateway.sandbox.pages.localization import LANGUAGES

CONTRAST: Final = """
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const GRADIENT = /rgba?\\([^)]*\\)/g;
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const luminance = (c) => {
    const [r, g, b] = c.map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = (element) => {
    if (!element) return [[255, 255, 255, 1]];
    const style = getComputedStyle(element);
    const below = grounds(element.parentElement);
    const colour = rgba(style.backgroundColor);
    const plain = colour[3] ? below.map((ground) => over(colour, ground)) : below;
    const stops = style.backgroundImage.match(GRADIENT) || [];
    return stops.length ? stops.flatMap((s) => plain.map((ground) => over(rgba(s), ground))) : plain;
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const box = element.getBoundingClientRect();
    if (!text || box.width < 2 || box.bottom < 0) continue;
    const style = getComputedStyle(element);
    for (const ground of grounds(element)) {
      const pair = [luminance(over(rgba(style.color), ground)), luminance(ground)];
      const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
      if (ratio < 4.5) faint.push(`${text.slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
  }
  return faint;
}
"""
SPILL: Final = """
() => [...document.querySelectorAll("body *")]
  .filter((e) => !e.closest(".skip, .visually-hidden, thead, svg"))
  .map((e) => [e, e.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.right > innerWidth + 1 || box.left < -1))
  .map(([e]) => `${e.tagName}.${e.className}`)
"""

SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
BY_TURNS: Final = tuple(zip(LANGUAGES, itertools.cycle(SCHEMES), strict=False))
"""Every language, by turns in light and in dark: no colour depends on the language."""

complaints: dict[Page, list[str]] = {}
"""What each page's browser had to say: errors of scripts, and what the policy forbade."""


def spills(page: Page) -> dict[int, list[str]]:
    """What stands out over the edge of the screen, by the width of the screen."""
    found = {}
    for width in (320, 390, 1280):
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
