"""The stylesheets keep what they promise: contrast, both writing directions, nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tables import every

STATIC = Path(__file__).resolve().parent.parent.parent / "wallet_gateway" / "static" / "wallet_gateway"
PAGES = (STATIC / "pages.css").read_text(encoding="utf-8")
BUTTON = (STATIC / "button.css").read_text(encoding="utf-8")
SHEETS = pytest.mark.parametrize("sheet", [PAGES, BUTTON], ids=["pages", "button"])

_LIGHT_ONLY = re.compile(r"--wallet-([a-z-]+): (#[0-9a-f]{6});")
_BOTH = re.compile(r"--wallet-([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
LIGHT = dict(_LIGHT_ONLY.findall(PAGES))
DARK = {name: dark for name, _, dark in _BOTH.findall(PAGES)}

# What stands on what. Text needs 4.5 to 1, a line that shows where a control is needs 3 to 1.
READ = [
    ("text", "surface"),
    ("muted", "surface"),
    ("accent", "surface"),
    ("on-accent", "accent"),
    ("text", "page"),
    ("good", "good-tint"),
    ("wait", "wait-tint"),
    ("bad", "bad-tint"),
    ("calm", "calm-tint"),
]


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@every(("ink", "ground"), READ)
@every("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_read_can_be_read(colours: dict[str, str], ink: str, ground: str) -> None:
    assert _contrast(colours[ink], colours[ground]) >= 4.5


def test_the_button_alone_has_the_colours_it_has_beside_the_pages() -> None:
    fallbacks = re.findall(r"var\(--wallet-(accent|on-accent), (#[0-9a-f]{6})\)", BUTTON)
    assert dict(fallbacks) == {name: LIGHT[name] for name in ("accent", "on-accent")}


def test_a_shops_own_properties_win_wherever_its_sheet_is_linked() -> None:
    declared = re.findall(r"([^{}]+)\{[^{}]*--wallet-accent:", PAGES)
    assert len(declared) == 2
    assert all(":where(:root)" in selector for selector in declared)


@SHEETS
def test_no_rule_knows_left_from_right(sheet: str) -> None:
    sides = r"\b(?:margin|padding|border|inset)-(?:left|right)\b|\b(?:left|right)\s*:"
    assert not re.search(sides + r"|text-align:\s*(?:left|right)", sheet)


@SHEETS
def test_nothing_is_loaded_from_anywhere(sheet: str) -> None:
    assert "url(" not in sheet
    assert "@import" not in sheet


def test_what_moves_stands_still_for_those_who_ask_for_it() -> None:
    assert "prefers-reduced-motion: reduce" in PAGES
    assert PAGES.count("animation:") == PAGES.count("animation: none") + 1


@SHEETS
def test_the_keyboard_is_shown_where_it_is(sheet: str) -> None:
    assert ":focus-visible" in sheet
    assert "outline: none" not in sheet
