"""``python -m bench.growth [ORDERS ...]``: prints what an order costs, and what many orders make slower.

Of each number of orders a database is filled and asked. Two million orders are some ten million events; they
take about 30 GB for the time of the run.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import psycopg

from bench.databases import run
from bench.growth.copies import Copies
from bench.growth.sizes import Size, erase_bodies, sizes
from bench.measure import SCALE
from proof.database_faults.servers import Postgres, own_postgres
from wallet_gateway.testing.sandbox import SandboxServer

SETTINGS = "bench.growth.settings"
SERVER = {
    "shared_buffers": "1GB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
    "autovacuum": "off",
    "max_parallel_workers_per_gather": "0",
}
"""No checkpoint and no vacuum in the midst of a measurement, and one process for each statement."""
SAMPLE = 200
DAYS = 365.0
SIZES = (2_000, 200_000)

Costs = Mapping[str, Mapping[str, float]]


def main(numbers: Sequence[int]) -> None:
    """Make the sample, then grow it."""
    with own_postgres(SERVER) as server, SandboxServer() as sandbox:
        os.environ["GROWTH_GATEWAY"] = sandbox.base_url
        _run(server.url, "django", "migrate", "--verbosity", "0")
        costs: Costs = json.loads(_run(server.url, "bench.growth.sample", sandbox.base_url))
        _table(["operation", "statements", "WAL, bytes", "client, ms", "server, ms"], _rows(costs))
        tables = json.loads(_run(server.url, "bench.growth.copies"))
        for number in numbers:
            with _database(server, f"orders_{number}") as url:
                _grow(url, number, tables)


def _grow(url: str, number: int, tables: Sequence[dict[str, Any]]) -> None:
    started = time.monotonic()
    with _connected(url) as connection:
        (sample,) = connection.execute(b"SELECT count(*) FROM wallet_gateway_paymentorder").fetchall()[0]
        Copies(connection, tables).fill(max(1, number // sample), days=DAYS)
        names = [table["table"] for table in tables]
        found = sizes(connection, names)
    _say(f"\n{found[0].rows:,} orders, filled in {time.monotonic() - started:.0f} s")
    _write_sizes(found, number)
    answers: Costs = json.loads(_run(url, "bench.growth.questions"))
    _table(["question", "least, ms", "client, ms", "server, ms"], _rows(answers, "least_ms"))
    if number <= max(SIZES):
        with _connected(url) as connection:
            erase_bodies(connection)
            _say("\nAfter the bodies were erased:")
            _write_sizes(sizes(connection, names), number)


def _write_sizes(found: Sequence[Size], number: int) -> None:
    orders = next(size.rows for size in found if size.table.endswith("_paymentorder"))
    rows = [(size.table, size.rows, size.heap, size.toast, size.indexes, size.total) for size in found]
    rows.append(("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])))
    heads = ["table, for each order", "rows", "heap", "TOAST", "indexes", "bytes"]
    _table(
        heads,
        (
            [name, f"{count / orders:.2f}", *(f"{part / orders:,.0f}" for part in parts)]
            for name, count, *parts in rows
        ),
    )


def _rows(costs: Costs, *names: str) -> Iterator[list[str]]:
    for what, cost in costs.items():
        columns = (*names, "client_ms", "server_ms") if names else tuple(cost)
        yield [what, *(f"{cost[name]:,.1f}" for name in columns)]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [heads, ["---"] * len(heads), *rows]
    for line in lines:
        _say("| " + " | ".join(line) + " |")


@contextlib.contextmanager
def _database(server: Postgres, name: str) -> Iterator[str]:
    with _connected(server.url.rsplit("/", 1)[0] + "/template1") as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE postgres".encode())
        try:
            yield server.url.rsplit("/", 1)[0] + f"/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _connected(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url.replace("postgres://", "postgresql://"), autocommit=True)


def _run(url: str, *command: str) -> str:
    return run(*command, database=url, settings=SETTINGS)


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or [max(SAMPLE, round(size * SCALE)) for size in SIZES])
