"""What every page of the sandbox must be, whatever it shows: safe, well formed, and readable without eyes."""

from __future__ import annotations

import re
from itertools import pairwise

from tests.sandbox.visitor import Page

HEADINGS = re.compile(r"h[1-6]")


def assert_sound(page: Page) -> None:
    """Check one page against all rules."""
    _has_nothing_inline(page)
    _has_its_headers(page)
    _has_its_landmarks(page)
    _has_headings_in_order(page)
    _names_everything(page)


def _has_nothing_inline(page: Page) -> None:
    for element in page.markup.elements:
        assert element.name != "style"
        assert "style" not in element.attributes
        assert not [name for name in element.attributes if name.startswith("on")]
        address = element.attributes.get("href") or element.attributes.get("src") or ""
        assert not address.lower().startswith(("javascript:", "data:"))
        if element.name == "script":
            assert (element.attributes.get("src") or "").startswith("/static/")
            assert not element.text.strip()
        if element.name in {"link", "img"}:
            assert address.startswith("/static/")


def _has_its_headers(page: Page) -> None:
    policy = page.policy
    assert policy.pop("form-action").startswith("'self'")
    assert policy == {
        "default-src": "'none'",
        "style-src": "'self'",
        "script-src": "'self'",
        "img-src": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Referrer-Policy"] in {"no-referrer", "same-origin"}
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Set-Cookie"] is None


def _has_its_landmarks(page: Page) -> None:
    markup = page.markup
    root = markup.one("html")
    assert root.attributes["lang"]
    assert root.attributes["dir"] in {"ltr", "rtl"}
    assert markup.one("title").text.strip()
    assert markup.one("main").attributes["id"] == "main"
    skip = next(element for element in markup.elements if element.name == "a")
    assert skip.attributes["href"] == "#main"
    assert len([element for element in markup.all("header") if element.path == ("html", "body")]) == 1
    assert len([element for element in markup.all("footer") if element.path == ("html", "body")]) == 1


def _has_headings_in_order(page: Page) -> None:
    levels = [int(element.name[1]) for element in page.markup.elements if HEADINGS.fullmatch(element.name)]
    assert levels[:1] == [1], "the first heading is the page's"
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels)), f"a level is left out: {levels}"


def _names_everything(page: Page) -> None:
    markup = page.markup
    ids = [element.attributes["id"] for element in markup.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    for element in markup.elements:
        label = element.attributes.get("aria-labelledby")
        if label:
            assert markup.with_id(label).text.strip()
        if element.name in {"button", "a", "th", "caption", "summary"}:
            assert element.text.strip(), f"<{element.name}> says nothing"
        if element.name in {"section", "nav"}:
            assert label or element.attributes.get("aria-label")
        if element.name == "img":
            assert "alt" in element.attributes
        if element.name == "svg":
            assert element.attributes["aria-hidden"] == "true"
