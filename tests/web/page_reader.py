"""Reads a page as a strict browser would: elements, attributes and text, and what must not be there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "path", "circle"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One start tag."""

    name: str
    attributes: dict[str, str]
    inside: tuple[str, ...]
    """The names of the elements around it, outermost first."""


@dataclass
class Page(HTMLParser):
    """A parsed page. Raises where tags do not nest, so that a page that parses is well formed."""

    html: str
    elements: list[Element] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self.feed(self.html)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> says something twice: {names}"
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append(Element(name=tag, attributes=attributes, inside=tuple(self._open)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not {"script", "style", "title"} & set(self._open):
            self.words.append(data.strip())
        if data.strip() and {"script", "style"} & set(self._open):
            raise AssertionError(f"inline {self._open[-1]}: {data[:60]!r}")

    @property
    def text(self) -> str:
        """The words of the body, as one line; a space that must not break stays one."""
        return re.sub(r"[ \t\n]+", " ", " ".join(self.words))

    def all(self, name: str) -> list[Element]:
        """Every element of a name."""
        return [element for element in self.elements if element.name == name]

    def one(self, name: str) -> Element:
        """The only element of a name."""
        found = self.all(name)
        assert len(found) == 1, f"{len(found)} of <{name}>"
        return found[0]

    def having(self, attribute: str) -> list[Element]:
        """Every element with an attribute."""
        return [element for element in self.elements if attribute in element.attributes]

    def links(self) -> list[str]:
        """Where the page's links lead."""
        return [element.attributes["href"] for element in self.all("a")]

    def forms(self) -> list[str]:
        """Where the page's forms post to."""
        assert all(form.attributes["method"] == "post" for form in self.all("form"))
        return [form.attributes["action"] for form in self.all("form")]


def assert_nothing_inline(page: Page) -> None:
    """See that no script, style or handler stands in the page itself, so that any policy admits it."""
    assert not page.all("style")
    assert all("src" in script.attributes for script in page.all("script"))
    for element in page.elements:
        inline = [name for name in element.attributes if name.startswith("on") or name in {"style", "srcdoc"}]
        assert not inline, f"<{element.name}> has {inline}"
        for name in ("href", "src", "action"):
            assert not element.attributes.get(name, "").strip().lower().startswith(("javascript:", "data:"))
