"""Operations through PgBouncer in transaction mode: each one may meet another session."""

from __future__ import annotations

import random
from typing import Any

from proof.database_faults import races
from proof.database_faults.tally import Tally
from proof.kills import run as kills
from proof.kills.world import World

RUNS = 21


def run(world: World, server: Any, tally: Tally, chance: random.Random) -> None:  # noqa: ANN401
    """Kill and race as on a server that is spoken to directly."""
    found = kills.run(world, runs=RUNS, seed=chance.randrange(1_000_000))
    tally.runs += found.killed
    tally.failures += found.failures
    races.run(world, server, tally, chance)
