"""A whole checkout under a real server with two workers, against a bare view in the same server, in turns.

Between the two stands the bound: a checkout's rows in their two transactions, written by hand.

Runs on SQLite, and on PostgreSQL when it answers at its local default address.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from bench.databases import postgres
from bench.load import Load, post, send
from bench.measure import Finding, percentile
from bench.processes import free_port, running, stub_gateway, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

ORDERS = 40_000
ROUNDS = 5
SECONDS = 3.0
CONNECTIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The rounds of the three views on one database."""

    bare: list[Load]
    durable: list[Load]
    whole: list[Load]

    @property
    def throughput(self) -> float:
        return _throughput(self.whole, self.bare)

    @property
    def bound(self) -> float:
        return _throughput(self.durable, self.bare)

    @property
    def p99(self) -> float:
        whole, bare = (
            [each for load in loads for each in load.latencies] for loads in (self.whole, self.bare)
        )
        return percentile(whole, 0.99) / percentile(bare, 0.99)


def _throughput(ours: list[Load], theirs: list[Load]) -> float:
    return statistics.median(one.rate / other.rate for one, other in zip(ours, theirs, strict=True))


def measure() -> Iterator[Finding]:
    """Compare on each database that is there."""
    with tempfile.TemporaryDirectory() as folder:
        rounds = _compare(f"sqlite:///{Path(folder, 'bench.sqlite3')}")
    _tell_bound("SQLite", rounds)
    yield Finding(
        what="whole checkout on SQLite, throughput",
        value=rounds.throughput,
        target=0.7,
        at_most=False,
        unit="x",
    )
    with contextlib.suppress(psycopg.OperationalError), postgres("checkout") as url:
        rounds = _compare(url)
        _tell_bound("PostgreSQL", rounds)
        yield Finding(
            what="whole checkout on PostgreSQL, throughput",
            value=rounds.throughput,
            target=0.8,
            at_most=False,
            unit="x",
        )
        yield Finding(what="whole checkout on PostgreSQL, p99", value=rounds.p99, target=1.3, unit="x")
        return
    sys.stdout.write("  PostgreSQL does not answer: its part is left out.\n")


def _tell_bound(database: str, rounds: Rounds) -> None:
    sys.stdout.write(f"  {database}: a checkout's rows alone, written by hand, reach {rounds.bound:.2f}x\n")


def _compare(database: str) -> Rounds:
    with stub_gateway() as gateway:
        environment = {**os.environ, "BENCH_DATABASE_URL": database, "BENCH_GATEWAY_URL": gateway}
        subprocess.run([sys.executable, "-m", "bench.shop", str(ORDERS)], env=environment, check=True)
        port = free_port()
        command = ["granian", "--interface", "wsgi", "--workers", "2", "--blocking-threads", "4", "--no-log"]
        command += ["--host", "127.0.0.1", "--port", str(port), "bench.shop.wsgi:application"]
        with running(command, environment=environment):
            wait_for(port)
            return _in_turns(port)


def _in_turns(port: int) -> Rounds:
    numbers = iter(range(ORDERS))

    def for_orders(view: str) -> Iterator[bytes]:
        return (post(f"/{view}/{number}/", port=port) for number in numbers)

    def load(requests: Iterator[bytes], seconds: float) -> Load:
        return send(requests, port=port, expected=b"302", connections=CONNECTIONS, seconds=seconds)

    views = (itertools.repeat(post("/bare/", port=port)), for_orders("durable"), for_orders("whole"))
    for requests in views:
        load(requests, 1.0)
    turns = [[load(requests, SECONDS) for requests in views] for _ in range(ROUNDS)]
    first, second, third = (list(loads) for loads in zip(*turns, strict=True))
    return Rounds(bare=first, durable=second, whole=third)
