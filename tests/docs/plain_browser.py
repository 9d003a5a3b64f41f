"""A browser without JavaScript: follows links, submits forms, keeps cookies.

It reads pages with the standard library's parser and knows nothing of the pages it is used on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import requests


@dataclass(slots=True)
class Form:
    """One form of a page: where it goes, what it carries, the buttons by their words."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, tuple[str, str]] = field(default_factory=dict)


class _Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: dict[str, str] = {}
        self.words: list[str] = []
        self._inside: list[tuple[str, dict[str, str], list[str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(attributes.get("action", ""), attributes.get("method", "get").lower()))
        elif tag in {"input", "select"} and self.forms and "name" in attributes:
            if attributes.get("type") not in {"submit", "checkbox", "radio"} or "checked" in attributes:
                self.forms[-1].fields[attributes["name"]] = attributes.get("value", "")
        elif tag in {"button", "a"}:
            self._inside.append((tag, attributes, []))

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        for _, _, words in self._inside:
            words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if not self._inside or self._inside[-1][0] != tag:
            return
        _, attributes, words = self._inside.pop()
        text = " ".join("".join(words).split())
        if tag == "a":
            self.links[text] = attributes.get("href", "")
        elif self.forms:
            self.forms[-1].buttons[text] = (attributes.get("name", ""), attributes.get("value", ""))


class PlainBrowser:
    """What a person does on a page, as methods: `visit`, `click`, `fill`, `see`."""

    def __init__(self) -> None:
        self.url = ""
        self._session = requests.Session()
        self._session.trust_env = False
        self._page = _Page("")
        self._typed: dict[str, str] = {}

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._page.words).split())

    def visit(self, url: str) -> None:
        self._show(self._session.get(urljoin(self.url, url), timeout=60))

    def fill(self, name_and_value: str) -> None:
        name, _, value = name_and_value.partition("=")
        self._typed[name] = value

    def click(self, words: str) -> None:
        """Press the first button, or else follow the first link, that begins with these words."""
        buttons = [
            (form, text) for form in self._page.forms for text in form.buttons if text.startswith(words)
        ]
        if not buttons:
            links = [target for text, target in self._page.links.items() if text.startswith(words)]
            assert links, f"nothing to press called {words!r} on {self.url}: {self.text}"
            self.visit(links[0])
            return
        form, text = buttons[0]
        name, value = form.buttons[text]
        data = {**form.fields, **self._typed, **({name: value} if name else {})}
        self._typed = {}
        headers = {"Referer": self.url}
        self._show(
            self._session.request(
                form.method, urljoin(self.url, form.action), data=data, headers=headers, timeout=30
            )
        )

    def see(self, words: str) -> None:
        assert words.lower() in self.text.lower(), f"{words!r} does not stand on {self.url}: {self.text}"

    def _show(self, answer: requests.Response) -> None:
        assert answer.status_code < 400, f"{answer.status_code} at {answer.url}: {answer.text[:2000]}"
        self.url = answer.url
        self._page = _Page(answer.text)
