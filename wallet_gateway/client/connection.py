"""requests' adapter for one gateway, on connections that know when a byte of a request may have left.

Pools, TLS, proxies, framing and unpacking are those of requests and urllib3. Of our own are three things that
they do not have: the write marker, set right before the first byte of the request itself and never by a TLS
handshake or a proxy's CONNECT; one deadline for the whole call, which each wait on the socket obeys; and the
age of an idle connection. The libraries hand nothing of a call down to its connection, so the call that is
under way in this thread is a context variable.
"""

from __future__ import annotations

import http.client
import inspect
import io
import logging
import re
import time
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from requests.adapters import HTTPAdapter

# The connections from here, too: where they are made, a recorder that is at work in a test, as vcrpy, has put
# its own, and this may be the first import of the process.
from urllib3.connectionpool import HTTPConnection, HTTPConnectionPool, HTTPSConnection, HTTPSConnectionPool  # type: ignore[attr-defined]
from urllib3.exceptions import ProtocolError

from wallet_gateway.client.errors import AnswerCutOff, AnswerTooLarge, ProxyRefused

if TYPE_CHECKING:
    import socket
    import ssl

    from _typeshed import WriteableBuffer
    from requests import PreparedRequest, Response
    from urllib3 import BaseHTTPResponse

    from wallet_gateway.client.transport import RequestDeadline

# At most one TLS record, so that writing one piece cannot outlast the timeout set for it.
_WRITE_SIZE = 16_384
_READ_SIZE = 65_536
# A worker process has no use for more idle connections than it has threads.
_MOST_IDLE = 64
_TUNNEL = re.compile(r"Tunnel connection failed: (\d{3})")

_call: ContextVar[RequestDeadline | None] = ContextVar("wallet_gateway_call", default=None)


def _deadline() -> RequestDeadline:
    deadline = _call.get()
    assert deadline is not None  # noqa: S101 - only `GatewayAdapter.exchange` uses these connections
    return deadline


def _names_no_path(record: logging.LogRecord) -> bool:
    """Filter out urllib3's log lines that contain the URL of one of our calls, with its query."""
    return _call.get() is None or "/" not in record.getMessage()


for _name in ("urllib3.connection", "urllib3.connectionpool", "urllib3.util.retry"):
    logging.getLogger(_name).addFilter(_names_no_path)


class _DeadlineReader(io.RawIOBase):
    """A socket's bytes, each read of which obeys the call's deadline.

    A socket's timeout alone is no deadline: every byte that drips in starts it anew.
    """

    def __init__(self, stream: io.RawIOBase, sock: socket.socket, deadline: RequestDeadline) -> None:
        super().__init__()
        self._stream, self._sock, self._deadline = stream, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(self._deadline.timeout(self._deadline.limits.read))
        received = self._stream.readinto(buffer)
        self._deadline.count_received(received or 0)
        return received

    def close(self) -> None:
        self._stream.close()
        super().close()


class _DeadlineResponse(http.client.HTTPResponse):
    """http.client's answer, read under the deadline from its first byte on."""

    def __init__(self, sock: socket.socket, method: str | None = None) -> None:
        super().__init__(sock, method=method)
        # The stream below http.client's buffer holds the socket open until the answer is read.
        self.fp = io.BufferedReader(_DeadlineReader(self.fp.detach(), sock, _deadline()))

    def _read_status(self) -> tuple[str, int, str]:
        """Read on until the answer itself: http.client knows of the answers before it only 100 Continue."""
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 100 < status < 200 or status == http.HTTPStatus.SWITCHING_PROTOCOLS:
                return version, status, reason
            http.client.parse_headers(self.fp)


