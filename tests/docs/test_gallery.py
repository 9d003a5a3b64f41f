"""The gallery shows every picture once, with words for those who do not see it, and stays small."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

TEXT = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"!\[([^\]]+)\]\((images/gallery/[\w-]+\.webp)\)", TEXT)
PICTURES = sorted((ROOT / "docs" / "images" / "gallery").iterdir())
MAX_BYTES = 2_000_000


def test_every_picture_is_shown_once_and_every_one_shown_is_there() -> None:
    there = [picture.relative_to(ROOT / "docs").as_posix() for picture in PICTURES]
    assert sorted(path for _, path in SHOWN) == there
    assert len({words for words, _ in SHOWN}) == len(SHOWN) > 30


def test_the_pictures_are_small() -> None:
    assert sum(picture.stat().st_size for picture in PICTURES) < MAX_BYTES
