"""Processes that are ended by SIGKILL at every step of every operation, and other misfortunes at such a step.

Before each statement, each COMMIT and each step of a request, and from outside at any moment, within a
statement as well. Then others sweep up and the caller calls again: see `judge`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from django.db import Error

from proof.failures.instants import die
from proof.failures.judge import look_after
from proof.failures.processes import Ending, in_child
from proof.failures.scripts import OPERATIONS, Script
from proof.failures.world import RealWorld
from proof.results import Tally
from wallet_gateway.ledger import transactions

_BY_CHANCE = 12
"""One kill of so many comes from outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfortune:
    """Something that happens at the instant of this number, or death from outside after some seconds."""

    script: Script
    name: str
    instant: int | None = None
    happens: Callable[[], object] = die
    after: float | None = None
    is_hurried: bool = False
    """Whether storing an answer is tried again at once, because waiting does not help here."""

    def __str__(self) -> str:
        place = "" if self.instant is None else f", at instant {self.instant}"
        return f"{self.script.name}{place}: {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One call: its instants, how long it takes, and the error of the database that its caller was given."""

    instants: list[str]
    seconds: float
    error: str = ""


def run(world: RealWorld, chance: Random, *, runs: int, operation: str, instant: int | None) -> Tally:
    """Kill as often as asked, or at every instant where `runs` is 0."""
    tally, instants, survived = Tally(), 0, 0
    operations = [one for one in OPERATIONS if operation in {"", one.name}]
    for one in operations:
        failed = len(tally.failures)
        clean = strike(world, Misfortune(script=one, name="without a kill"), chance, tally).result
        if len(tally.failures) > failed:
            continue
        kills = [Misfortune(script=one, instant=n, name=name) for n, name in enumerate(clean.instants)]
        instants += len(kills)
        for share in [chance.random() for _ in range(len(kills) // _BY_CHANCE)]:
            name = f"after {share:.0%} of its time"
            kills.append(Misfortune(script=one, after=share * clean.seconds, name=name))
        most = max(runs // len(operations), 1) if runs else len(kills)
        chosen = chance.sample(kills, min(most, len(kills)))
        if instant is not None:
            chosen = [kill for kill in kills if kill.instant == instant]
        killed = sum(strike(world, kill, chance, tally).killed for kill in chosen)
        tally.runs += killed
        # It takes one statement less from time to time.
        survived += len(chosen) - killed
        print(f"{one.name}: {len(chosen)} of {len(clean.instants)} instants", flush=True)
    tally.notes.append(
        f"{instants} instants of {len(operations)} operations, {survived} were over before their kill"
    )
    return tally


def strike(
    world: RealWorld,
    one: Misfortune,
    chance: Random,
    tally: Tally,
    *,
    afterwards: Callable[[], object] = lambda: None,
) -> Ending:
    """Let a misfortune happen in a new world and compare; `afterwards` ends what lasts."""
    ending = happen(world, one)
    afterwards()
    world.end_faults()
    if ending.result and ending.result.error:
        tally.reached_caller[ending.result.error] += 1
    if wrong := ending.error or look_after(world, one.script, chance):
        tally.failures.append(f"{one}: {wrong}")
        print(f"FOUND {tally.failures[-1]}")
    return ending


def happen(world: RealWorld, one: Misfortune) -> Ending:
    """Make a new world, and carry the operation out in a process that meets the misfortune."""
    world.restart(one.script.history)
    world.carry_out(one.script.before, may_be_idle=False)

    def watched() -> Watched:
        if one.is_hurried:
            transactions.PATIENT_WAITS = (0.01,) * 5
        world.new_process()
        world.instants.fatal, world.instants.happens = one.instant, one.happens
        began, given = time.monotonic(), ""
        try:
            world.carry_out(one.script.acts)
        except Error as error:
            # Where nothing happens to the database, its errors are faults.
            if one.happens is die:
                raise
            given = type(error).__name__
        world.instants.reach("at the end")
        return Watched(instants=world.instants.reached, seconds=time.monotonic() - began, error=given)

    return in_child(watched, kill_after=one.after)
