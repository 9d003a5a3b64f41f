"""The gallery shows every picture once, with words for those who do not see it, and stays small."""

from __future__ import annotations

import re

from tests.docs.pages import PAGES, ROOT

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


def test_each_picture_of_another_page_is_one_of_the_gallery_and_is_described() -> None:
    found = [
        (page, words, (ROOT / page).parent / path)
        for page in PAGES
        for words, path in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", (ROOT / page).read_text(encoding="utf-8"))
        if page not in {"README.md", "docs/gallery.md"}
    ]
    assert len({page for page, _, _ in found}) > 10
    assert [(page, path) for page, _, path in found if path.resolve() not in PICTURES] == []
    assert [(page, words) for page, words, _ in found if len(words.split()) < 5] == []
