"""Servers that misbehave on purpose: real sockets on port 0, every connection and every request counted."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO


@dataclass(frozen=True)
class Request:
    """One complete request as the server read it."""

    line: str
    headers: dict[str, str]
    body: bytes


Behaviour = Callable[[socket.socket, Request], bool]
"""Answers one request; True keeps the connection for the next."""


@dataclass
class RawServer:
    """Reads whole requests and lets `behaviour` answer them with whatever bytes it likes."""

    behaviour: Behaviour
    tls: ssl.SSLContext | None = None
    before_handshake: float = 0.0
    greeting: bytes = b""
    """What is said before anything is asked."""
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    hung_up: int = 0
    """Connections the client has closed."""
    closed: int = 0
    """Connections that are over, no matter which side has closed them."""

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._open: list[socket.socket] = []
        self.stopping = threading.Event()

    @property
    def base_url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> RawServer:
        self._threads[0].start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                # Not the TLS socket's own: it would pull the keys from under its reading thread.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._open.append(connection)
                thread = threading.Thread(target=self._serve, args=(connection,))
                self._threads.append(thread)
                thread.start()

    def _serve(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError), plain:
            self.stopping.wait(self.before_handshake)
            self._converse(self.tls.wrap_socket(plain, server_side=True) if self.tls else plain)
        self.closed += 1

    def _converse(self, connection: socket.socket) -> None:
        self._open.append(connection)
        connection.sendall(self.greeting)
        with connection, connection.makefile("rb") as stream:
            while request := read_request(stream):
                self.requests.append(request)
                if not self.behaviour(connection, request):
                    return
            self.hung_up += 1


def read_request(stream: BinaryIO) -> Request | None:
    """Read one request with its promised body; None when the client has hung up."""
    line = stream.readline()
    headers: dict[str, str] = {}
    while (row := stream.readline()) not in (b"\r\n", b""):
        name, _, value = row.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    return Request(line.decode("latin-1").strip(), headers, body) if row else None


def says(data: bytes, *, keep: bool = False) -> Behaviour:
    """A behaviour that sends these bytes, then waits for the next request or hangs up."""

    def behave(connection: socket.socket, _request: Request) -> bool:
        connection.sendall(data)
        return keep

    return behave


def answer(
    body: bytes = b"{}", *, status: str = "200 OK", headers: tuple[str, ...] = (), length: int | None = None
) -> bytes:
    """A well-formed answer, but for a wrong `length` if one is given."""
    rows = (f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers)
    return "\r\n".join((*rows, "", "")).encode() + body


def chunked(*chunks: bytes) -> bytes:
    """The head of a chunked answer followed by what is given as chunks, as it stands."""
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(chunks)


def drips(data: bytes, *, each: float = 0.04) -> Behaviour:
    """A behaviour that sends at once what stands before the mark, the rest byte by byte."""

    def behave(connection: socket.socket, _request: Request) -> bool:
        at_once, _, slowly = data.partition(b"<slowly>")
        connection.sendall(at_once)
        for byte in slowly:
            time.sleep(each)
            connection.sendall(bytes([byte]))
        return False

    return behave


def pours(head: bytes, piece: bytes, *, times: int) -> Behaviour:
    """A behaviour that sends a flood; the client is expected to hang up on it."""

    def behave(connection: socket.socket, _request: Request) -> bool:
        connection.sendall(head)
        for _ in range(times):
            connection.sendall(piece)
        return False

    return behave


def stays_silent(connection: socket.socket, _request: Request) -> bool:
    """Read the request and never answer."""
    return True


def hangs_up(connection: socket.socket, _request: Request) -> bool:
    """Read the request and close."""
    return False


def resets(after: bytes = b"") -> Behaviour:
    """A behaviour that sends these bytes, then breaks the connection with a reset."""

    def behave(connection: socket.socket, _request: Request) -> bool:
        connection.sendall(after)
        time.sleep(0.05 if after else 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    return behave


def breaks_tls(connection: socket.socket, _request: Request) -> bool:
    """Answer past the encryption: the client finds an invalid record."""
    with socket.socket(fileno=os.dup(connection.fileno())) as plain:
        plain.sendall(b"no TLS record at all, and long enough to be read as a whole one")
    return False


@contextlib.contextmanager
def full_backlog() -> Iterator[int]:
    """A port whose listener takes no more connections, so that a new one waits."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, contextlib.ExitStack() as queue:
        for _ in range(4):
            waiting = queue.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield int(listener.getsockname()[1])


def unused_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def slow_reader(*, each: float = 0.02) -> Iterator[int]:
    """A port whose server takes in a request sip by sip and never answers."""
    stopping = threading.Event()

    def sip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            while not stopping.wait(each) and connection.recv(4096):
                pass

    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=sip, args=(listener,))
        thread.start()
        yield int(listener.getsockname()[1])
        stopping.set()
        thread.join()


def echoes(connection: socket.socket, request: Request) -> bool:
    """Answer with the body of the request and keep the connection."""
    connection.sendall(answer(request.body))
    return True
