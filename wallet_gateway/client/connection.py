"""urllib3's pool of connections to one gateway, with a connection class that knows when a byte may have left.

The pool keeps, checks and replaces connections. Its `urlopen` is not used: it would log each URL with its
query, swallow a broken pipe while sending, and wrap the answer for retries, redirects and streaming.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import os
import queue
import time
from typing import TYPE_CHECKING, Any, cast

# The connections from here, too: where they are made, a recorder that is at work in a test, as vcrpy, has put
# its own, and this may be the first import of the process.
from urllib3.connectionpool import (  # type: ignore[attr-defined]
    HTTPConnection,
    HTTPConnectionPool,
    HTTPSConnection,
    HTTPSConnectionPool,
)

from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.transport import KEPT_HEADERS, SignedRequest, check_size, unpack

if TYPE_CHECKING:
    import socket

    from _typeshed import WriteableBuffer

    from wallet_gateway.client.request_deadline import RequestDeadline

# At most one TLS record, so that writing one piece cannot outlast the timeout set for it.
_WRITE_SIZE = 16_384


class _DeadlineReader(io.RawIOBase):
    """A socket's bytes, each read of which obeys the request's deadline.

    A socket's timeout alone is no deadline: every byte that drips in starts it anew.
    """

    def __init__(self, stream: io.RawIOBase, sock: socket.socket, deadline: RequestDeadline) -> None:
        super().__init__()
        self._stream, self._sock, self._deadline = stream, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(self._deadline.socket_timeout())
        received = self._stream.readinto(buffer)
        self._deadline.count_received(received or 0)
        return received

    def close(self) -> None:
        self._stream.close()
        super().close()


class _DeadlineResponse(http.client.HTTPResponse):
    """http.client's answer, read under the deadline from its first byte on."""

    def __init__(self, deadline: RequestDeadline, sock: socket.socket, method: str | None = None) -> None:
        super().__init__(sock, method=method)
        # The stream below http.client's buffer holds the socket open until the answer is read.
        self.fp = io.BufferedReader(_DeadlineReader(self.fp.detach(), sock, deadline))


class Connection(HTTPConnection):
    """A connection that sets the write marker before the first byte of a request, and never opens itself.

    The marker, not an exception's class, tells what may be sent again: the same SSLError comes from a
    handshake, when nothing was sent, and from a bad record after the gateway did what it was asked.
    `idle_limit` is in seconds.
    """

    # http.client's own switch is global and prints whole requests, keys included; it ends here.
    debuglevel = 0
    auto_open = 0
    deadline: RequestDeadline
    body = b""
    opened_by = 0
    used_at = 0.0

    def __init__(self, host: str, port: int | None = None, *, idle_limit: float, **options: Any) -> None:
        super().__init__(host, port, **options)
        self._idle_limit = idle_limit

    @property
    def is_connected(self) -> bool:
        """Whether this process opened it, it idled below the limit, and the far end still holds it."""
        return (
            # Two processes on one inherited socket would read each other's answers.
            self.opened_by == os.getpid()
            # Not below zero: a test may have frozen the clock when it was used.
            and 0 <= time.monotonic() - self.used_at < self._idle_limit
            and super().is_connected
        )

    def exchange(self, request: SignedRequest, deadline: RequestDeadline) -> RawAnswer:
        """Send one request and read its whole answer; closes itself unless it can be used again."""
        if self.is_closed:
            self._open(deadline)
        with self._ask(request, deadline) as response:
            deadline.doing = f"reading the answer (HTTP {response.status})"
            body = _read_body(response, limit=deadline.max_answer_bytes)
            if response.will_close or not response.isclosed():
                self.close()
        self.used_at = time.monotonic()
        kept = {name: value for name in KEPT_HEADERS if (value := response.headers.get(name))}
        return RawAnswer(status=response.status, headers=kept, body=body, elapsed=deadline.elapsed)

    def send(self, data: object) -> None:
        """Write the head that http.client has put together and the body behind it, in one go."""
        if self.sock is None:
            raise http.client.NotConnected
        if not isinstance(data, bytes):
            raise TypeError(f"a request is sent as bytes, not as {type(data).__name__}")
        message = data + self.body
        for start in range(0, len(message), _WRITE_SIZE):
            self.sock.settimeout(self.deadline.socket_timeout())
            self.deadline.mark_sent()
            self.sock.sendall(message[start : start + _WRITE_SIZE])

    def _open(self, deadline: RequestDeadline) -> None:
        """Connect, TLS handshake included."""
        deadline.doing = "connecting"
        self.opened_by = os.getpid()
        self.timeout = deadline.connect_timeout()
        self.connect()

    def _ask(self, request: SignedRequest, deadline: RequestDeadline) -> http.client.HTTPResponse:
        """Send one request and read the head of its answer."""
        self.deadline, self.body = deadline, request.body or b""
        self.response_class = functools.partial(_DeadlineResponse, deadline)  # type: ignore[assignment]
        deadline.doing = "sending"
        self.putrequest(request.method, request.target, skip_accept_encoding=True)
        for name, value in request.headers.items():
            self.putheader(name, value)
        self.endheaders()
        deadline.doing = "waiting for the answer"
        # urllib3 would wrap the answer for streaming and unpacking: half the price of a bare call. Not by the
        # name in http.client, under which a recorder puts its own class.
        return super(HTTPConnection, self).getresponse()


