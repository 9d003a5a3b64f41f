"""Conflicts at each statement of an operation: deadlocks and serialization failures by the server.

What is inside a transaction of the plugin is repeated, and the caller hears nothing of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

from django.db import OperationalError, connection

from proof.database_faults.misfortunes import Misfortune, instants_of, operations, sample, strike
from proof.database_faults.tally import Tally
from proof.kills.operations import OPERATIONS
from proof.kills.world import World

RUNS = 12
_POSTGRES = "DO $$ BEGIN RAISE EXCEPTION 'provoked' USING ERRCODE = '{code}'; END $$"
_MARIADB = "SIGNAL SQLSTATE '{code}' SET MYSQL_ERRNO = {number}, MESSAGE_TEXT = 'provoked'"


def run(world: World, server: Any, tally: Tally, chance: random.Random) -> None:  # noqa: ANN401
    """Let one statement of each operation meet a conflict."""
    for one in sample(chance, _conflicts(world), RUNS):
        before = sum(tally.reached_caller.values())
        strike(world, [one], chance=chance, tally=tally)
        if sum(tally.reached_caller.values()) > before:
            tally.notes.append(f"a caller was given the conflict: {one}")


def _conflicts(world: World) -> Iterator[Misfortune]:
    for operation in operations([one.name for one in OPERATIONS]):
        for number, name in enumerate(instants_of(world, operation)):
            if not _is_statement(name):
                continue
            for what, happens in _kinds():
                yield Misfortune(
                    operation=operation, instant=number, name=f"{what} {name}", happens=happens, hurry=True
                )


def _is_statement(name: str) -> bool:
    words = ("COMMIT", "SELECT", "INSERT", "UPDATE", "DELETE")
    return name.startswith(tuple(f"before {word}" for word in words))


def _kinds() -> Iterator[tuple[str, Callable[[], NoReturn]]]:
    if connection.vendor == "postgresql":
        yield "serialization failure", partial(_provoke, _POSTGRES.format(code="40001"))
        yield "deadlock", partial(_provoke, _POSTGRES.format(code="40P01"))
    elif connection.vendor == "mysql":
        yield "deadlock", partial(_provoke, _MARIADB.format(code="40001", number=1213))
        yield "lock wait", partial(_provoke, _MARIADB.format(code="HY000", number=1205))
        yield "record changed", partial(_provoke, _MARIADB.format(code="HY000", number=1020))
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
