"""Send one request over HTTP and return one whole answer of any status. Knows no message, no endpoint.

Nothing here could repeat a request: there are no retries, no redirects and no cookies. Nothing is read from
the environment, where a `.netrc` entry would replace our credentials; which proxy there is, the caller says.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlencode, urlsplit

import certifi

from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.proxy import is_loopback
from wallet_gateway.client.request_deadline import Limits, RequestDeadline
from wallet_gateway.client.transport import KEPT_HEADERS, Auth, prepared_request, request_headers

if TYPE_CHECKING:
    from wallet_gateway.client.connection import GatewayAdapter


class HttpTransport:
    """HTTP to one gateway, for all threads of a process. Connections are kept, but not across a fork.

    `base_url` is https, or http on a loopback address; anything else is a ValueError. Times are in seconds:
    `connect_timeout` for TCP and again for TLS, `read_timeout` for each wait, `total_timeout` up to the last
    byte; a connection idle for `keepalive_idle` is not used again. `auth` may set headers and nothing else.
    `ca_file` names a PEM file to trust in place of the authorities that come with requests; there is no way
    not to verify. `client_cert` names the PEM file of our own certificate and key, or one file for each; an
    encrypted key is refused. Raises OSError for a file that cannot be read or is not what it should be.
    `ssl_context` is one of `tls_context` in place of both: some 0.7 MB that many transports can share.
    `proxy` is the address of a proxy that makes a tunnel (CONNECT) to a gateway with https.
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
        client_cert: str | tuple[str, str] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        proxy: str | None = None,
    ) -> None:
        url = _checked(base_url)
        self._base_url = f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"
        self._limits = Limits(
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            total_timeout=total_timeout,
            keepalive_idle=keepalive_idle,
            max_answer_bytes=max_answer_bytes,
        )
        self._auth = auth
        is_tls = url.scheme == "https"
        self._context = (ssl_context or tls_context(ca_file, client_cert)) if is_tls else None
        self._proxies = {"https": proxy} if proxy else {}
        self._adapters: dict[int, GatewayAdapter] = {}
        """By process: on connections that were inherited two would read each other's answers."""

    def __repr__(self) -> str:
        return f"HttpTransport(base_url={self._base_url!r})"

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

        `fresh` uses a new connection and closes it: on a kept one the far end may have hung up just now, and
        whether it had read the request would be unknown. `not_after` is an instant of `steady_seconds`:
        later than that not one byte is sent.
        """
        url = self._base_url + path + (f"?{urlencode(query)}" if query else "")
        deadline = RequestDeadline(limits=self._limits, not_after=not_after)
        with deadline:
            complete = request_headers(headers or {}, body=body, fresh=fresh)
            request = prepared_request(method, url, complete, body=body, auth=self._auth)
            adapter = self._new_adapter() if fresh else self._kept_adapter()
            try:
                response, whole = adapter.exchange(request, deadline)
            finally:
                if fresh:
                    adapter.close()
            kept = {name: value for name in KEPT_HEADERS if (value := response.headers.get(name))}
            return RawAnswer(status=response.status_code, headers=kept, body=whole, elapsed=deadline.elapsed)
        raise deadline.error

    def close(self) -> None:
        """Close the idle connections. The transport stays usable and opens new ones."""
        if adapter := self._adapters.get(os.getpid()):
            adapter.close()

    def _kept_adapter(self) -> GatewayAdapter:
        process = os.getpid()
        return self._adapters.get(process) or self._adapters.setdefault(process, self._new_adapter())

    def _new_adapter(self) -> GatewayAdapter:
        # Here, because requests takes long to import, and a worker may never call a gateway.
        from wallet_gateway.client.connection import GatewayAdapter

        return GatewayAdapter(self._context, self._proxies)


def tls_context(
    ca_file: str | None = None, client_cert: str | tuple[str, str] | None = None
) -> ssl.SSLContext:
    """Return a context that verifies certificate and host name, with TLS 1.2 at least.

    Built by hand: the ready-made contexts read SSL_CERT_FILE and SSLKEYLOGFILE from the environment. Raises
    OSError (ssl.SSLError is one) for a file that cannot be read, holds no certificate, or no key that fits.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cafile=ca_file or certifi.where())
    if client_cert is not None:
        certificate, key = (client_cert, None) if isinstance(client_cert, str) else client_cert
        # With a password, even an empty one, OpenSSL never stops to ask for one on the terminal.
        context.load_cert_chain(certificate, key, password="")
    return context


def _checked(base_url: str) -> SplitResult:
    # The URL is not quoted in the messages: a password in it is one of the things refused.
    url = urlsplit(base_url)
    if "@" in url.netloc or url.query or url.fragment:
        raise ValueError("base_url has a user, a query or a fragment; give https://host[:port][/path]")
    if not url.hostname or url.scheme not in ("http", "https"):
        raise ValueError("base_url is no web address; give https://host[:port][/path]")
    if url.scheme == "http" and not is_loopback(url.hostname):
        raise ValueError("base_url is plain http; only a loopback address may do without TLS")
    return url
