"""A whole checkout under a real server with two workers, against a bare view in the same server, in turns.

Both send the same bytes to the same gateway and commit twice. Runs on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.databases import postgres
from bench.load import Load, post, send
from bench.measure import SCALE, Finding, percentile, scaled
from bench.processes import free_port, running, stub_gateway, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

ORDERS = scaled(40_000)
ROUNDS = 5
SECONDS = 3.0 * SCALE
WARM_UP_SECONDS = 1.0 * SCALE
CONNECTIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The rounds of the two views on one database."""

    bare: list[Load]
    whole: list[Load]

    @property
    def throughput(self) -> float:
        pairs = zip(self.whole, self.bare, strict=True)
        return statistics.median(whole.rate / bare.rate for whole, bare in pairs)

    @property
    def p99(self) -> float:
        whole, bare = (
            [each for load in loads for each in load.latencies] for loads in (self.whole, self.bare)
        )
        return percentile(whole, 0.99) / percentile(bare, 0.99)


def measure() -> Iterator[Finding]:
    """Compare on SQLite, then on PostgreSQL."""
    with tempfile.TemporaryDirectory() as folder:
        rounds = _compare(f"sqlite:///{Path(folder, 'bench.sqlite3')}")
    yield from _findings("SQLite", rounds, throughput=0.9, p99=1.2)
    with postgres("checkout") as url:
        rounds = _compare(url)
    yield from _findings("PostgreSQL", rounds, throughput=0.95, p99=1.1)


def _findings(database: str, rounds: Rounds, *, throughput: float, p99: float) -> Iterator[Finding]:
    what = f"whole checkout on {database}, to a bare view"
    yield Finding(
        what=f"{what}, throughput", value=rounds.throughput, target=throughput, at_most=False, unit="x"
    )
    yield Finding(what=f"{what}, p99", value=rounds.p99, target=p99, unit="x")


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
    orders = (post(f"/whole/{number}/", port=port) for number in range(ORDERS))
    views = (itertools.repeat(post("/bare/", port=port)), orders)

    def load(requests: Iterator[bytes], seconds: float) -> Load:
        return send(requests, port=port, expected=b"302", connections=CONNECTIONS, seconds=seconds)

    for requests in views:
        load(requests, WARM_UP_SECONDS)
    turns = [[load(requests, SECONDS) for requests in views] for _ in range(ROUNDS)]
    bare, whole = (list(loads) for loads in zip(*turns, strict=True))
    return Rounds(bare=bare, whole=whole)
