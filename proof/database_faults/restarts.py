"""A PostgreSQL that is ended at once in the midst of an operation: it comes back now, or after a while."""

from __future__ import annotations

import random
from collections.abc import Iterator

from proof.database_faults.misfortunes import Misfortune, instants_of, operations, sample, strike
from proof.database_faults.servers import Postgres
from proof.database_faults.tally import Tally
from proof.kills.world import World

RUNS = 30
_AWAY = 2.0
"""Seconds."""


def run(world: World, server: Postgres, tally: Tally, chance: random.Random) -> None:
    """Restart the server within operations."""
    chosen = sample(chance, _restarts(world, server), RUNS)
    strike(world, chosen, chance=chance, tally=tally, afterwards=server.wait)


def _restarts(world: World, server: Postgres) -> Iterator[Misfortune]:
    for operation in operations():
        for number, name in enumerate(instants_of(world, operation)):
            yield Misfortune(
                operation=operation, instant=number, name=f"restarted {name}", happens=server.restart
            )
            yield Misfortune(
                operation=operation,
                instant=number,
                name=f"away {name}",
                happens=lambda: server.go_away_for(_AWAY),
            )
