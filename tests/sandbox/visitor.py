"""A visitor of the running sandbox: asks for pages, presses buttons, and can tell what a page is made of."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import urlencode, urljoin

from tests.sandbox.merchant import CHECKOUT, Merchant
from tests.sandbox.orders import checkout_body
from wallet_gateway.testing.control import SandboxControl

VOID: Final = {"base", "br", "hr", "img", "input", "link", "meta", "wbr"}


@dataclass
class Element:
    """One element of a page: its name, attributes, and all the text inside it."""

    name: str
    attributes: dict[str, str | None]
    path: tuple[str, ...]
    text: str = ""

    @property
    def read(self) -> str:
        """Its text as a person reads it, with single blanks; no-break spaces stay."""
        return re.sub(r"[ \n\t]+", " ", self.text).strip()


class Markup(HTMLParser):
    """A page's elements in the order in which they open; complains about what is not closed properly."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        assert not self._open, f"never closed: {[element.name for element in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice in <{tag}>: {names}"
        element = Element(tag, dict(attrs), tuple(parent.name for parent in self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].name == tag, f"</{tag}> closes <{self._open[-1].name}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, name: str) -> list[Element]:
        """Every element of that name."""
        return [element for element in self.elements if element.name == name]

    def one(self, name: str) -> Element:
        """The only element of that name."""
        (element,) = self.all(name)
        return element

    def with_id(self, identifier: str) -> Element:
        """The only element of that id."""
        (element,) = [e for e in self.elements if e.attributes.get("id") == identifier]
        return element

    @property
    def text(self) -> str:
        """What a person reads on the page."""
        return self.one("body").read


@dataclass
class Page:
    """An answer to a browser."""

    url: str
    status: int
    headers: Message
    html: str
    _markup: list[Markup] = field(default_factory=list)

    @property
    def markup(self) -> Markup:
        """The page taken apart."""
        if not self._markup:
            self._markup.append(Markup(self.html))
        return self._markup[0]

    @property
    def text(self) -> str:
        """What a person reads on the page."""
        return self.markup.text

    @property
    def facts(self) -> dict[str, str]:
        """The terms of the page's definition lists with what stands beside them."""
        terms = [element.read for element in self.markup.all("dt")]
        return dict(zip(terms, [element.read for element in self.markup.all("dd")], strict=True))

    @property
    def policy(self) -> dict[str, str]:
        """The content security policy by directive."""
        header = self.headers["Content-Security-Policy"]
        return dict(part.split(" ", 1) for part in header.split("; "))


class _StayHere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _StayHere)


class Visitor:
    """Someone with a browser that keeps no cookies and follows no redirect."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.control = SandboxControl(base_url)

    def get(self, url: str, *, method: str = "GET", **headers: str) -> Page:
        """Ask for a page; header names are written with underscores."""
        return self._ask(url, method=method, body=None, headers=headers)

    def post(self, url: str, fields: dict[str, str] | None = None, **headers: str) -> Page:
        """Send a form."""
        return self._ask(url, method="POST", body=urlencode(fields or {}).encode(), headers=headers)

    def start_checkout(self, *arguments: Any, changes: dict[str, Any] | None = None, **details: Any) -> str:
        """Start a checkout as a shop would and give the link to its page."""
        body = checkout_body(*arguments, **details) | (changes or {})
        with Merchant(self.base_url) as merchant:
            answer = merchant.post(CHECKOUT, body)
        assert answer.status == 200, answer.body
        return str(answer.json["redirectUrl"])

    def follow(self, page: Page, text: str) -> Page:
        """Go where the link with that text leads."""
        (link, *_) = [a for a in page.markup.all("a") if a.read == text]
        return self.get(str(link.attributes["href"]))

    def _ask(self, url: str, *, method: str, body: bytes | None, headers: dict[str, str]) -> Page:
        url = urljoin(f"{self.base_url}/", url)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(url, body, named, method=method)
        try:
            with _opener.open(request, timeout=60) as answer:
                return Page(url, answer.status, answer.headers, answer.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return Page(url, error.code, error.headers, error.read().decode())