class Connection(HTTPConnection):
    """A connection that sets the write marker before the first byte of a request.

    The marker, not an exception's class, tells what may be sent again: the same SSLError comes from a
    handshake, when nothing was sent, and from a bad record after the gateway did what it was asked.
    """

    # http.client's own switch is global and prints whole requests, keys included; it ends here.
    debuglevel = 0
    response_class = _DeadlineResponse
    used_at = 0.0
    _is_opening = False

    @property
    def is_connected(self) -> bool:
        """Whether it idled below the limit, and the far end still holds it."""
        idle = time.monotonic() - self.used_at
        # Not below zero: a test may have frozen the clock when it was used.
        return 0 <= idle < _deadline().limits.idle and super().is_connected

    def connect(self) -> None:
        """Connect: to the gateway or through the proxy, TLS handshake included."""
        deadline = _deadline()
        deadline.doing, self.timeout = "connecting", deadline.timeout(deadline.limits.connect)
        self._is_opening = True
        try:
            super().connect()
        except OSError as error:
            if refused := _TUNNEL.match(str(error)):
                raise ProxyRefused(f"the proxy refused the tunnel with HTTP {refused[1]}") from error
            raise
        finally:
            self._is_opening = False

    def send(self, data: Any) -> None:  # noqa: ANN401 - the library's
        """Write a part of the request in pieces, the first of which sets the marker."""
        if self._is_opening:
            super().send(data)  # the CONNECT to a proxy
            return
        if self.sock is None:
            self.connect()
        deadline = _deadline()
        deadline.doing = "sending"
        for start in range(0, len(data), _WRITE_SIZE):
            self.sock.settimeout(deadline.timeout(deadline.limits.read))
            deadline.mark_sent()
            self.sock.sendall(data[start : start + _WRITE_SIZE])

    def getresponse(self) -> Any:  # noqa: ANN401 - the library's
        """Read the head of the answer."""
        deadline = _deadline()
        deadline.doing = "waiting for the answer"
        response = super().getresponse()
        deadline.doing = f"reading the answer (HTTP {response.status})"
        self.used_at = time.monotonic()
        return response


class TlsConnection(Connection, HTTPSConnection):
    """The same over TLS. The handshake belongs to connecting, so it never sets the marker."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = Connection
    # Who records or traces a shop's requests does not see ours, which may have an account in the path.
    urlopen = inspect.unwrap(HTTPConnectionPool.urlopen)


class _TlsPool(_Pool, HTTPSConnectionPool):
    ConnectionCls = TlsConnection


_POOLS = {"http": _Pool, "https": _TlsPool}


class GatewayAdapter(HTTPAdapter):
    """Connections to one gateway, for all threads of a process, but not across a fork.

    It repeats nothing, follows no redirect, keeps no cookie and reads nothing of the environment.
    """

    def __init__(self, context: ssl.SSLContext | None, proxies: Mapping[str, str]) -> None:
        self._context, self._proxies = context, dict(proxies)
        super().__init__(pool_connections=1, pool_maxsize=_MOST_IDLE, max_retries=0)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def exchange(self, request: PreparedRequest, deadline: RequestDeadline) -> tuple[Response, bytes]:
        """Send one request; return its answer and the whole body, unpacked."""
        token = _call.set(deadline)
        try:
            response = self.send(request, stream=True, proxies=self._proxies)
            try:
                return response, read_body(response.raw, limit=deadline.limits.max_answer_bytes)
            finally:
                # Read to its end it has gone back to the pool; else it is not used again.
                response.close()
        finally:
            _call.reset(token)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:  # noqa: ANN401 - the library's
        """Return the connections through a proxy, of the same kind."""
        manager = super().proxy_manager_for(proxy, proxy_ssl_context=self._context, **options)
        manager.pool_classes_by_scheme = _POOLS
        return manager

    def cert_verify(self, *_: object) -> None:
        """Leave it to the context, which always verifies."""

    def build_connection_pool_key_attributes(self, request: PreparedRequest, *_: Any, **__: Any) -> Any:  # noqa: ANN401 - the library's
        """Give every connection the context, in place of one that the adapter would make."""
        host, _options = super().build_connection_pool_key_attributes(request, verify=True)
        return host, {"ssl_context": self._context} if self._context else {}


def read_body(answer: BaseHTTPResponse, *, limit: int) -> bytes:
    """Read and unpack a whole body; raises AnswerTooLarge beyond `limit` bytes."""
    if 300 <= answer.status < 400:
        return b""  # what stands behind a redirect is not the gateway's
    too_large = AnswerTooLarge(f"an answer may have {limit} bytes, packed and unpacked")
    if (answer.length_remaining or 0) > limit:
        raise too_large
    body = bytearray()
    try:
        for piece in answer.stream(_READ_SIZE, decode_content=True):
            body += piece
            if len(body) > limit:
                raise too_large
    except ProtocolError as error:
        raise AnswerCutOff("the answer is not whole") from error
    return bytes(body)
