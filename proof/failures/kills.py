"""Processes that are ended by SIGKILL at every step of every operation.

Before each statement, each COMMIT and each step of a request, and from outside at any moment, within a
statement as well. Then others sweep up and the caller calls again: see `judge`.
"""

from __future__ import annotations

import random
import sys

from proof.failures.misfortunes import Misfortune, strike
from proof.failures.operations import OPERATIONS, Operation
from proof.failures.tally import Tally
from proof.failures.world import World

_BY_CHANCE = 12
"""One kill of so many comes from outside."""


def run(
    world: World,
    server: object,
    tally: Tally,
    chance: random.Random,
    *,
    runs: int = 21,
    operation: str = "",
    instant: int | None = None,
) -> None:
    """Kill as often as asked, or at every instant where `runs` is 0."""
    operations = [one for one in OPERATIONS if operation in {"", one.name}]
    instants = survived = killed = 0
    for one in operations:
        kills = _kills_of(world, one, chance, tally)
        counted = sum(kill.instant is not None for kill in kills)
        share = len(kills) if runs == 0 else max(runs // len(operations), 1)
        chosen = chance.sample(kills, min(share, len(kills)))
        if instant is not None:
            chosen = [kill for kill in kills if kill.instant == instant]
        endings = list(strike(world, chosen, chance=chance, tally=tally))
        instants += counted
        killed += sum(ending.killed for ending in endings)
        # It takes one statement less from time to time.
        survived += sum(not ending.killed for ending in endings)
        sys.stdout.write(f"{one.name}: {len(chosen)} of {counted} instants\n")
        sys.stdout.flush()
    tally.runs += killed
    tally.notes.append(
        f"{instants} instants of {len(operations)} operations, {survived} were over before their kill"
    )


def _kills_of(world: World, operation: Operation, chance: random.Random, tally: Tally) -> list[Misfortune]:
    """Carry out the operation once without a kill, and number its instants."""
    clean, failed = Misfortune(operation=operation, name="without a kill"), len(tally.failures)
    (ending,) = strike(world, [clean], chance=chance, tally=tally)
    if len(tally.failures) > failed:
        return []
    names = ending.result.instants
    at_each = [Misfortune(operation=operation, instant=n, name=name) for n, name in enumerate(names)]
    shares = [chance.random() for _ in range(len(names) // _BY_CHANCE)]
    return at_each + [
        Misfortune(
            operation=operation, after=share * ending.result.seconds, name=f"after {share:.0%} of its time"
        )
        for share in shares
    ]
