"""The HTTP server: a listening socket, a pool of worker threads, and the connections they serve.

HTTP/1.1 with keep-alive, based on the standard library's parser of request lines and headers. There is one
thread per open connection, and threads are reused because opening their database connection costs far more
than answering a request. Answered requests are not logged; the journal has them all.
"""

from __future__ import annotations

import contextlib
import io
import json
import queue
import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from wallet_gateway.sandbox.server.bodies import (
    MAX_DRAINED_BYTES,
    BodyLimitExceeded,
    InvalidFraming,
    read_body,
)
from wallet_gateway.sandbox.server.delivery import ENVIRON_KEY, Delivery, cancel_all_sleeps, deliver

MAX_THREADS: Final = 512
_SHUTDOWN_TIMEOUT_SECONDS: Final = 5.0
_MAX_REQUEST_LINE_LENGTH: Final = 65_536
_DRAIN_TIMEOUT_SECONDS: Final = 2.0


class GatewayServer(socketserver.TCPServer):
    """Serves a WSGI application on one address until it is shut down.

    ``on_worker_exit`` runs in every worker thread before it ends, to release the thread's resources. Raises
    ``OSError`` if the address cannot be bound.
    """

    # On other platforms this option would let two servers share a port.
    allow_reuse_address = hasattr(socket, "SO_REUSEPORT")
    request_queue_size = 1024

    def __init__(
        self, *, host: str, port: int, application: Callable[..., Any], on_worker_exit: Callable[[], None]
    ) -> None:
        self.address_family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        self.application = application
        self.is_shutting_down = False
        self._workers = WorkerPool(on_exit=on_worker_exit)
        self._connections: set[socket.socket] = set()
        self._connections_lock = threading.Lock()
        super().__init__((host, port), Connection)

    @property
    def url(self) -> str:
        """The server's base URL, with the actual port."""
        host, port = (str(part) for part in self.server_address[:2])
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def process_request(self, request: Any, client_address: object) -> None:  # noqa: ANN401
        """Pass a new connection to a worker."""
        with self._connections_lock:
            self._connections.add(request)
        self._workers.run(partial(self._serve, request, client_address))

    def server_close(self) -> None:
        """Stop listening, let current answers finish and end all workers."""
        self.is_shutting_down = True
        super().server_close()
        cancel_all_sleeps()
        with self._connections_lock:
            for connection in self._connections:
                # Ends the wait for the next request; the current answer can still be sent.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
        self._workers.end(timeout=_SHUTDOWN_TIMEOUT_SECONDS)

    def _serve(self, request: socket.socket, client_address: object) -> None:
        try:
            # The peer may disconnect at any moment, also during an orderly close.
            with contextlib.suppress(OSError):
                self.finish_request(request, client_address)
        finally:
            with self._connections_lock:
                self._connections.discard(request)
            self.shutdown_request(request)


class WorkerPool:
    """Runs each job in a free or new thread; beyond ``max_threads``, jobs are queued."""

    def __init__(self, *, on_exit: Callable[[], None], max_threads: int = MAX_THREADS) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._on_exit = on_exit
        self._max_threads = max_threads
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._free = 0

    def run(self, job: Callable[[], None]) -> None:
        """Run a job in a thread; the job handles its own errors."""
        with self._lock:
            self._free -= 1
            if self._free < 0 and len(self._threads) < self._max_threads:
                self._free += 1
                thread = threading.Thread(target=self._work, name="gateway-worker", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._jobs.put(job)

    def end(self, *, timeout: float) -> None:
        """Let all threads finish their jobs and end; ``timeout`` is the wait in seconds for each."""
        with self._lock:
            threads = tuple(self._threads)
        for _ in threads:
            self._jobs.put(None)
        for thread in threads:
            thread.join(timeout)

    def _work(self) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                job()
                with self._lock:
                    self._free += 1
        finally:
            # Also after a failed job: Python reports the error, and the next connection gets a new thread.
            self._on_exit()
            with self._lock:
                self._threads.remove(threading.current_thread())


class Connection(BaseHTTPRequestHandler):
    """Serves one connection until it is closed."""

    server: GatewayServer
    protocol_version = "HTTP/1.1"
    timeout = 75
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        """Read and answer one request; ``close_connection`` says whether another may follow."""
        self.close_connection = True
        self.command = self.request_version = ""
        # A client that disconnects or times out is normal.
        with contextlib.suppress(TimeoutError, ConnectionError):
            self.raw_requestline = self.rfile.readline(_MAX_REQUEST_LINE_LENGTH + 1)
            if len(self.raw_requestline) > _MAX_REQUEST_LINE_LENGTH:
                self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG)
            elif self.raw_requestline and self.parse_request():
                self._read_and_answer()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that cannot reach the application with the service's error body, and close."""
        self.close_connection = True
        status = HTTPStatus(code)
        text = message or explain or status.description or status.phrase
        body = json.dumps({"code": f"4{code}000", "details": {"message": text}}).encode()
        self._send(f"{code} {status.phrase}", [("Content-Type", "application/json")], body, Delivery())
        self._drain_input()

    def _read_and_answer(self) -> None:
        keep_alive = not self.close_connection
        try:
            body = read_body(self.rfile, self.headers)
        except InvalidFraming as error:
            self.send_error(HTTPStatus.BAD_REQUEST, str(error))
        except BodyLimitExceeded as error:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(error))
        else:
            self.close_connection = not (
                self._answer(body) and keep_alive and not self.server.is_shutting_down
            )

    def _answer(self, body: bytes) -> bool:
        delivery = Delivery()
        status, headers = "", list[tuple[str, str]]()

        def start_response(line: str, fields: list[tuple[str, str]], _exc_info: object = None) -> None:
            nonlocal status, headers
            status, headers = line, fields

        answer = self.server.application(self._environ(body, delivery), start_response)
        try:
            content = b"".join(answer)
        finally:
            answer.close()
        return self._send(status, headers, content, delivery)

    def _environ(self, body: bytes, delivery: Delivery) -> dict[str, Any]:
        path, _, query = self.path.partition("?")
        host, port = self.server.server_address[:2]
        environ: dict[str, Any] = {
            "REQUEST_METHOD": self.command,
            "SCRIPT_NAME": "",
            # PEP 3333 wants the bytes of PATH_INFO decoded as latin-1.
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": str(host),
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": self.request_version,
            "REMOTE_ADDR": self.client_address[0],
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
        for name, value in self.headers.items():
            _add_header(environ, name, value)
        return environ

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

    def _drain_input(self) -> None:
        # Closing a socket with unread input resets the connection, and the reset may overtake the answer.
        self.connection.settimeout(_DRAIN_TIMEOUT_SECONDS)
        with contextlib.suppress(OSError):
            self.connection.shutdown(1)
            read = 0
            while read < MAX_DRAINED_BYTES and (block := self.connection.recv(65_536)):
                read += len(block)


def _add_header(environ: dict[str, Any], name: str, value: str) -> None:
    # In the environment, a name with an underscore could not be told from one with a hyphen.
    if "_" in name:
        return
    key = name.upper().replace("-", "_")
    if key == "CONTENT_TYPE":
        environ[key] = value
    elif key != "CONTENT_LENGTH":
        key = f"HTTP_{key}"
        joint = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{joint}{value}" if key in environ else value
