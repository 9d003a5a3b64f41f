"""The parts that all transports share: the protocol, and the complete, signed request.

There are two: `HttpTransport` talks HTTP to a gateway; for tests, `wallet_gateway.testing.InProcessTransport`
calls a WSGI application in this process.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from wallet_gateway import __version__
from wallet_gateway.client.exception_map import AuthChangedRequest
from wallet_gateway.client.exchange import RawAnswer

if TYPE_CHECKING:
    from requests import PreparedRequest

KEPT_HEADERS = ("content-type", "date", "retry-after")
"""The headers of an answer that the client reads."""
_HEADERS = MappingProxyType(
    {
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
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


def request_headers(extra: Mapping[str, str], *, body: bytes | None, fresh: bool) -> dict[str, str]:
    """Return all headers of a request but `Host`; those in `extra` win."""
    headers = {**_HEADERS, **extra}
    if body is not None:
        headers.setdefault("Content-Type", "application/json")
        headers["Content-Length"] = str(len(body))
    if fresh:
        headers["Connection"] = "close"
    return headers


def prepared_request(
    method: str, url: str, headers: Mapping[str, str], *, body: bytes | None, auth: Auth | None
) -> PreparedRequest:
    """Return the request as it is sent; raises AuthChangedRequest when `auth` changed more than headers."""
    # Here, because a process that calls no gateway does without: requests and what it imports are 6 MB.
    from requests import PreparedRequest
    from requests.structures import CaseInsensitiveDict

    prepared = PreparedRequest()
    prepared.method, prepared.url, prepared.body = method, url, body
    prepared.headers = CaseInsensitiveDict(headers)
    if auth is None:
        return prepared
    signed = auth(prepared)
    # The caller has stored what it sends; a signature in the URL or the body would be something else.
    if (signed.method, signed.url, signed.body) != (method, url, body):
        raise AuthChangedRequest("auth may set headers; it changed the method, the URL or the body")
    # As digest authentication does, which sends the request again.
    if any(signed.hooks.values()):
        raise AuthChangedRequest("auth may set headers; it wants to be called with the answer, too")
    prepared.headers = CaseInsensitiveDict(
        {_text(name): _text(value) for name, value in signed.headers.items()}
    )
    return prepared


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
