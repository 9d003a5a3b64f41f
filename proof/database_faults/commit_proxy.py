"""A TCP proxy before a database that loses a COMMIT, or its answer, when told: its client never knows which.

`python -m proof.database_faults.commit_proxy PORT` prints its own port, and obeys lines of standard input:
`lose_commit 2` or `lose_answer 2` (the second COMMIT from now), `pass`. It prints what it has cut since.
"""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from proof.database_faults.servers import own_mariadb, own_postgres

_COMMIT = re.compile(rb"commit\x00?(?:[BDEHPS].*)?$", re.IGNORECASE | re.DOTALL)
"""The end of a message that is a COMMIT, in the protocol of PostgreSQL and of MariaDB."""

_POSTGRES = "postgres://postgres@127.0.0.1:{port}/postgres"
_MARIADB = "mysql://root@127.0.0.1:{port}/shop"


class _Orders:
    """What the proxy is to do with the COMMITs that come."""

    def __init__(self) -> None:
        self.what, self.after, self.cut = "pass", 0, 0
        self._lock = threading.Lock()

    def give(self, what: str, after: int) -> int:
        """Take new orders; return how many COMMITs were cut under the old ones."""
        with self._lock:
            cut, self.what, self.after, self.cut = self.cut, what, after, 0
            return cut

    def for_commit(self) -> str:
        """Count a COMMIT and say what is to be done with it."""
        with self._lock:
            self.after -= 1
            if self.what == "pass" or self.after != 0:
                return "pass"
            self.cut += 1
            return self.what


def _serve(client: socket.socket, port: int, orders: _Orders) -> None:
    with client, socket.create_connection(("127.0.0.1", port)) as server:
        losing = threading.Event()
        back = threading.Thread(target=_hand_back, args=(server, client, losing), daemon=True)
        back.start()
        with contextlib.suppress(OSError):
            while message := client.recv(65_536):
                order = orders.for_commit() if _COMMIT.search(message) else "pass"
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


def main(port: int) -> None:
    """Serve until standard input ends."""
    orders, listener = _Orders(), socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_serve, args=(client, port, orders), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    _say(str(listener.getsockname()[1]))
    for line in sys.stdin:
        what, _, after = line.strip().partition(" ")
        _say(str(orders.give(what, int(after or 0))))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class CommitProxy:
    """The proxy as its user sees it."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self._process = process
        self.url = url.format(port=int(self._line()))

    def order(self, what: str, after: int = 0) -> int:
        """Give orders; return how many COMMITs were cut since the last ones."""
        stdin = cast(IO[str], self._process.stdin)
        stdin.write(f"{what} {after}\n")
        stdin.flush()
        return int(self._line())

    def _line(self) -> str:
        return cast(IO[str], self._process.stdout).readline()


@contextmanager
def _before(port: int, url: str) -> Iterator[CommitProxy]:
    command = [sys.executable, "-m", "proof.database_faults.commit_proxy", str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield CommitProxy(process, url)
        finally:
            process.terminate()


@contextmanager
def postgres_behind_proxy() -> Iterator[CommitProxy]:
    """Start a PostgreSQL and a proxy before it."""
    with own_postgres() as server, _before(server.port, _POSTGRES) as proxy:
        yield proxy


@contextmanager
def mariadb_behind_proxy() -> Iterator[CommitProxy]:
    """Start a MariaDB and a proxy before it."""
    with own_mariadb() as server, _before(server.port, _MARIADB) as proxy:
        yield proxy


if __name__ == "__main__":
    main(int(sys.argv[1]))
