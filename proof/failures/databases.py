"""Databases that fail in the midst of operations, and real conflicts at each level of isolation.

What is inside a transaction of the plugin is repeated, and the caller hears nothing of it. What reaches the
caller is an error of Django's; after it, as after a killed process, nothing is lost or doubled: see `judge`.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, NoReturn

from django.apps import apps
from django.db import Error, OperationalError, connection
from django.db.backends.signals import connection_created

from proof.failures import kills
from proof.failures.commit_proxy import CommitProxy
from proof.failures.judge import look_after
from proof.failures.kills import Misfortune, happen, strike
from proof.failures.processes import begin
from proof.failures.scripts import OPERATIONS, RACES, Script
from proof.failures.servers import Postgres, SmallPostgres, connected
from proof.failures.world import RealWorld
from proof.histories.steps import Step
from proof.results import Tally

_EXAMPLES = {
    "checkout",
    "return",
    "capture",
    "refund",
    "detached refund",
    "wallet card",
    "approval by a second person",
    "batch",
    "sweep of lost answers",
}
_QUICK = [one for one in OPERATIONS if one.name in _EXAMPLES]
"""One operation of each sort, where each run takes its time."""


def _instants_of(world: RealWorld, script: Script) -> list[str]:
    """Carry out an operation once and return the names of its instants."""
    ending = happen(world, Misfortune(script=script, name="nothing"))
    if ending.error:
        raise RuntimeError(f"{script.name} fails by itself: {ending.error}")
    instants: list[str] = ending.result.instants
    return instants


def _strike(
    world: RealWorld, found: Iterator[Misfortune], most: float, chance: Random, tally: Tally, **given: Any
) -> None:
    """Choose by chance, in the order in which they come."""
    every = list(found)
    for place in sorted(chance.sample(range(len(every)), min(max(1, round(most)), len(every)))):
        strike(world, every[place], chance, tally, **given)
        tally.runs += 1


# A PostgreSQL that is ended at once in the midst of an operation: it comes back now, or after a while


def restarts(world: RealWorld, server: Postgres, tally: Tally, chance: Random, share: float) -> None:
    """Restart the server within operations."""
    away_for = 2.0
    found = (
        Misfortune(script=script, instant=number, name=f"{what} {name}", happens=happens)
        for script in _QUICK
        for number, name in enumerate(_instants_of(world, script))
        for what, happens in (
            ("restarted", server.restart),
            ("away", partial(server.go_away_for, away_for)),
        )
    )
    _strike(world, found, 30 * share, chance, tally, afterwards=server.wait)


# Connections that are cut during COMMIT: the client cannot know whether it was done


def cut_commits(world: RealWorld, proxy: CommitProxy, tally: Tally, chance: Random, share: float) -> None:
    """Cut connections within operations."""
    found = (
        # The proxy counts COMMITs from the first instant.
        Misfortune(
            script=script,
            instant=0,
            name=f"{what} {number}",
            happens=partial(proxy.order, what, number),
        )
        for script in OPERATIONS
        for number in range(1, 1 + _instants_of(world, script).count("before COMMIT"))
        for what in ("lose_commit", "lose_answer")
    )
    cut: list[int] = []
    uncut = partial(proxy.order, "pass")
    _strike(world, found, 60 * share, chance, tally, afterwards=lambda: cut.append(uncut()))
    if others := [count for count in cut if count != 1]:
        tally.failures.append(f"{others} COMMITs were cut instead of one each")


# Databases that find no room for a row


def full_disk(world: RealWorld, server: SmallPostgres, tally: Tally, chance: Random, share: float) -> None:
    """Let each row of one table need a new page, and fill the disk.

    Rows of other tables fit into the pages that are there, so it depends on the table how far one gets.
    """
    tables = (
        "gatewaytransaction",
        "transactionevent",
        "outboxevent",
        "payment",
        "paymentorder",
        "operationbatchrow",
    )
    found = (
        Misfortune(
            script=script,
            instant=0,
            name=f"no room for a {table}",
            happens=partial(_fill, server, f"wallet_gateway_{table}"),
            is_hurried=True,
        )
        for script in _QUICK
        for table in tables
    )
    _strike(world, found, 30 * share, chance, tally, afterwards=server.empty)
    _check_refused(tally)


def _fill(server: SmallPostgres, table: str) -> None:
    """Let a page of this table take one row alone, and leave no room for a page."""
    with connected(server.url) as own:
        for model in apps.get_app_config("wallet_gateway").get_models():
            usual = 10 if model._meta.db_table == table else 100
            own.execute(f"ALTER TABLE {model._meta.db_table} SET (fillfactor = {usual})".encode())
        own.execute(b"CHECKPOINT")
    server.fill()


def full_file(world: RealWorld, server: object, tally: Tally, chance: Random, share: float) -> None:
    """Let the file of SQLite grow by a few pages and no further."""
    found = (
        Misfortune(
            script=script,
            instant=0,
            name=f"{pages} pages left",
            happens=partial(_limit, pages),
            is_hurried=True,
        )
        for script in _QUICK
        for pages in range(4)
    )
    _strike(world, found, 30 * share, chance, tally)
    _check_refused(tally)


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


def _check_refused(tally: Tally) -> None:
    if not tally.reached_caller:
        tally.failures.append("no row was refused: the disk was not full")


# Deadlocks and serialization failures at each statement, by the server itself


def conflicts(world: RealWorld, server: object, tally: Tally, chance: Random, share: float) -> None:
    """Let one statement of each operation meet a conflict."""
    words = ("COMMIT", "SELECT", "INSERT", "UPDATE", "DELETE")
    found = (
        Misfortune(script=script, instant=number, name=f"{what} {name}", happens=happens, is_hurried=True)
        for script in OPERATIONS
        for number, name in enumerate(_instants_of(world, script))
        if name.startswith(tuple(f"before {word}" for word in words))
        for what, happens in _conflicts()
    )
    _strike(world, found, 12 * share, chance, tally)


def _conflicts() -> Iterator[tuple[str, Callable[[], NoReturn]]]:
    postgres = "DO $$ BEGIN RAISE EXCEPTION 'provoked' USING ERRCODE = '{}'; END $$"
    mariadb = "SIGNAL SQLSTATE '{}' SET MYSQL_ERRNO = {}, MESSAGE_TEXT = 'provoked'"
    if connection.vendor == "postgresql":
        yield "serialization failure", partial(_provoke, postgres.format("40001"))
        yield "deadlock", partial(_provoke, postgres.format("40P01"))
    elif connection.vendor == "mysql":
        yield "deadlock", partial(_provoke, mariadb.format("40001", 1213))
        yield "lock wait", partial(_provoke, mariadb.format("HY000", 1205))
        yield "record changed", partial(_provoke, mariadb.format("HY000", 1020))
    else:
        yield "locked", _locked


def _provoke(statement: str) -> NoReturn:
    """Let the server itself raise it, which ends its transaction as a real one does."""
    if connection.vendor == "mysql" and connection.in_atomic_block:
        connection.connection.rollback()
    with connection.wrap_database_errors, connection.connection.cursor() as cursor:
        cursor.execute(statement)
    raise AssertionError("the server raised no error")


def _locked() -> NoReturn:
    raise OperationalError("database is locked")


# Processes that work on the same rows at the same moment

_ROUNDS, _RIVALS = 3, 6


def races(world: RealWorld, server: object, tally: Tally, chance: Random, share: float) -> None:
    """Let rivals race, some rounds of each; each of them takes one of the steps, in turn."""
    for race in [race for race in RACES for _ in range(max(1, round(_ROUNDS * share)))]:
        world.restart(race.history)
        world.carry_out(race.before, may_be_idle=False)
        # All begin at the same moment, when each of them has its process and its connection.
        begins = time.monotonic() + 0.4
        turns = [race.acts[number % len(race.acts)] for number in range(_RIVALS)]
        endings = [
            child.ending() for child in [begin(partial(_begin, world, step, begins)) for step in turns]
        ]
        world.end_faults()
        tally.runs += 1
        tally.reached_caller.update(ending.result for ending in endings if ending.result)
        wrong = next((ending.error for ending in endings if ending.error), "")
        if wrong := wrong or look_after(world, race, chance):
            tally.failures.append(f"{race.name}: {wrong}")


def _begin(world: RealWorld, step: Step, begins: float) -> str:
    """Return the error that the caller is given, and where in the plugin it came from."""
    world.connect()
    connection.ensure_connection()
    time.sleep(max(begins - time.monotonic(), 0))
    try:
        world.carry_out([step])
    except Error as error:
        frames = traceback.extract_tb(error.__traceback__)
        names = [frame.name for frame in frames if "/wallet_gateway/" in frame.filename]
        return f"{type(error).__name__} at {' > '.join(names[-4:])}"
    return ""


def through_pooler(world: RealWorld, server: object, tally: Tally, chance: Random, share: float) -> None:
    """Kill and race through PgBouncer in transaction mode: each transaction may meet another session."""
    killed = kills.run(world, chance, runs=21, operation="", instant=None)
    tally.runs, tally.failures = killed.runs, killed.failures
    races(world, server, tally, chance, share)
