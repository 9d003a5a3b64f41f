"""Carry one request to the gateway and bring back one whole answer of any status. Knows no message.

There are two transports: `HttpTransport` talks HTTP to a gateway; for tests,
`wallet_gateway.testing.InProcessTransport` calls a WSGI application in this process. They share the protocol,
the complete, signed request, and its deadline with the write marker.

Nothing here could repeat a request: there are no retries, no redirects and no cookies. Nothing is read from
the environment, where a `.netrc` entry would replace our credentials; which proxy there is, the caller says.
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeAlias
from urllib.parse import SplitResult, urlencode, urlsplit
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

import certifi

from wallet_gateway import __version__
from wallet_gateway.client.errors import (
    AnswerTooLarge,
    AuthChangedRequest,
    ClaimExpired,
    DeadlinePassed,
    map_exception,
)
from wallet_gateway.client.exchange import RawAnswer

if TYPE_CHECKING:
    from requests import PreparedRequest

    from wallet_gateway.client.connection import GatewayAdapter

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


Auth: TypeAlias = "Callable[[PreparedRequest], PreparedRequest]"
"""Sets headers on the prepared request and returns it, as `AuthBase` of requests does."""


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


# Status line, headers and chunk sizes of an answer, on top of twice the size of its body.
_FRAMING_ALLOWANCE = 65_536
# Windows has none of them; its `time.monotonic` is such a clock by itself.
_CLOCK: int | None = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))


def steady_seconds() -> float:
    """Return the time of a clock that nobody sets, and that goes on while the machine is suspended.

    On Linux and macOS `time.monotonic` stops meanwhile: a worker that wakes up would send on an old claim.
    """
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how large: seconds and bytes."""

    connect: float = 3.0
    """For TCP, with each address of the name, and again for TLS. The resolver has limits of its own."""
    read: float = 20.0
    """For each wait on the gateway, to read or to write."""
    total: float = 30.0
    """From the call to the last byte of the answer."""
    idle: float = 5.0
    """How long a connection may have idled that is used again; none is with zero."""
    max_answer_bytes: int = 1_048_576
    """Size of an answer's body, packed and unpacked."""


class RequestDeadline:
    """The clock and the write marker of one request."""

    __slots__ = ("_bytes_left", "_not_after", "_started", "doing", "limits", "sent")

    def __init__(self, *, limits: Limits, not_after: float | None) -> None:
        self.limits = limits
        self.sent = False
        """The write marker: whether a byte of the request may have reached the gateway."""
        self.doing = "signing"
        """The step that is under way, for the error's text."""
        self._started = time.monotonic()
        self._not_after = not_after
        self._bytes_left = 2 * limits.max_answer_bytes + _FRAMING_ALLOWANCE

    @property
    def elapsed(self) -> float:
        """Seconds since the call."""
        return time.monotonic() - self._started

    def mark_sent(self) -> None:
        """Set the write marker; raises ClaimExpired instead when the right to send has run out."""
        if not self.sent:
            if self._not_after is not None and steady_seconds() > self._not_after:
                raise ClaimExpired("the right to send ran out before the connection was ready")
            self.sent = True

    def count_received(self, received: int) -> None:
        """Count bytes off the wire, so that no framing fills the memory; raises AnswerTooLarge."""
        self._bytes_left -= received
        if self._bytes_left < 0:
            raise AnswerTooLarge("more bytes came than any framing of an answer needs")

    def timeout(self, longest: float) -> float:
        """Return how many seconds a step may take, at most the rest of the call; raises DeadlinePassed."""
        remaining = self.limits.total - self.elapsed
        if remaining <= 0:
            raise DeadlinePassed(f"the whole call may take {self.limits.total:g} s, and they are over")
        return min(longest, remaining)


