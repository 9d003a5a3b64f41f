"""A TCP proxy before a database that loses a COMMIT, or its answer: its client never knows which."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from urllib.parse import urlsplit

from proof.failures.processes import FORK
from proof.failures.servers import Database, Postgres

_COMMIT = re.compile(rb"commit\x00?(?:[BDEHPS].*)?$", re.IGNORECASE | re.DOTALL)
"""The end of a message that is a COMMIT, in the protocol of PostgreSQL and of MariaDB."""
_ORDERS = ("pass", "lose_commit", "lose_answer")


class CommitProxy:
    """The proxy, which any process of the run may give orders."""

    def __init__(self, url: str) -> None:
        self._port = urlsplit(url).port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = url.replace(f":{self._port}/", f":{self._listener.getsockname()[1]}/")
        # What is to be done, with the how manieth COMMIT from now, and how many were cut.
        self._told = FORK.Array("i", [0, 0, 0])

    def order(self, what: str, after: int = 0) -> int:
        """Order `lose_commit`, `lose_answer` or `pass`; return how many were cut since the last order."""
        with self._told.get_lock():
            cut = self._told[2]
            self._told[:] = [_ORDERS.index(what), after, 0]
            return int(cut)

    def serve(self) -> None:
        """Serve for ever."""
        while True:
            client, _ = self._listener.accept()
            threading.Thread(target=self._hand_on, args=(client,), daemon=True).start()

    def _for_commit(self) -> str:
        """Count a COMMIT and say what is to be done with it."""
        with self._told.get_lock():
            self._told[1] -= 1
            if self._told[0] == 0 or self._told[1] != 0:
                return "pass"
            self._told[2] += 1
            return _ORDERS[self._told[0]]

    def _hand_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._port or 0)) as server:
            losing = threading.Event()
            back = threading.Thread(target=_hand_back, args=(server, client, losing), daemon=True)
            back.start()
            with contextlib.suppress(OSError):
                while message := client.recv(65_536):
                    order = self._for_commit() if _COMMIT.search(message) else "pass"
                    if order == "lose_commit":
                        break
                    if order == "lose_answer":
                        losing.set()
                    server.sendall(message)
            _hang_up(server)
            back.join(10)
            _hang_up(client)


def _hand_back(server: socket.socket, client: socket.socket, losing: threading.Event) -> None:
    """Hand answers back; the one that is to be lost has come from the server, so its COMMIT is done."""
    with contextlib.suppress(OSError):
        while message := server.recv(65_536):
            if losing.is_set():
                break
            client.sendall(message)
    _hang_up(client)


def _hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def behind_proxy(own: Callable[[], AbstractContextManager[Postgres | Database]]) -> Iterator[CommitProxy]:
    """Start a server and a proxy before it."""
    with own() as server:
        proxy = CommitProxy(server.url)
        process = FORK.Process(target=proxy.serve, daemon=True)
        process.start()
        try:
            yield proxy
        finally:
            process.kill()
            process.join()
