"""One connection to the gateway: sets the write marker, reads under a deadline, unpacks one body.

Knows urllib3's connection classes and nothing of pools, statuses or what a body means.
"""

from __future__ import annotations

import functools
import http.client
import io
import os
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from urllib3.connection import HTTPConnection, HTTPSConnection

from wallet_gateway.client.exception_map import AnswerTooLarge, BadEncoding

if TYPE_CHECKING:
    import socket

    from _typeshed import WriteableBuffer

    from wallet_gateway.client.request_deadline import Attempt

# At most one TLS record, so that writing one piece cannot outlast the patience given to it.
_PIECE = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One request as it goes over the wire. `repr` hides what may be secret or personal."""

    method: str
    target: str = field(repr=False)
    """Path and query."""
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)


class _PatientReader(io.RawIOBase):
    """A socket's bytes, each read of which obeys the attempt's clock.

    A socket's timeout alone is no deadline: every byte that drips in starts it anew.
    """

    def __init__(self, stream: io.RawIOBase, sock: socket.socket, attempt: Attempt) -> None:
        super().__init__()
        self._stream, self._sock, self._attempt = stream, sock, attempt

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(self._attempt.patience())
        received = self._stream.readinto(buffer)
        self._attempt.count(received or 0)
        return received

    def close(self) -> None:
        self._stream.close()
        super().close()


class _PatientResponse(http.client.HTTPResponse):
    """http.client's answer, read through the patient reader from its first byte on."""

    def __init__(self, attempt: Attempt, sock: socket.socket, method: str | None = None) -> None:
        super().__init__(sock, method=method)
        # The stream below http.client's buffer holds the socket open until the answer is read.
        self.fp = io.BufferedReader(_PatientReader(self.fp.detach(), sock, attempt))


class Connection(HTTPConnection):
    """A connection that sets the attempt's marker before the first byte of a request, and never opens itself.

    The marker, not an exception's class, tells what may be sent again: the same SSLError comes from a
    handshake, when nothing was sent, and from a bad record after the gateway did what it was asked.
    """

    # http.client's own switch is global and prints whole requests, keys included; it ends here.
    debuglevel = 0
    auto_open = 0
    attempt: Attempt
    body = b""
    opened_by = 0
    idle_since = 0.0

    def open(self, attempt: Attempt) -> None:
        """Connect, TLS handshake included."""
        attempt.doing = "connecting"
        self.opened_by = os.getpid()
        self.timeout = attempt.connect_patience()
        self.connect()

    def is_reusable(self, *, idle_limit: float) -> bool:
        """Tell whether this process opened it, it idled below the limit, and the far end still holds it."""
        return (
            # Two processes on one inherited socket would read each other's answers.
            self.opened_by == os.getpid()
            and time.monotonic() - self.idle_since < idle_limit
            and self.is_connected
        )

    def ask(self, request: Outgoing, attempt: Attempt) -> http.client.HTTPResponse:
        """Send one request and read the head of its answer."""
        self.attempt, self.body = attempt, request.body or b""
        self.response_class = functools.partial(_PatientResponse, attempt)  # type: ignore[assignment]
        attempt.doing = "sending"
        self.putrequest(request.method, request.target, skip_accept_encoding=True)
        for name, value in request.headers.items():
            self.putheader(name, value)
        self.endheaders()
        attempt.doing = "waiting for the answer"
        # urllib3 would wrap the answer for streaming, redirects and unpacking: half the price of a bare call.
        return http.client.HTTPConnection.getresponse(self)

    def send(self, data: object) -> None:
        """Write the head that http.client has put together and the body behind it, in one go."""
        if self.sock is None:
            raise http.client.NotConnected
        if not isinstance(data, bytes):
            raise TypeError(f"a request is sent as bytes, not as {type(data).__name__}")
        message = data + self.body
        for start in range(0, len(message), _PIECE):
            self.sock.settimeout(self.attempt.patience())
            self.attempt.mark_sent()
            self.sock.sendall(message[start : start + _PIECE])


class TlsConnection(Connection, HTTPSConnection):
    """The same over TLS. The handshake belongs to connecting, so it never sets the marker."""


def read_body(response: http.client.HTTPResponse, *, limit: int) -> bytes:
    """Read and unpack the whole body; raises AnswerTooLarge beyond `limit` bytes, and BadEncoding."""
    _check_size(response.length or 0, limit)
    # http.client holds a body to its promised length only when asked for all of it.
    packed = response.read() if response.length is not None else response.read(limit + 1)
    _check_size(len(packed), limit)
    # We ask for answers as they are; some proxies pack them all the same.
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return packed
    if encoding in ("gzip", "x-gzip"):
        return _gunzip(packed, limit=limit)
    raise BadEncoding("the body is packed with something else than gzip")


def _gunzip(packed: bytes, *, limit: int) -> bytes:
    stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    body = stream.decompress(packed, limit + 1)
    _check_size(len(body), limit)
    if not stream.eof or stream.unused_data:
        raise BadEncoding("the gzip stream ends too early or too late")
    return body


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise AnswerTooLarge(f"an answer may have {limit} bytes, packed and unpacked")
