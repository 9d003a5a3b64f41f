"""Plain HTTP: one request on one connection, never repeated, no redirect followed."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import SplitResult, urlencode, urlsplit

from wallet_gateway.conformance.answers import Answer

_SECONDS_TO_ANSWER: Final = 30
_MAX_BODY_BYTES: Final = 4 * 1024 * 1024


class Unreachable(Exception):
    """There was no HTTP answer; the message says why."""


class Wire(Protocol):
    """Sends requests to the gateway; paths are relative to its base URL."""

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request and return its answer; raises Unreachable."""
        ...


@dataclass(frozen=True, slots=True)
class HttpWire:
    """The gateway at a base URL, over HTTP or TLS."""

    base_url: str
    tls: ssl.SSLContext | None = None
    """How certificates are verified; the system's authorities if not given."""

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request and return its answer; raises Unreachable."""
        url = urlsplit(self.base_url)
        target = f"{url.path.rstrip('/')}{path}{f'?{urlencode(query)}' if query else ''}"
        return _exchange(url, method, target, body=body, headers=headers or {}, tls=self.tls)


def split_url(url: str) -> SplitResult | None:
    """Return the parts of an absolute web address; None for any other text."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return None
    return parts if is_one else None


def fetch(url: str, *, tls: ssl.SSLContext | None = None) -> Answer:
    """Get a page anywhere, as a customer's browser would; raises Unreachable."""
    parts = split_url(url)
    if parts is None:
        raise Unreachable(f"{url!r} is no web address")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _exchange(parts, "GET", target, body=None, headers={"Accept": "*/*"}, tls=tls)


def _exchange(
    url: SplitResult,
    method: str,
    target: str,
    *,
    body: bytes | None,
    headers: Mapping[str, str],
    tls: ssl.SSLContext | None,
) -> Answer:
    connection = _connection(url, tls)
    try:
        connection.request(method, target, body=body, headers={**headers, "Connection": "close"})
        response = connection.getresponse()
        return Answer(
            status=response.status,
            content_type=response.headers.get_content_type() if response.headers["Content-Type"] else "",
            body=response.read(_MAX_BODY_BYTES),
            retry_after=response.headers.get("Retry-After", ""),
        )
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise Unreachable(f"{url.scheme}://{url.netloc} gave no answer: {reason}") from error
    finally:
        connection.close()


def _connection(url: SplitResult, tls: ssl.SSLContext | None) -> http.client.HTTPConnection:
    host = url.hostname or ""
    if url.scheme == "https":
        context = tls or ssl.create_default_context()
        return http.client.HTTPSConnection(host, url.port, timeout=_SECONDS_TO_ANSWER, context=context)
    return http.client.HTTPConnection(host, url.port, timeout=_SECONDS_TO_ANSWER)
