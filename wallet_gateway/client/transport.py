"""The parts that all transports share: protocol, complete request, signature, unpacking of the answer.

There are two: `HttpTransport` talks HTTP to a gateway; for tests, `wallet_gateway.testing.InProcessTransport`
calls a WSGI application in this process.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from wallet_gateway import __version__
from wallet_gateway.client.exception_map import AnswerTooLarge, AuthChangedRequest, BadEncoding
from wallet_gateway.client.exchange import RawAnswer

if TYPE_CHECKING:
    from requests import PreparedRequest

KEPT_HEADERS = ("content-type", "date", "retry-after")
"""The headers of an answer that the client reads."""
_HEADERS = MappingProxyType(
    {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": f"django-wallet-gateway/{__version__}",
    }
)


class Transport(Protocol):
    """Carries one request to the gateway and brings back one whole answer of any status."""

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        fresh: bool = False,
        not_after: float | None = None,
    ) -> RawAnswer:
        """Send one request once; raises NotSent or OutcomeUnknown whatever fails.

        `fresh` asks for a connection of the request's own. `not_after` is an instant of `steady_seconds`:
        later than that nothing is sent.
        """
        ...


class Auth(Protocol):
    """The protocol of requests' `AuthBase`: sets headers on the prepared request and returns it."""

    def __call__(self, request: PreparedRequest, /) -> PreparedRequest:
        """Sign the request."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRequest:
    """One request as it is sent, headers complete. `repr` hides what may be secret or personal."""

    method: str
    target: str = field(repr=False)
    """Path and query."""
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)


def request_headers(extra: Mapping[str, str], *, body: bytes | None, fresh: bool) -> dict[str, str]:
    """Return all headers of a request but `Host`; those in `extra` win."""
    headers = {**_HEADERS, **extra}
    if body is not None:
        headers.setdefault("Content-Type", "application/json")
        headers["Content-Length"] = str(len(body))
    if fresh:
        headers["Connection"] = "close"
    return headers


def sign(request: SignedRequest, auth: Auth | None, *, origin: str) -> SignedRequest:
    """Let `auth` set headers; raises AuthChangedRequest when it changed anything else."""
    if auth is None:
        return request
    # Here, because few gateways ask for a signature: requests and what it imports are 6 MB.
    from requests import PreparedRequest
    from requests.structures import CaseInsensitiveDict

    prepared, url = PreparedRequest(), origin + request.target
    prepared.method, prepared.url, prepared.body = request.method, url, request.body
    prepared.headers = CaseInsensitiveDict(request.headers)
    signed = auth(prepared)
    # The caller has stored what it sends; a signature in the URL or the body would be something else.
    if (signed.method, signed.url, signed.body) != (request.method, url, request.body):
        raise AuthChangedRequest("auth may set headers; it changed the method, the URL or the body")
    headers = {_text(name): _text(value) for name, value in signed.headers.items()}
    return SignedRequest(method=request.method, target=request.target, headers=headers, body=request.body)


def unpack(packed: bytes, encoding: str, *, limit: int) -> bytes:
    """Unpack a body by its `Content-Encoding`; raises AnswerTooLarge beyond `limit` bytes, and BadEncoding.

    Written on zlib: urllib3's decoder accepts a stream that is cut off, or that has garbage behind it.
    """
    check_size(len(packed), limit)
    # We ask for answers as they are; some proxies pack them all the same.
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return packed
    if encoding not in ("gzip", "x-gzip"):
        raise BadEncoding("the body is packed with something else than gzip")
    stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    body = stream.decompress(packed, limit + 1)
    check_size(len(body), limit)
    if not stream.eof or stream.unused_data:
        raise BadEncoding("the gzip stream ends too early or too late")
    return body


def check_size(size: int, limit: int) -> None:
    """Raise AnswerTooLarge when `size` is above `limit`."""
    if size > limit:
        raise AnswerTooLarge(f"an answer may have {limit} bytes, packed and unpacked")


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
