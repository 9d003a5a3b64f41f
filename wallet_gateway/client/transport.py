"""Sends one request and brings back one whole HTTP answer of any status. Knows no message, no endpoint.

Together with `connection.py` the only file that knows the HTTP library. Nothing here could repeat a request:
there are no retries, no redirects, no cookies and no proxies, and nothing is read from the environment, where
a `.netrc` entry would replace our credentials.
"""

from __future__ import annotations

import contextlib
import ssl
import time
import weakref
from collections import deque
from collections.abc import Mapping
from ipaddress import ip_address
from types import MappingProxyType
from typing import Protocol
from urllib.parse import SplitResult, urlencode, urlsplit

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict
from requests.utils import DEFAULT_CA_BUNDLE_PATH

from wallet_gateway import __version__
from wallet_gateway.client.connection import Connection, Outgoing, TlsConnection, read_body
from wallet_gateway.client.exception_map import UnfaithfulAuth
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.request_deadline import Attempt, Limits

# More idle connections than a worker process has threads serve nobody.
_MOST_IDLE = 64
_KEPT_HEADERS = ("content-type", "date", "retry-after")
_HEADERS = MappingProxyType(
    {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": f"django-wallet-gateway/{__version__}",
    }
)


class Auth(Protocol):
    """The protocol of requests' `AuthBase`: sets headers on the prepared request and returns it."""

    def __call__(self, request: PreparedRequest, /) -> PreparedRequest:
        """Sign the request."""
        ...


class Transport:
    """HTTP to one gateway, for all threads of a process. Connections are kept, but not across a fork.

    `base_url` is https, or http on a loopback address; anything else is a ValueError. Times are in seconds:
    `connect_timeout` for TCP and again for TLS, `read_timeout` for each wait, `total_timeout` up to the last
    byte; a connection idle for `keepalive_idle` is not used again. `auth` may set headers and nothing else.
    `ca_file` names a PEM file to trust in place of the authorities that come with requests; there is no way
    not to verify.
    """

    def __init__(
        self,
        *,
        base_url: str,
        connect_timeout: float = 3.0,
        read_timeout: float = 20.0,
        total_timeout: float = 30.0,
        keepalive_idle: float = 5.0,
        max_answer_bytes: int = 1_048_576,
        auth: Auth | None = None,
        ca_file: str | None = None,
    ) -> None:
        url = _checked(base_url)
        self._host, self._port = url.hostname or "", url.port
        self._origin, self._prefix = f"{url.scheme}://{url.netloc}", url.path.rstrip("/")
        self._tls = _tls_context(ca_file) if url.scheme == "https" else None
        self._limits = Limits(
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            total_timeout=total_timeout,
            max_answer_bytes=max_answer_bytes,
        )
        self._keepalive_idle = keepalive_idle
        self._auth = auth
        # A deque's ends are changed atomically: no lock that a fork could leave held for ever.
        self._idle: deque[Connection] = deque()
        weakref.finalize(self, _close, self._idle)

    def __repr__(self) -> str:
        return f"Transport(base_url={self._origin + self._prefix!r})"

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
        """Send one request once. Whatever fails, the verdict is NotSent or OutcomeUnknown.

        `fresh` uses a new connection and closes it: on a kept one the far end may have hung up just now, and
        whether it had read the request would be unknown. `not_after` is an instant of `time.monotonic()`:
        later than that not one byte is sent.
        """
        target = self._prefix + path + (f"?{urlencode(query)}" if query else "")
        attempt = Attempt(limits=self._limits, not_after=not_after)
        with attempt:
            signed = self._signed(method, target, _all_headers(headers or {}, body=body, fresh=fresh), body)
            return self._exchanged(signed, attempt, fresh=fresh)
        raise attempt.verdict

    def close(self) -> None:
        """Close the idle connections. The transport stays usable and opens new ones."""
        _close(self._idle)

    def _signed(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Outgoing:
        if self._auth is None:
            return Outgoing(method=method, target=target, headers=headers, body=body)
        request, url = PreparedRequest(), self._origin + target
        request.method, request.url, request.body = method, url, body
        request.headers = CaseInsensitiveDict(headers)
        signed = self._auth(request)
        # The caller has stored what it sends; a signature in the URL or the body would be something else.
        if (signed.method, signed.url, signed.body) != (method, url, body):
            raise UnfaithfulAuth("auth may set headers; it changed the method, the URL or the body")
        written = {_text(name): _text(value) for name, value in signed.headers.items()}
        return Outgoing(method=method, target=target, headers=written, body=body)

    def _exchanged(self, request: Outgoing, attempt: Attempt, *, fresh: bool) -> RawAnswer:
        connection = self._new() if fresh else self._kept() or self._new()
        reusable = False
        try:
            if connection.is_closed:
                connection.open(attempt)
            with connection.ask(request, attempt) as response:
                attempt.doing = f"reading the answer (HTTP {response.status})"
                body = read_body(response, limit=self._limits.max_answer_bytes)
                reusable = not fresh and not response.will_close and response.isclosed()
            kept = {name: value for name in _KEPT_HEADERS if (value := response.headers.get(name))}
            return RawAnswer(status=response.status, headers=kept, body=body, elapsed=attempt.elapsed)
        finally:
            if reusable:
                self._keep(connection)
            else:
                connection.close()

    def _new(self) -> Connection:
        if self._tls is None:
            return Connection(self._host, self._port)
        return TlsConnection(self._host, self._port, ssl_context=self._tls)

    def _kept(self) -> Connection | None:
        """The connection used last, since the others may have idled too long."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            if connection.is_reusable(idle_limit=self._keepalive_idle):
                return connection
            connection.close()
        return None

    def _keep(self, connection: Connection) -> None:
        connection.idle_since = time.monotonic()
        self._idle.append(connection)
        _close(self._idle, all_but=_MOST_IDLE)


def _all_headers(extra: Mapping[str, str], *, body: bytes | None, fresh: bool) -> dict[str, str]:
    headers = {**_HEADERS, **extra}
    if body is not None:
        headers.setdefault("Content-Type", "application/json")
        headers["Content-Length"] = str(len(body))
    if fresh:
        headers["Connection"] = "close"
    return headers


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _close(idle: deque[Connection], *, all_but: int = 0) -> None:
    while len(idle) > all_but:
        # Another thread may have taken the last one meanwhile.
        with contextlib.suppress(IndexError):
            idle.popleft().close()


def _checked(base_url: str) -> SplitResult:
    # The URL is not quoted in the messages: a password in it is one of the things refused.
    url = urlsplit(base_url)
    if "@" in url.netloc or url.query or url.fragment:
        raise ValueError("base_url has a user, a query or a fragment; give https://host[:port][/path]")
    if not url.hostname or url.scheme not in ("http", "https"):
        raise ValueError("base_url is no web address; give https://host[:port][/path]")
    if url.scheme == "http" and not _is_loopback(url.hostname):
        raise ValueError("base_url is plain http; only a loopback address may do without TLS")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Verify certificate and host name, TLS 1.2 at least.

    Built by hand: the ready-made contexts read SSL_CERT_FILE and SSLKEYLOGFILE from the environment.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cafile=ca_file or DEFAULT_CA_BUNDLE_PATH)
    return context
