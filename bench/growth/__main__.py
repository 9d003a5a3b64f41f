"""``python -m bench.growth [ORDERS ...]``: prints what an order costs, and what many orders make slower.

Of each number of orders a database is filled and asked. Two million orders are some ten million events; they
take about 30 GB for the time of the run.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from bench.growth.copies import Copies
from bench.measure import SCALE
from bench.processes import connected, migrate, postgres, run
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

SAMPLE = 200
SIZES = (2_000, 200_000)


def main(numbers: Sequence[int]) -> None:
    """Make the sample, then grow it."""
    os.environ["BENCH_QUERY_RATE"] = "1e6"
    with postgres("growth") as database, SandboxServer() as sandbox:
        migrate(database)
        gateway = sandbox.base_url
        costs = json.loads(run("bench.growth.sample", gateway, database=database, gateway=gateway))
        _table(["operation", "statements", "WAL, bytes", "client, ms", "server, ms"], costs)
        tables = json.loads(run("bench.growth.copies", database=database))
        for number in numbers:
            with postgres(f"growth_{number}", template=database.rsplit("/", 1)[1]) as copy:
                _grow(copy, gateway, number, tables)


def _grow(database: str, gateway: str, number: int, tables: Sequence[dict[str, Any]]) -> None:
    names = [table["table"] for table in tables]
    with connected(database) as connection:
        (sample,) = connection.execute(b"SELECT count(*) FROM wallet_gateway_paymentorder").fetchall()[0]
        Copies(connection, tables).fill(max(1, number // sample))
        _sizes(connection, names, f"{number:,} orders")
    answers = json.loads(run("bench.growth.questions", database=database, gateway=gateway))
    _table(["question", "least, ms", "client, ms", "server, ms"], answers)
    if number <= max(SIZES):
        with connected(database) as connection:
            # What retention empties, in all rows.
            connection.execute(
                b"UPDATE wallet_gateway_transactionevent SET request_body = '', answer_body = ''"
            )
            connection.execute(b"UPDATE wallet_gateway_gatewaytransaction SET request_body = ''")
            connection.execute(b"VACUUM FULL")
            _sizes(connection, names, "after the bodies were erased")


def _sizes(connection: psycopg.Connection[Any], tables: Sequence[str], when: str) -> None:
    """Print rows and bytes of each table for one order, as the file system has them."""
    found = {
        table: connection.execute(
            f"SELECT (SELECT count(*) FROM {table}), pg_relation_size('{table}'),"
            f" pg_table_size('{table}') - pg_relation_size('{table}'), pg_indexes_size('{table}'),"
            f" pg_total_relation_size('{table}')".encode()
        ).fetchall()[0]
        for table in tables
    }
    found["all"] = tuple(sum(column) for column in zip(*found.values(), strict=True))
    orders = next(sizes[0] for table, sizes in found.items() if table.endswith("_paymentorder"))
    heads = ("rows", "heap", "TOAST", "indexes", "bytes")
    each = {
        table: {head: size / orders for head, size in zip(heads, sizes, strict=True)}
        for table, sizes in found.items()
    }
    _table([f"for each order, {when}", *heads], each)


def _table(heads: Sequence[str], rows: dict[str, dict[str, float]]) -> None:
    written: Iterable[list[str]] = (
        [name, *(f"{cell:,.1f}" for cell in row.values())] for name, row in rows.items()
    )
    for line in (heads, ["---"] * len(heads), *written):
        print("| " + " | ".join(line) + " |", flush=True)
    print(flush=True)


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or [max(SAMPLE, round(size * SCALE)) for size in SIZES])
