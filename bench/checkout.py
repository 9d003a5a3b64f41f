"""A whole checkout under a real server with two workers, against a bare view in the same server, in turns.

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

ORDERS = 30_000
ROUNDS = 5
SECONDS = 3.0
CONNECTIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The rounds of both views on one database."""

    bare: list[Load]
    whole: list[Load]

    @property
    def throughput(self) -> float:
        rounds = zip(self.whole, self.bare, strict=True)
        return statistics.median(whole.rate / bare.rate for whole, bare in rounds)

    @property
    def p99(self) -> float:
        whole, bare = (
            [each for load in loads for each in load.latencies] for loads in (self.whole, self.bare)
        )
        return percentile(whole, 0.99) / percentile(bare, 0.99)


def measure() -> Iterator[Finding]:
    """Compare on each database that is there."""
    with tempfile.TemporaryDirectory() as folder:
        pair = _compare(f"sqlite:///{Path(folder, 'bench.sqlite3')}")
    yield Finding(
        what="whole checkout on SQLite, throughput",
        value=pair.throughput,
        target=0.7,
        at_most=False,
        unit="x",
    )
    with contextlib.suppress(psycopg.OperationalError), postgres("checkout") as url:
        pair = _compare(url)
        yield Finding(
            what="whole checkout on PostgreSQL, throughput",
            value=pair.throughput,
            target=0.8,
            at_most=False,
            unit="x",
        )
        yield Finding(what="whole checkout on PostgreSQL, p99", value=pair.p99, target=1.3, unit="x")
        return
    sys.stdout.write("  PostgreSQL does not answer: its part is left out.\n")


def _compare(database: str) -> Pair:
    with stub_gateway() as gateway:
        environment = {**os.environ, "BENCH_DATABASE_URL": database, "BENCH_GATEWAY_URL": gateway}
        subprocess.run([sys.executable, "-m", "bench.shop", str(ORDERS)], env=environment, check=True)
        port = free_port()
        command = ["granian", "--interface", "wsgi", "--workers", "2", "--blocking-threads", "4", "--no-log"]
        command += ["--host", "127.0.0.1", "--port", str(port), "bench.shop.wsgi:application"]
        with running(command, environment=environment):
            wait_for(port)
            return _in_turns(port)


def _in_turns(port: int) -> Pair:
    bare = itertools.repeat(post("/bare/", port=port))
    whole = (post(f"/whole/{number}/", port=port) for number in range(ORDERS))

    def load(requests: Iterator[bytes], seconds: float) -> Load:
        return send(requests, port=port, expected=b"302", connections=CONNECTIONS, seconds=seconds)

    for requests in (bare, whole):
        load(requests, 1.0)
    rounds = [(load(bare, SECONDS), load(whole, SECONDS)) for _ in range(ROUNDS)]
    return Pair(bare=[first for first, _ in rounds], whole=[second for _, second in rounds])