class TlsConnection(Connection, HTTPSConnection):
    """The same over TLS. The handshake belongs to connecting, so it never sets the marker."""


class _IdleStack(queue.LifoQueue[Any]):
    """What the pool keeps idle connections in: the one used last is taken first, one too many is closed.

    A list's end is changed atomically, so there is no lock that a fork could leave held for ever.
    """

    def get(self, block: bool = True, timeout: float | None = None) -> Connection | None:  # noqa: ARG002, FBT001, FBT002
        try:
            last: Connection | None = self.queue.pop()
        except IndexError:
            raise queue.Empty from None
        return last

    def put(self, item: Connection | None, block: bool = True, timeout: float | None = None) -> None:  # noqa: ARG002, FBT001, FBT002
        if len(self.queue) < self.maxsize:
            self.queue.append(item)
        elif item is not None:
            item.close()


class Pool(HTTPConnectionPool):
    """Connections to one gateway, for all threads of a process, but not across a fork."""

    ConnectionCls = Connection
    QueueCls = _IdleStack

    def exchange(self, request: SignedRequest, deadline: RequestDeadline, *, fresh: bool) -> RawAnswer:
        """Send one request over an idle connection, or over a new one; a `fresh` one is closed afterwards."""
        connection = cast(Connection, self._new_conn() if fresh else self._get_conn())
        reusable = False
        try:
            answer = connection.exchange(request, deadline)
            reusable = not fresh and not connection.is_closed
        finally:
            if reusable:
                self._put_conn(connection)
            else:
                connection.close()
        return answer

    def close_idle(self) -> None:
        """Close the idle connections; new ones are opened when they are needed."""
        with contextlib.suppress(queue.Empty):
            while self.pool is not None:
                if connection := self.pool.get(block=False):
                    connection.close()


class TlsPool(Pool, HTTPSConnectionPool):
    """The same over TLS, with the context given as `ssl_context`."""

    ConnectionCls = TlsConnection


def _read_body(response: http.client.HTTPResponse, *, limit: int) -> bytes:
    """Read and unpack the whole body; raises AnswerTooLarge beyond `limit` bytes, and BadEncoding."""
    check_size(response.length or 0, limit)
    # http.client holds a body to its promised length only when asked for all of it.
    packed = response.read() if response.length is not None else response.read(limit + 1)
    return unpack(packed, response.headers.get("content-encoding", ""), limit=limit)
