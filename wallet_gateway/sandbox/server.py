"""The sandbox's HTTP server: the standard library's WSGI server with a thread for each connection.

HTTP/1.1 with keep-alive and chunked bodies for any WSGI application. A body that is too large is read to
the end but not kept, so that the sender can still read the answer. An application that wants its answer
delivered slowly or broken says so in the ``Delivery`` object of the WSGI environment. Waiting is done with
a sleep that a reset or the server's shutdown can cancel. Answered requests are not logged; the journal has
them all. Only for tests and development: nothing here withstands the open net.
"""

from __future__ import annotations

import contextlib
import io
import json
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from email.message import Message
from email.utils import formatdate
from enum import StrEnum
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from io import BufferedIOBase
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from django.db import connections

MAX_BODY_BYTES: Final = 1_048_576
MAX_KEPT_BYTES: Final = MAX_BODY_BYTES + 1
"""One byte above the maximum, from which the application recognises a body that is too large."""
MAX_DRAINED_BYTES: Final = 64 * 1_048_576
"""Maximum bytes drained before closing."""
_BLOCK: Final = 65_536
_MAX_CHUNK_LINE_LENGTH: Final = 1_024


class UnreadableRequest(ValueError):
    """The body's end is unknown or too far away; ``status`` is the answer."""

    def __init__(self, text: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(text)
        self.status = status


def read_body(stream: BufferedIOBase, headers: Message) -> bytes:
    """Read the whole body, by its length or in chunks, and return at most ``MAX_KEPT_BYTES`` of it.

    Raises ``UnreadableRequest``, or ``ConnectionError`` where the connection ends within the body.
    """
    encodings = headers.get_all("Transfer-Encoding", [])
    lengths = headers.get_all("Content-Length", [])
    sizes: Iterable[int] = ()
    if encodings:
        # Both headers at once allow request smuggling.
        if lengths or [encoding.strip().lower() for encoding in encodings] != ["chunked"]:
            raise UnreadableRequest(
                "Transfer-Encoding must be 'chunked', alone and without a Content-Length."
            )
        sizes = _chunk_sizes(stream)
    elif lengths:
        text = lengths[0].strip()
        if len(set(lengths)) != 1 or not (text.isascii() and text.isdigit()) or len(text) > 15:
            given = f"{', '.join(lengths)!r:.60}"
            raise UnreadableRequest(f"Content-Length must be one whole number, not {given}.")
        sizes = (int(text),)
    body, taken = bytearray(), 0
    for size in sizes:
        taken += size
        if taken > MAX_DRAINED_BYTES:
            text = f"The body has more than {MAX_DRAINED_BYTES} bytes."
            raise UnreadableRequest(text, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        left = size
        while left:
            block = stream.read(min(left, _BLOCK))
            if not block:
                raise ConnectionError("The connection ended in the middle of the body.")
            left -= len(block)
            body += block[: MAX_KEPT_BYTES - len(body)]
    return bytes(body)


def _chunk_sizes(stream: BufferedIOBase) -> Iterator[int]:
    """Yield the size of each chunk, whose content is then read before the next size."""
    while True:
        digits = _line(stream).partition(b";")[0].strip()
        # int() alone would also accept "0x10", "1_0" and "-1".
        if not digits or digits.strip(b"0123456789abcdefABCDEF"):
            raise UnreadableRequest("A chunk does not begin with its size.")
        size = int(digits, 16)
        if not size:
            break
        yield size
        if _line(stream):
            raise UnreadableRequest("A chunk is longer than it says.")
    while _line(stream):  # discard trailers
        pass


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(_MAX_CHUNK_LINE_LENGTH)
    if not line:
        raise ConnectionError("The connection ended in the middle of the body.")
    if not line.endswith(b"\n"):
        raise UnreadableRequest("A line between chunks is too long.")
    return line.rstrip(b"\r\n")


# How an answer leaves the socket

ENVIRON_KEY: Final = "wallet_sandbox.delivery"
"""Key of the ``Delivery`` object in the WSGI environment."""

DRIP_SECONDS: Final = 0.08
"""Seconds between the bytes of a dripping answer."""

GARBAGE_STATUS_LINE: Final = b"HTTP/one-point-one fine thank you\r\n"


class DeliveryMode(StrEnum):
    """The modes of delivery."""

    WHOLE = "whole"
    DROPPED = "dropped"
    """The connection is closed without a byte."""
    TRUNCATED = "truncated"
    """All headers and half of the body, then the connection is closed."""
    RESET = "reset"
    """Like truncated, but the connection is reset."""
    DRIP = "drip"
    """The body is sent one byte at a time."""
    BAD_STATUS_LINE = "bad_status_line"
    """The status line is invalid."""


@dataclass(slots=True, kw_only=True)
class Delivery:
    """The delivery of one answer; mutable, because WSGI offers no other way back to the server."""

    mode: DeliveryMode = DeliveryMode.WHOLE
    drip_seconds: float = DRIP_SECONDS


def deliver(connection: socket.socket, *, head: bytes, body: bytes, delivery: Delivery) -> bool:
    """Send one answer; return whether the connection can be reused.

    ``head`` ends with the empty line. Raises ``OSError`` if the peer has closed the connection, and
    ``SleepCancelled``.
    """
    match delivery.mode:
        case DeliveryMode.WHOLE:
            connection.sendall(head + body)
            return True
        case DeliveryMode.DRIP:
            connection.sendall(head)
            for byte in body:
                cancellable_sleep(delivery.drip_seconds)
                connection.sendall(bytes((byte,)))
            return True
        case DeliveryMode.DROPPED:
            pass
        case DeliveryMode.BAD_STATUS_LINE:
            connection.sendall(GARBAGE_STATUS_LINE + head.partition(b"\r\n")[2] + body)
        case DeliveryMode.TRUNCATED:
            connection.sendall(head + body[: len(body) // 2])
        case DeliveryMode.RESET:
            connection.sendall(head + body[: len(body) // 2])
            # With a linger time of zero, close() resets the connection, unless shutdown() was called before:
            # therefore close it here, before the server shuts it down.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
    return False


class SleepCancelled(Exception):
    """The sleep was cancelled; what follows it must not be done."""


_cancelled = threading.Event()


def cancellable_sleep(seconds: float) -> None:
    """Sleep for a time; raises ``SleepCancelled``."""
    if _cancelled.wait(seconds):
        raise SleepCancelled


def cancel_all_sleeps() -> None:
    """Cancel all current sleeps; later ones are not affected."""
    global _cancelled
    waited_for, _cancelled = _cancelled, threading.Event()
    waited_for.set()


# Sockets and threads

_SHUTDOWN_TIMEOUT_SECONDS: Final = 5.0
_MAX_REQUEST_LINE_LENGTH: Final = 65_536
_DRAIN_TIMEOUT_SECONDS: Final = 2.0


class GatewayServer(socketserver.ThreadingMixIn, WSGIServer):
    """Serves a WSGI application on one address until it is shut down.

    Raises ``OSError`` if the address cannot be bound.
    """

    daemon_threads = True
    # On other platforms this option would let two servers share a port.
    allow_reuse_address = hasattr(socket, "SO_REUSEPORT")
    request_queue_size = 1024

    def __init__(self, *, host: str, port: int, application: Callable[..., Any]) -> None:
        self.address_family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        self.is_shutting_down = False
        self._connections: set[Any] = set()
        self._connections_changed = threading.Condition()
        super().__init__((host, port), Connection)
        self.set_app(application)

    def server_bind(self) -> None:
        """Bind the address without asking for the host's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        host, self.server_port = self.server_address[:2]
        self.server_name = str(host)
        self.setup_environ()

    @property
    def url(self) -> str:
        """The server's base URL, with the actual port."""
        host = f"[{self.server_name}]" if ":" in self.server_name else self.server_name
        return f"http://{host}:{self.server_port}"

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        """Serve a new connection in a thread of its own."""
        with self._connections_changed:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as in the base class
        """Close a connection, and its thread's connection to the database."""
        super().shutdown_request(request)
        connections.close_all()
        with self._connections_changed:
            self._connections.discard(request)
            self._connections_changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        """Print an error, unless the peer has disconnected, which it may do at any moment."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """Stop listening, and let current answers finish."""
        self.is_shutting_down = True
        super().server_close()
        cancel_all_sleeps()
        with self._connections_changed:
            for connection in self._connections:
                # Ends the wait for the next request; the current answer can still be sent.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
            self._connections_changed.wait_for(lambda: not self._connections, _SHUTDOWN_TIMEOUT_SECONDS)


class Connection(WSGIRequestHandler):
    """Serves one connection until it is closed."""

    server: GatewayServer
    protocol_version = "HTTP/1.1"
    timeout = 75
    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Answer one request after the other; the base class closes the connection after the first."""
        BaseHTTPRequestHandler.handle(self)

    def handle_one_request(self) -> None:
        """Read and answer one request; ``close_connection`` says whether another may follow."""
        self.close_connection = True
        self.command = self.request_version = ""
        try:
            self.raw_requestline = self.rfile.readline(_MAX_REQUEST_LINE_LENGTH + 1)
            if len(self.raw_requestline) > _MAX_REQUEST_LINE_LENGTH:
                self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG)
            elif self.raw_requestline and self.parse_request():
                self._read_and_answer()
        except (TimeoutError, ConnectionError, SleepCancelled):
            # A client that disconnects or times out is normal.
            self.close_connection = True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that cannot reach the application with the service's error body, and close."""
        self.close_connection = True
        status = HTTPStatus(code)
        text = message or explain or status.description or status.phrase
        body = json.dumps({"code": f"4{code}000", "details": {"message": text}}).encode()
        self._send(f"{code} {status.phrase}", [("Content-Type", "application/json")], body, Delivery())
        # Closing a socket with unread input resets the connection, and the reset may overtake the answer.
        self.connection.settimeout(_DRAIN_TIMEOUT_SECONDS)
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            read = 0
            while read < MAX_DRAINED_BYTES and (block := self.connection.recv(65_536)):
                read += len(block)

    def get_environ(self) -> dict[str, Any]:
        """Return the environment of a request, without its body."""
        # In the environment, a name with an underscore could not be told from one with a hyphen.
        for name in [name for name in self.headers if "_" in name]:
            del self.headers[name]
        # The base class takes a body without a type for text.
        return super().get_environ() | {"CONTENT_TYPE": self.headers.get("Content-Type", "")}

    def _read_and_answer(self) -> None:
        keep_alive = not self.close_connection
        try:
            body = read_body(self.rfile, self.headers)
        except UnreadableRequest as error:
            self.send_error(error.status, str(error))
            return
        delivery = Delivery()
        environ = self.get_environ() | {
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            ENVIRON_KEY: delivery,
        }
        status, headers = "", list[tuple[str, str]]()

        def start_response(line: str, fields: list[tuple[str, str]], _exc_info: object = None) -> None:
            nonlocal status, headers
            status, headers = line, fields

        application: Any = self.server.get_app()
        answer = application(environ, start_response)
        try:
            content = b"".join(answer)
        finally:
            answer.close()
        may_stay = self._send(status, headers, content, delivery)
        self.close_connection = not (may_stay and keep_alive and not self.server.is_shutting_down)

    def _send(self, status: str, headers: list[tuple[str, str]], body: bytes, delivery: Delivery) -> bool:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
        lines.append(f"Date: {formatdate(usegmt=True)}")
        if not any(name.lower() == "content-length" for name, _ in headers):
            lines.append(f"Content-Length: {len(body)}")
        if self.close_connection:
            lines.append("Connection: close")
        elif self.request_version == "HTTP/1.0":
            lines.append("Connection: keep-alive")
        head = "\r\n".join((*lines, "", "")).encode("latin-1")
        sent = b"" if self.command == "HEAD" or status.startswith(("204", "304")) else body
        return deliver(self.connection, head=head, body=sent, delivery=delivery)
