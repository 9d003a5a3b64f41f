"""Databases that find no room for a row: PostgreSQL on a small file system, SQLite with a limit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.backends.signals import connection_created

from proof.database_faults.misfortunes import Misfortune, operations, sample, strike
from proof.database_faults.small_disk import SmallPostgres
from proof.database_faults.tally import Tally
from proof.kills.world import World

RUNS = 30
_TABLES = (
    "gatewaytransaction",
    "transactionevent",
    "outboxevent",
    "payment",
    "paymentorder",
    "operationbatchrow",
)
_PAGES = range(4)


def on_postgres(world: World, server: SmallPostgres, tally: Tally, chance: random.Random) -> None:
    """Let each row of one table need a new page, and fill the disk.

    Rows of other tables fit into the pages that are there, so it depends on the table how far one gets.
    """
    chosen = sample(chance, _full(server), RUNS)
    _note_refusals(strike_full(world, chosen, chance, tally, server.empty), tally)


def strike_full(
    world: World, chosen: list[Misfortune], chance: random.Random, tally: Tally, empty: Callable[[], object]
) -> int:
    """Let the disks be full; return how often somebody was refused a row."""
    strike(world, chosen, chance=chance, tally=tally, afterwards=empty)
    return sum(tally.reached_caller.values())


def _note_refusals(refused: int, tally: Tally) -> None:
    if not refused:
        tally.failures.append("no row was refused: the disk was not full")


def _full(server: SmallPostgres) -> Iterator[Misfortune]:
    for operation in operations():
        for table in _TABLES:
            yield Misfortune(
                operation=operation,
                instant=0,
                name=f"no room for a {table}",
                happens=partial(_fill, server, f"wallet_gateway_{table}"),
                hurry=True,
            )


def _fill(server: SmallPostgres, table: str) -> None:
    """Let a page of this table take one row alone, and leave no room for a page."""
    import psycopg

    with psycopg.connect(server.address, autocommit=True) as own:
        for model in apps.get_app_config("wallet_gateway").get_models():
            usual = 10 if model._meta.db_table == table else 100
            own.execute(f"ALTER TABLE {model._meta.db_table} SET (fillfactor = {usual})".encode())
        own.execute(b"CHECKPOINT")
    server.fill()


def on_sqlite(world: World, server: Any, tally: Tally, chance: random.Random) -> None:  # noqa: ANN401
    """Let the file grow by a few pages and no further."""
    found = (
        Misfortune(
            operation=operation,
            instant=0,
            name=f"{pages} pages left",
            happens=partial(_limit, pages),
            hurry=True,
        )
        for operation in operations()
        for pages in _PAGES
    )
    refused = strike_full(world, sample(chance, found, RUNS), chance, tally, lambda: None)
    _note_refusals(refused, tally)


def _limit(pages: int) -> None:
    """Give back free pages, and limit each connection that this process opens from now on.

    Pages of the smallest size: into what is left of a larger one after VACUUM, whole operations would fit.
    """
    with connection.cursor() as cursor:
        # With a write-ahead log the size could not change; the next connection turns it on again.
        cursor.execute("PRAGMA journal_mode = DELETE")
        cursor.execute("PRAGMA page_size = 512")
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA page_count")
        most = cursor.fetchone()[0] + pages
    connection.close()

    def limit(connection: Any, **_: object) -> None:  # noqa: ANN401
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count = {most}")

    connection_created.connect(limit, weak=False)
