"""The parts of the proof: what each one shows, the command that runs it, and its size.

Every part is a process of its own, which writes its result where `--result` says. A part is never left out
silently: the table names what it needs and this machine does not have.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SERVERS: Final = {
    "postgres": (
        "PostgreSQL",
        os.environ.get("POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/test"),
        5432,
    ),
    "mariadb": ("MariaDB", os.environ.get("MARIADB_URL", "mysql://root@127.0.0.1:3306/test"), 3306),
}
"""Where the database tests look, too: the name, the address and the usual port of each server."""
DRIVERS: Final = {"postgres": "psycopg", "mariadb": "MySQLdb"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of everything: the seed, and what the numbers of a whole proof are multiplied by."""

    seed: int
    scale: float = 1

    def of(self, number: float, *, least: int = 1) -> str:
        """Return a scaled number as an argument of a command."""
        return str(max(least, round(number * self.scale)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part: a module that must be there, and the arguments of its command."""

    name: str
    what: str
    module: str
    arguments: Callable[[Size], list[str]]
    minutes: float = 60
    """After how long, in a whole proof, it counts as broken."""

    def missing(self) -> str:
        """Return why the part cannot be run here; an empty text if it can."""
        return "" if _is_there(self.module) else f"there is no {self.module}"

    def command(self, size: Size, result: Path) -> list[str]:
        """Return the command that runs the part and writes its result to this file."""
        return [sys.executable, "-m", self.module, *self.arguments(size), "--result", str(result)]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _failures(name: str, what: str, arguments: Callable[[Size], list[str]]) -> Part:
    """Return a part that makes its own databases, and says itself what is missing."""
    return Part(
        name=name,
        what=what,
        module="proof.failures",
        arguments=lambda size: [*arguments(size), "--seed", str(size.seed)],
    )


def _kills(database: str) -> Part:
    name = _name(database)
    return _failures(
        f"kills-{database}",
        f"processes killed at every step of every operation, on {name}",
        lambda size: ["kills", "--part", name, "--runs", size.of(200)],
    )


def _chaos(database: str) -> Part:
    name = _name(database)
    return _failures(
        f"chaos-{database}",
        f"histories that several workers live at once, some killed, against a faulty sandbox, on {name}",
        lambda size: ["chaos", "--part", name, "--operations", size.of(2000), "--workers", "4"],
    )


def _name(database: str) -> str:
    return {"postgres": "PostgreSQL", "mariadb": "MariaDB"}.get(database, "SQLite")


def _searches(name: str, what: str) -> Part:
    return Part(
        name=name,
        what=what,
        module="proof.searches",
        arguments=lambda size: [name, "--seed", str(size.seed), "--scale", str(size.scale)],
    )


DATABASES: Final = ("sqlite", "postgres", "mariadb")
# The long ones first, so that none of them is left alone at the end.
PARTS: Final = (
    Part(
        name="simulation",
        what="histories of 30 steps in virtual time: real operations, client, sandbox and rows, with crashes",
        module="proof.histories",
        arguments=lambda size: [
            "sandbox",
            "--seed",
            str(size.seed),
            "--histories",
            size.of(5000),
            "--steps",
            "30",
        ],
        minutes=120,
    ),
    Part(
        name="habits",
        what="histories at gateways that speak differently: other words, ids, amounts, orders, references",
        module="proof.histories",
        arguments=lambda size: [
            "habits",
            "--seed",
            str(size.seed),
            "--histories",
            size.of(500),
            "--steps",
            "25",
        ],
    ),
    *map(_kills, DATABASES),
    Part(
        name="mutation",
        what="deliberate faults in the code that moves money, which the tests must notice",
        module="proof.mutation",
        arguments=lambda size: ["--chosen", "--seed", str(size.seed), "--sample", size.of(344)],
    ),
    *map(_chaos, DATABASES),
    _searches("fuzzing", "hostile requests to a shop and to a sandbox"),
    _searches("openapi", "requests that the OpenAPI documents describe, and those that they do not"),
    _failures(
        "soak",
        "requests of a shop under load, with faults and workers restarted: nothing grows, books equal",
        lambda size: ["soak", "--part", "SQLite", "--minutes", f"{max(0.25, 5 * size.scale):g}"],
    ),
    _failures(
        "database-faults",
        "commits with an unknown end, a full disk, deadlocks, a server that restarts, isolation levels",
        lambda size: ["database-faults"],
    ),
    _failures(
        "disaster",
        "an older backup restored while the gateway went on, and two sites at once by mistake",
        lambda size: ["disaster"],
    ),
    Part(
        name="state-model",
        what="histories of the rules alone: booking, lifecycle and schedule, without a database",
        module="proof.state_model",
        arguments=lambda size: ["--seed", str(size.seed), "--histories", size.of(100_000)],
    ),
)
