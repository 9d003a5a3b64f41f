"""Databases that fail in the midst of operations, and real conflicts at each level of isolation.

What is inside a transaction of the plugin is repeated, and the caller hears nothing of it. What reaches the
caller is an error of Django's; after it, as after a killed process, nothing is lost or doubled: see `judge`.
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, NoReturn

from django.apps import apps
from django.db import Error, OperationalError, connection
from django.db.backends.signals import connection_created

from proof.failures import kills
from proof.failures.commit_proxy import CommitProxy
from proof.failures.judge import look_after
from proof.failures.misfortunes import Misfortune, instants_of, sample, strike
from proof.failures.operations import FIVE, OPERATIONS, Call, Expected, resolve, waiting_approval
from proof.failures.processes import begin
from proof.failures.servers import Postgres, SmallPostgres, connected
from proof.failures.tally import Tally
from proof.failures.world import World, again, refusals
from wallet_gateway import payments
from wallet_gateway.models import Approval

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


def _strike(
    world: World, found: Iterator[Misfortune], most: int, chance: random.Random, tally: Tally, **given: Any
) -> None:
    chosen = sample(chance, found, most)
    tally.runs += len(list(strike(world, chosen, chance=chance, tally=tally, **given)))


# A PostgreSQL that is ended at once in the midst of an operation: it comes back now, or after a while


def restarts(world: World, server: Postgres, tally: Tally, chance: random.Random) -> None:
    """Restart the server within operations."""
    away_for = 2.0
    found = (
        Misfortune(operation=operation, instant=number, name=f"{what} {name}", happens=happens)
        for operation in _QUICK
        for number, name in enumerate(instants_of(world, operation))
        for what, happens in (
            ("restarted", server.restart),
            ("away", partial(server.go_away_for, away_for)),
        )
    )
    _strike(world, found, 30, chance, tally, afterwards=server.wait)


# Connections that are cut during COMMIT: the client cannot know whether it was done


def cut_commits(world: World, proxy: CommitProxy, tally: Tally, chance: random.Random) -> None:
    """Cut connections within operations."""
    found = (
        # The proxy counts COMMITs from the first instant.
        Misfortune(
            operation=operation,
            instant=0,
            name=f"{what} {number}",
            happens=partial(proxy.order, what, number),
        )
        for operation in OPERATIONS
        for number in range(1, 1 + instants_of(world, operation).count("before COMMIT"))
        for what in ("lose_commit", "lose_answer")
    )
    cut: list[int] = []
    uncut = partial(proxy.order, "pass")
    _strike(world, found, 60, chance, tally, afterwards=lambda: cut.append(uncut()), runs_of_a_world=1)
    if others := [count for count in cut if count != 1]:
        tally.failures.append(f"{others} COMMITs were cut instead of one each")


# Databases that find no room for a row


def full_disk(world: World, server: SmallPostgres, tally: Tally, chance: random.Random) -> None:
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
            operation=operation,
            instant=0,
            name=f"no room for a {table}",
            happens=partial(_fill, server, f"wallet_gateway_{table}"),
            is_hurried=True,
        )
        for operation in _QUICK
        for table in tables
    )
    _strike(world, found, 30, chance, tally, afterwards=server.empty)
    _check_refused(tally)


def _fill(server: SmallPostgres, table: str) -> None:
    """Let a page of this table take one row alone, and leave no room for a page."""
    with connected(server.url) as own:
        for model in apps.get_app_config("wallet_gateway").get_models():
            usual = 10 if model._meta.db_table == table else 100
            own.execute(f"ALTER TABLE {model._meta.db_table} SET (fillfactor = {usual})".encode())
        own.execute(b"CHECKPOINT")
    server.fill()


def full_file(world: World, server: object, tally: Tally, chance: random.Random) -> None:
    """Let the file of SQLite grow by a few pages and no further."""
    found = (
        Misfortune(
            operation=operation,
            instant=0,
            name=f"{pages} pages left",
            happens=partial(_limit, pages),
            is_hurried=True,
        )
        for operation in _QUICK
        for pages in range(4)
    )
    _strike(world, found, 30, chance, tally)
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


def conflicts(world: World, server: object, tally: Tally, chance: random.Random) -> None:
    """Let one statement of each operation meet a conflict."""
    words = ("COMMIT", "SELECT", "INSERT", "UPDATE", "DELETE")
    found = (
        Misfortune(
            operation=operation, instant=number, name=f"{what} {name}", happens=happens, is_hurried=True
        )
        for operation in OPERATIONS
        for number, name in enumerate(instants_of(world, operation))
        if name.startswith(tuple(f"before {word}" for word in words))
        for what, happens in _conflicts()
    )
    _strike(world, found, 12, chance, tally, runs_of_a_world=1)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Race(Expected):
    """Calls that rivals make at once; each process makes one of them, in turn."""

    prepare: Callable[[World], list[Call]]


def _refunds(world: World) -> list[Call]:
    order = world.paid()
    return [lambda: payments.refund(again(order), Decimal(10))]


def _same_refund(world: World) -> list[Call]:
    order = world.paid()
    return [lambda: payments.refund(again(order), FIVE, idempotency_key=f"r-{order.pk}")]


def _capture_and_reverse(world: World) -> list[Call]:
    order = world.paid("preauthorization")
    return [lambda: payments.capture(again(order), FIVE), lambda: payments.reverse(again(order))]


def _returns(world: World) -> list[Call]:
    attempt = payments.start_checkout(world.order())
    world.control.complete_checkout(attempt.reference, "success")
    world.advance(70)
    return [lambda: payments.orders.reconcile_attempt(attempt.reference), payments.sweep]


def _clicks(world: World) -> list[Call]:
    order = world.order()
    return [lambda: payments.start_checkout(again(order)), lambda: payments.cancel(again(order), by="anna")]


def _second_persons(world: World) -> list[Call]:
    pk, request = waiting_approval(world), Approval.objects.get
    return [
        lambda: payments.approvals.approve(request(pk=pk), by=world.ben),
        lambda: payments.approvals.decline(request(pk=pk), by=world.ben, reason="no"),
    ]


def _sweeps(world: World) -> list[Call]:
    for _ in range(3):
        world.control.fault("capture", "drop_after")
        payments.capture(world.paid("preauthorization"), FIVE)
    world.advance(360)
    return [payments.sweep]


def _late_decision(world: World) -> list[Call]:
    decide = resolve(world)
    world.advance(90_000)
    return [decide, payments.sweep]


_RACES = (
    Race(name="refunds", prepare=_refunds, at_most={"refund": 2}),
    Race(name="one refund", prepare=_same_refund, at_most={"refund": 1}),
    Race(name="capture and reversal", prepare=_capture_and_reverse, at_most={"capture": 5, "reversal": 1}),
    Race(name="return and sweep", prepare=_returns, at_most={"checkout": 1}),
    Race(name="checkout and cancellation", prepare=_clicks, at_most={"checkout": 1}, opens_pages=True),
    Race(name="approval and refusal", prepare=_second_persons, at_most={"refund": 1}),
    Race(name="sweeps", prepare=_sweeps, at_most={"capture": 3}),
    Race(name="decision and sweep", prepare=_late_decision, at_most={"capture": 1}, is_given_up=True),
)


def races(
    world: World, server: object, tally: Tally, chance: random.Random, *, rounds: int = 3, rivals: int = 6
) -> None:
    """Let processes race, some rounds of each."""
    for race in _RACES:
        world.as_new()
        for _ in range(rounds):
            since, calls = len(world.control.journal()), race.prepare(world)
            # All begin at the same moment, when each of them has its process and its connection.
            begins = time.monotonic() + 0.4
            started = [begin(partial(_begin, calls[n % len(calls)], begins)) for n in range(rivals)]
            endings = [child.ending() for child in started]
            world.control.clear_faults()
            tally.runs += 1
            tally.reached_caller.update(ending.result for ending in endings if ending.result)
            wrong = next((ending.error for ending in endings if ending.error), "")
            wrong = wrong or look_after(world, race, calls[-1], since=since, chance=chance)
            if wrong:
                tally.failures.append(f"{race.name}: {wrong}")


def _begin(call: Call, begins: float) -> str:
    """Return the error that the caller is given, and where in the plugin it came from."""
    connection.ensure_connection()
    time.sleep(max(begins - time.monotonic(), 0))
    try:
        with refusals():
            call()
    except Error as error:
        frames = traceback.extract_tb(error.__traceback__)
        names = [frame.name for frame in frames if "/wallet_gateway/" in frame.filename]
        return f"{type(error).__name__} at {' > '.join(names[-4:])}"
    return ""


def through_pooler(world: World, server: object, tally: Tally, chance: random.Random) -> None:
    """Kill and race through PgBouncer in transaction mode: each transaction may meet another session."""
    kills.run(world, server, tally, chance)
    tally.notes.clear()
    races(world, server, tally, chance)
