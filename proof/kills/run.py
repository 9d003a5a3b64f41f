"""One run on one database: each operation is killed at each of its instants, and each time looked after."""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass, field

from proof.kills.aftermath import look_after, refusals
from proof.kills.children import in_child
from proof.kills.instants import Instants
from proof.kills.operations import OPERATIONS, Call, Operation
from proof.kills.world import World

_NEW_WORLD_EVERY = 8
_BY_CHANCE = 12
"""One kill of so many comes from outside, at any moment, within a statement as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """One kill: at the instant of this number, or from outside after a part of the operation's time."""

    operation: Operation
    instant: int | None
    name: str
    after: float | None = None

    def __str__(self) -> str:
        place = "from outside" if self.instant is None else f"at instant {self.instant}"
        return f"{self.operation.name}, {place}: {self.name}"


@dataclass
class Tally:
    """What came of the kills."""

    killed: int = 0
    survived: int = 0
    """Those whose operation was over before: it takes one statement less from time to time."""
    instants: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def run(world: World, *, runs: int, seed: int, only: str = "", instant: int | None = None) -> Tally:
    """Kill as often as asked, or at every instant where `runs` is 0; return what came of it."""
    chance, tally = random.Random(seed), Tally()
    operations = [one for one in OPERATIONS if only in {"", one.name}]
    kills = {one.name: _kills_of(world, one, chance, tally) for one in operations}
    for operation in operations:
        chosen = _chosen(kills[operation.name], runs, len(operations), chance)
        if instant is not None:
            chosen = [kill for kill in kills[operation.name] if kill.instant == instant]
        for number, kill in enumerate(chosen):
            if number % _NEW_WORLD_EVERY == 0:
                world.as_new()
            _carry_out(world, kill, chance, tally)
        _say(f"{operation.name}: {len(chosen)} of {tally.instants.get(operation.name, 0)} instants")
    return tally


def _chosen(kills: list[Kill], runs: int, operations: int, chance: random.Random) -> list[Kill]:
    """Take an operation's part of the runs, spread over its instants by chance."""
    share = len(kills) if runs == 0 else max(runs // operations, 1)
    return chance.sample(kills, min(share, len(kills)))


def _kills_of(world: World, operation: Operation, chance: random.Random, tally: Tally) -> list[Kill]:
    """Carry out the operation once without a kill, look after it as well, and number its instants."""
    world.as_new()
    call, since = operation.prepare(world), len(world.control.journal())
    began = time.monotonic()
    clean = in_child(lambda: _watched(call, None))
    took = time.monotonic() - began
    wrong = clean.error or look_after(world, operation, call, since=since, chance=chance)
    if wrong:
        tally.failures.append(f"{operation.name}, without a kill: {wrong}")
        return []
    names = clean.result
    tally.instants[operation.name] = len(names)
    at_each = [Kill(operation=operation, instant=n, name=name) for n, name in enumerate(names)]
    by_chance = [
        Kill(operation=operation, instant=None, name=f"after {share:.0%} of its time", after=share * took)
        for share in (chance.random() for _ in range(len(names) // _BY_CHANCE))
    ]
    return at_each + by_chance


def _watched(call: Call, fatal: int | None) -> list[str]:
    instants = Instants(fatal=fatal)
    instants.watch()
    with refusals():
        call()
    instants.reach("at the end")
    return instants.reached


def _carry_out(world: World, kill: Kill, chance: random.Random, tally: Tally) -> None:
    call = kill.operation.prepare(world)
    since = len(world.control.journal())
    ending = in_child(lambda: _watched(call, kill.instant), kill_after=kill.after)
    world.control.clear_faults()
    tally.killed += ending.killed
    tally.survived += not ending.killed
    wrong = ending.error or look_after(world, kill.operation, call, since=since, chance=chance)
    if wrong:
        tally.failures.append(f"{kill}: {wrong}")
        _say(tally.failures[-1])


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
