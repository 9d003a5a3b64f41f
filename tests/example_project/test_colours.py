"""Every colour of the shop's text stands out from the grounds it is used on, by day and by night."""

from __future__ import annotations

import re
from pathlib import Path

from django.contrib.staticfiles import finders

from tests.tables import every

# WCAG 2.2, level AA, text of ordinary size.
ENOUGH = 4.5
TEXT_ON_GROUND = [
    *[("--ink", ground) for ground in ("--paper", "--surface", "--sunken", "--raised", "--plain-tint")],
    *[("--muted", ground) for ground in ("--paper", "--surface", "--sunken", "--plain-tint")],
    *[("--clay", ground) for ground in ("--paper", "--surface", "--sunken", "--moss-tint", "--amber-tint")],
    *[("--clay-deep", ground) for ground in ("--paper", "--surface")],
    *[("--on-clay", ground) for ground in ("--clay", "--clay-deep")],
    *[("--moss", ground) for ground in ("--moss-tint", "--paper", "--surface")],
    *[("--amber", ground) for ground in ("--amber-tint", "--surface", "--paper")],
    *[("--rust", ground) for ground in ("--rust-tint", "--paper", "--surface")],
    *[("--ink", ground) for ground in ("--moss-tint", "--amber-tint", "--rust-tint")],
    ("--paper", "--ink"),
]
Palette = dict[str, str]


def palettes() -> dict[str, Palette]:
    found = finders.find("shop/shop.css")
    assert isinstance(found, str)
    head = Path(found).read_text(encoding="utf-8").partition("/* --- ground")[0]
    day, _, night = head.partition("prefers-color-scheme: dark")
    colour = re.compile(r"(--[a-z-]+): (#[0-9a-f]{6});")
    light = dict(colour.findall(day))
    return {"day": light, "night": light | dict(colour.findall(night))}


def luminance(colour: str) -> float:
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@every("light", ["day", "night"])
@every(("text", "ground"), TEXT_ON_GROUND)
def test_text_stands_out_from_its_ground(light: str, text: str, ground: str) -> None:
    palette = palettes()[light]

    assert contrast(palette[text], palette[ground]) >= ENOUGH
