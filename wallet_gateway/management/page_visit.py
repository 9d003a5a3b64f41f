"""Fetches a payment page like a browser: its headers, its scripts, and the modules that they import.

No script is run and nothing is compared here; see `script_inventory` for the approved scripts.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPMessage
from typing import IO
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

WATCHED_HEADERS = (
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
    "X-Frame-Options",
)
"""Headers whose change could help an attacker, whether made on purpose or by mistake."""
TIMEOUT_SECONDS = 30
MAX_BYTES = 5_000_000
_NONCE = re.compile(r"'nonce-[^']*'")
# The module path follows `import`, `import(` or `from`, including the `from` of an `export`.
_IMPORT = re.compile(r"""\b(?:import\s*+\(?|from)\s*+["'](\.{1,2}/[^"']+\.js)["']""")


class PageNotFetched(Exception):
    """A page or a script could not be fetched, so its content is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """One page as it was served."""

    headers: Mapping[str, str]
    """The headers in `WATCHED_HEADERS` that were sent; nonces are removed."""
    scripts: Mapping[str, str]
    """The hash of each script by its URL; an inline script is `inline:` and its hash."""


def visit(url: str) -> FetchedPage:
    """Fetch a page and all scripts that it runs; raise `PageNotFetched` if one cannot be fetched."""
    headers, body = _fetched(url)
    page = _Scripts()
    page.feed(body.decode("utf-8", "replace"))
    found = {f"inline:{hashed}": hashed for hashed in map(_hash, page.inline)}
    waiting = [urljoin(url, source) for source in page.sources]
    while waiting:
        address = waiting.pop()
        if address in found:
            continue
        script = _fetched(address)[1]
        found[address] = _hash(script)
        waiting += _imported(address, script)
    watched = {name: _NONCE.sub("'nonce-*'", headers[name]) for name in WATCHED_HEADERS if name in headers}
    return FetchedPage(headers=watched, scripts=dict(sorted(found.items())))


def _imported(address: str, script: bytes) -> Iterator[str]:
    for name in _IMPORT.findall(script.decode("utf-8", "replace")):
        yield urljoin(address, name)


def _hash(script: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script).digest()).decode()


def _is_on_web(url: str) -> bool:
    try:
        return urlsplit(url).scheme in {"http", "https"}
    except ValueError:
        return False


def _fetched(url: str) -> tuple[Mapping[str, str], bytes]:
    if not _is_on_web(url):
        raise PageNotFetched(f"{url} is no http or https address")
    request = Request(url, headers={"User-Agent": "Mozilla/5.0", "Accept": "*/*"})  # noqa: S310 - checked above
    # Without a proxy of the environment, which could show another page than customers are shown.
    opener = build_opener(ProxyHandler({}), _WithinOrigin())
    try:
        with opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
            body: bytes = answer.read(MAX_BYTES + 1)
            headers = {name.title(): value for name, value in answer.headers.items()}
    except (URLError, OSError, ValueError) as error:
        raise PageNotFetched(f"{url} could not be fetched: {error}") from error
    if len(body) > MAX_BYTES:
        raise PageNotFetched(f"{url} has more than {MAX_BYTES} bytes")
    return {name: headers[name.title()] for name in WATCHED_HEADERS if name.title() in headers}, body


class _WithinOrigin(HTTPRedirectHandler):
    """Follows no redirect to another origin, whose page or script would be taken for the one asked for."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        here, there = urlsplit(req.full_url), urlsplit(newurl)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise PageNotFetched(
                f"{req.full_url} redirects to another origin, {there.scheme}://{there.netloc}"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass
class _Scripts(HTMLParser):
    """The inline and linked scripts of a page, and the wallet's own script, whose URL is an attribute."""

    sources: list[str] = field(default_factory=list)
    inline: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names = ("src", "data-pay-js-url") if tag == "script" else ("data-pay-js-url",)
        self.sources += [value for name in names if (value := given.get(name))]
        if tag == "script":
            self._is_inside = "src" not in given

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = self._is_inside and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._is_inside and data.strip():
            self.inline.append(data.encode())