class BaseTransport:
    """Sends one request once, under one deadline; how, a subclass says in `exchange`."""

    def __init__(self, base_url: str, limits: Limits, auth: Auth | None) -> None:
        self._base_url = base_url
        self._limits = limits
        self._auth = auth

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._base_url!r})"

    def exchange(
        self, request: PreparedRequest, deadline: RequestDeadline, *, fresh: bool
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Carry a signed request there; return status, headers and the whole body of its answer, unpacked."""
        raise NotImplementedError

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
        """Send one request once. Whatever fails, NotSent or OutcomeUnknown is raised.

        `headers` win over those of each request. `fresh` uses a new connection and closes it: on a kept one
        the far end may have hung up just now, and whether it had read the request would be unknown.
        `not_after` is an instant of `steady_seconds`: later than that not one byte is sent.
        """
        url = self._base_url + path + (f"?{urlencode(query)}" if query else "")
        deadline = RequestDeadline(limits=self._limits, not_after=not_after)
        try:
            # Here, because a process that calls no gateway does without: with all it imports it is 6 MB.
            from requests import PreparedRequest
            from requests.structures import CaseInsensitiveDict

            given = {**_HEADERS, **(headers or {})}
            if body is not None:
                given.setdefault("Content-Type", "application/json")
                given["Content-Length"] = str(len(body))
            if fresh:
                given["Connection"] = "close"
            request = PreparedRequest()
            request.method, request.url, request.body = method, url, body
            request.headers = CaseInsensitiveDict(given)
            if self._auth is not None:
                signed = self._auth(request)
                # The caller has stored what it sends; a signature in the URL or the body would be something
                # else. A hook could send the request again, as that of digest authentication does.
                is_changed = (signed.method, signed.url, signed.body) != (method, url, body)
                if is_changed or any(signed.hooks.values()):
                    raise AuthChangedRequest("auth may set headers, no method, URL, body or hook")
                request.headers = CaseInsensitiveDict(
                    {_text(name): _text(value) for name, value in signed.headers.items()}
                )
            status, told, whole = self.exchange(request, deadline, fresh=fresh)
            kept = {name: value for name in KEPT_HEADERS if (value := told.get(name))}
            return RawAnswer(status=status, headers=kept, body=whole, elapsed=deadline.elapsed)
        except Exception as error:  # noqa: BLE001
            # Every one: no list of them is complete, and one that is missing would leave a sent payment
            # without an outcome. What asks the process to stop is no Exception and passes through.
            failure = map_exception(error, sent=deadline.sent, doing=deadline.doing)
        # Outside the handler, or Python would chain what holds the request.
        raise failure


class HttpTransport(BaseTransport):
    """HTTP to one gateway, for all threads of a process. Connections are kept, but not across a fork.

    `base_url` is https, or http on a loopback address; anything else is a ValueError. `auth` may set headers
    and nothing else. `ssl_context` is one of `tls_context`, some 0.7 MB that many transports can share; there
    is no way not to verify. `proxy` is the address of a proxy that makes a tunnel (CONNECT) to a gateway with
    https.
    """

    def __init__(
        self,
        *,
        base_url: str,
        limits: Limits = Limits(),
        auth: Auth | None = None,
        ssl_context: ssl.SSLContext | None = None,
        proxy: str | None = None,
    ) -> None:
        # The URL is not quoted in the messages: a password in it is one of the things refused.
        url = urlsplit(base_url)
        if "@" in url.netloc or url.query or url.fragment:
            raise ValueError("base_url has a user, a query or a fragment; give https://host[:port][/path]")
        if not url.hostname or url.scheme not in ("http", "https"):
            raise ValueError("base_url is no web address; give https://host[:port][/path]")
        if url.scheme == "http" and not is_loopback(url.hostname):
            raise ValueError("base_url is plain http; only a loopback address may do without TLS")
        super().__init__(f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}", limits, auth)
        self._context = (ssl_context or tls_context()) if url.scheme == "https" else None
        self._proxies = {"https": proxy} if proxy else {}
        self._adapters: dict[int, GatewayAdapter] = {}
        """By process: on connections that were inherited two would read each other's answers."""

    def exchange(
        self, request: PreparedRequest, deadline: RequestDeadline, *, fresh: bool
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Carry a request over a kept connection of this process, or over one of its own."""
        adapter = None if fresh else self._adapters.get(os.getpid())
        if adapter is None:
            # Here, because requests takes long to import, and a worker may never call a gateway.
            from wallet_gateway.client.connection import GatewayAdapter

            adapter = GatewayAdapter(self._context, self._proxies)
        if not fresh:
            adapter = self._adapters.setdefault(os.getpid(), adapter)
        try:
            response, whole = adapter.exchange(request, deadline)
        finally:
            if fresh:
                adapter.close()
        return response.status_code, response.headers, whole

    def close(self) -> None:
        """Close the idle connections. The transport stays usable and opens new ones."""
        if adapter := self._adapters.get(os.getpid()):
            adapter.close()


def tls_context(
    ca_file: str | None = None, client_cert: str | tuple[str, str] | None = None
) -> ssl.SSLContext:
    """Return a context that verifies certificate and host name, with TLS 1.2 at least.

    `ca_file` names a PEM file to trust in place of the authorities that come with requests. `client_cert`
    names the PEM file of our own certificate and key, or one file for each; an encrypted key is refused.
    Raises OSError (ssl.SSLError is one) for a file that cannot be read, holds no certificate, or no key that
    fits. Built by hand: the ready-made contexts read SSL_CERT_FILE and SSLKEYLOGFILE from the environment.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cafile=ca_file or certifi.where())
    if client_cert is not None:
        certificate, key = (client_cert, None) if isinstance(client_cert, str) else client_cert
        # With a password, even an empty one, OpenSSL never stops to ask for one on the terminal.
        context.load_cert_chain(certificate, key, password="")
    return context


FROM_ENVIRONMENT = ""
"""The value of the setting that leaves it to `HTTPS_PROXY` and `NO_PROXY`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy and who named it."""

    url: str = field(repr=False)
    """With user and password, if it has them."""
    named_by: str
    """`PROXY` or `HTTPS_PROXY`."""

    @property
    def shown(self) -> str:
        """Its address without user and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def is_proxy(url: str) -> bool:
    """Return whether a text is the address of a proxy: http or https, a host, and no path."""
    try:
        parts: SplitResult = urlsplit(url)
        port_is_number = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and port_is_number
    return is_address and not (parts.path.strip("/") or parts.query or parts.fragment)


def is_loopback(host: str | None) -> bool:
    """Return whether a host name is this machine and nothing else."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def proxy_of(setting: str | None, base_url: str) -> Proxy | None:
    """Return a gateway's proxy: that of the setting, none for None, or the environment's at this moment.

    A gateway on this machine is reached without a proxy. Raises ValueError if the value in the environment is
    not the address of a proxy.
    """
    gateway = urlsplit(base_url)
    if setting is None or is_loopback(gateway.hostname):
        return None
    if setting != FROM_ENVIRONMENT:
        return Proxy(url=setting, named_by="PROXY")
    proxies = getproxies_environment()
    url = proxies.get("https", "")
    if gateway.scheme != "https" or not url or proxy_bypass_environment(gateway.netloc, proxies):
        return None
    proxy = Proxy(url=url if "://" in url else f"http://{url}", named_by="HTTPS_PROXY")
    if not is_proxy(proxy.url):
        # Not quoted: what is wrong may stand before a password.
        raise ValueError(
            "HTTPS_PROXY is no address of a proxy such as http://proxy.example:3128; correct it, or set PROXY"
        )
    return proxy
