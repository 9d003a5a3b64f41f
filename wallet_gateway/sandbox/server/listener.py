"""The listening socket: takes connections, gives each to a worker, and leaves nothing behind at its end."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from wallet_gateway.sandbox.cancellable_sleep import call_off_all_pauses
from wallet_gateway.sandbox.server.connection import Connection
from wallet_gateway.sandbox.server.workers import Workers

_SECONDS_TO_FINISH: Final = 5.0


class GatewayServer(socketserver.TCPServer):
    """Serves a WSGI application on one address until it is told to end.

    ``on_worker_exit`` runs in every worker thread before it ends, to give back what the thread holds.
    Raises ``OSError`` when the address cannot be bound.
    """

    # Elsewhere this option would let two servers share a port.
    allow_reuse_address = hasattr(socket, "SO_REUSEPORT")
    request_queue_size = 1024

    def __init__(
        self, *, host: str, port: int, application: Callable[..., Any], on_worker_exit: Callable[[], None]
    ) -> None:
        self.address_family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        self.application = application
        self.is_ending = False
        self._workers = Workers(on_exit=on_worker_exit)
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__((host, port), Connection)

    @property
    def url(self) -> str:
        """Where it answers, with the port the system gave it."""
        host, port = (str(part) for part in self.server_address[:2])
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def process_request(self, request: Any, client_address: object) -> None:  # noqa: ANN401
        """Hand a new connection to a worker."""
        with self._open_lock:
            self._open.add(request)
        self._workers.run(partial(self._serve, request, client_address))

    def server_close(self) -> None:
        """Stop listening, let answers that are being made leave, and end every worker."""
        self.is_ending = True
        super().server_close()
        call_off_all_pauses()
        with self._open_lock:
            for connection in self._open:
                # Ends the wait for a next request; an answer can still be sent.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
        self._workers.end(timeout=_SECONDS_TO_FINISH)

    def _serve(self, request: socket.socket, client_address: object) -> None:
        try:
            # The peer may be gone at any moment, also while its connection is closed in good order.
            with contextlib.suppress(OSError):
                self.finish_request(request, client_address)
        finally:
            with self._open_lock:
                self._open.discard(request)
            self.shutdown_request(request)
