"""What happens to a process at one instant of its operation, and what comes of it."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db import Error

from proof.failures.instants import Instants, die
from proof.failures.judge import look_after
from proof.failures.operations import Call, Operation
from proof.failures.processes import Ending, in_child
from proof.failures.tally import Tally
from proof.failures.world import World, refusals
from wallet_gateway.ledger import transactions


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfortune:
    """Something that happens at the instant of this number, or death from outside after some seconds."""

    operation: Operation
    name: str
    instant: int | None = None
    happens: Callable[[], object] = die
    after: float | None = None
    is_hurried: bool = False
    """Whether storing an answer is tried again at once, because waiting does not help here."""

    def __str__(self) -> str:
        place = "" if self.instant is None else f", at instant {self.instant}"
        return f"{self.operation.name}{place}: {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One call: its instants, how long it takes, and the error of the database that its caller was given."""

    instants: list[str]
    seconds: float
    error: str = ""


def instants_of(world: World, operation: Operation) -> list[str]:
    """Carry out an operation once and return the names of its instants."""
    world.as_new()
    call = operation.prepare(world)
    ending = in_child(lambda: _watched(call, Misfortune(operation=operation, name="nothing")))
    if ending.error:
        raise RuntimeError(f"{operation.name} fails by itself: {ending.error}")
    watched: Watched = ending.result
    return watched.instants


def sample(chance: random.Random, found: Iterable[Misfortune], most: int) -> list[Misfortune]:
    """Choose by chance, in the order in which they come."""
    given = list(found)
    chosen = sorted(chance.sample(range(len(given)), min(most, len(given))))
    return [given[place] for place in chosen]


def strike(
    world: World,
    misfortunes: Sequence[Misfortune],
    *,
    chance: random.Random,
    tally: Tally,
    afterwards: Callable[[], object] = lambda: None,
    runs_of_a_world: int = 8,
) -> Iterator[Ending]:
    """Let each misfortune happen once and compare; `afterwards` ends what lasts, before others go on.

    A world that has seen one run may take a statement less: where they were counted, each run needs its own.
    """
    for number, one in enumerate(misfortunes):
        # What is expected of an operation is not true of what others have left.
        if number % runs_of_a_world == 0 or one.operation is not misfortunes[number - 1].operation:
            world.as_new()
        call = one.operation.prepare(world)
        since = len(world.control.journal())
        ending = in_child(lambda: _watched(call, one), kill_after=one.after)  # noqa: B023
        afterwards()
        world.control.clear_faults()
        if ending.result and ending.result.error:
            tally.reached_caller[ending.result.error] += 1
        wrong = ending.error or look_after(world, one.operation, call, since=since, chance=chance)
        if wrong:
            tally.failures.append(f"{one}: {wrong}")
            sys.stdout.write(f"FOUND {tally.failures[-1]}\n")
        yield ending


def _watched(call: Call, one: Misfortune) -> Watched:
    if one.is_hurried:
        transactions.PATIENT_WAITS = (0.01,) * 5
    instants, began, given = Instants(fatal=one.instant, happens=one.happens), time.monotonic(), ""
    instants.watch()
    try:
        with refusals():
            call()
    except Error as error:
        # Where nothing happens to the database, its errors are faults.
        if one.happens is die:
            raise
        given = type(error).__name__
    instants.reach("at the end")
    return Watched(instants=instants.reached, seconds=time.monotonic() - began, error=given)
