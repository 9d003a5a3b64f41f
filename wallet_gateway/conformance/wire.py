"""Plain HTTP: one request on one connection, never repeated, no redirect followed."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlencode, urlsplit

from wallet_gateway.conformance.answers import Answer

_SECONDS_TO_ANSWER: Final = 30
_MAX_BODY_BYTES: Final = 4 * 1024 * 1024


class Unreachable(Exception):
    """There was no HTTP answer; the message says why."""


@dataclass(frozen=True)
class Wire:
    """The gateway at a base URL, over HTTP or TLS; paths are relative to it."""

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
        url = f"{self.base_url}{path}{f'?{urlencode(query)}' if query else ''}"
        return self._exchange(method, url, body=body, headers=headers or {})

    def fetch(self, url: str) -> Answer:
        """Get a page anywhere, as a customer's browser would; raises Unreachable."""
        return self._exchange("GET", url, headers={"Accept": "*/*"})

    def _exchange(
        self, method: str, url: str, *, body: bytes | None = None, headers: Mapping[str, str]
    ) -> Answer:
        parts = split_url(url)
        if parts is None:
            raise Unreachable(f"{url!r} is no web address")
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = _connection(parts, self.tls)
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
            raise Unreachable(f"{parts.scheme}://{parts.netloc} gave no answer: {reason}") from error
        finally:
            connection.close()


def split_url(url: str) -> SplitResult | None:
    """Return the parts of an absolute web address; None for any other text."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return None
    return parts if is_one else None


def _connection(url: SplitResult, tls: ssl.SSLContext | None) -> http.client.HTTPConnection:
    host = url.hostname or ""
    if url.scheme == "https":
        context = tls or ssl.create_default_context()
        return http.client.HTTPSConnection(host, url.port, timeout=_SECONDS_TO_ANSWER, context=context)
    return http.client.HTTPConnection(host, url.port, timeout=_SECONDS_TO_ANSWER)
