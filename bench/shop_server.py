"""The measured shop under granian, and how much processor time it and its database have spent."""

from __future__ import annotations

import contextlib
import http.client
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.databases import connected, environment_for
from bench.processes import started, wait_for
from bench.processor_time import Spent, of_backends, of_tree
from proof.database_faults.servers import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

WORKERS, THREADS = 2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopServer:
    """A running shop."""

    port: int
    pid: int
    shop: str
    """Its package, which makes orders as a program."""
    environment: dict[str, str]
    watcher: psycopg.Connection | None
    """A connection to the database; None for SQLite, whose time is a part of the worker's."""

    def spent(self) -> tuple[Spent, Spent]:
        """Return the processor time of the workers and of the database server until now."""
        database = of_backends(self.watcher) if self.watcher else Spent(seconds={})
        return of_tree(self.pid), database

    def make_orders(self, series: str, lines: int, *, first: int, count: int) -> None:
        """Write orders that can be paid, in a process of its own."""
        _prepare(self.shop, self.environment, series, str(lines), str(first), str(count))

    def check(self, path: str) -> None:
        """Post once; the answer must be a redirect to the gateway's page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", path)
        answer = connection.getresponse()
        shown = answer.read()[:2000]
        connection.close()
        to = answer.headers.get("Location") or ""
        assert answer.status == 302, f"{path}: {answer.status} {shown!r}"
        assert to.startswith(self.environment["BENCH_GATEWAY_URL"]), f"{path}: to {to}"


@contextlib.contextmanager
def shop_server(database: str, gateway: str, *, shop: str = "bench.shop") -> Iterator[ShopServer]:
    """Make the shop's tables in an empty database, and serve it by two workers of four threads."""
    environment = environment_for(database, settings=f"{shop}.settings", gateway=gateway)
    _prepare(shop, environment)
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-log", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--workers", str(WORKERS), "--blocking-threads", str(THREADS)]
    with (
        started([*command, "bench.shop.wsgi:application"], env=environment) as process,
        _watcher(database) as watcher,
    ):
        wait_for(port)
        yield ShopServer(port=port, pid=process.pid, shop=shop, environment=environment, watcher=watcher)


def _prepare(shop: str, environment: dict[str, str], *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", shop, *arguments], env=environment, check=True)


@contextlib.contextmanager
def _watcher(database: str) -> Iterator[psycopg.Connection | None]:
    if database.startswith("sqlite"):
        yield None
        return
    with connected(database) as watcher:
        yield watcher
