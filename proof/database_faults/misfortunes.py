"""What happens to a process at one instant of its operation, other than death, and what comes of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db import Error

from proof.database_faults.tally import Tally
from proof.kills.aftermath import look_after, refusals
from proof.kills.children import in_child
from proof.kills.instants import Instants
from proof.kills.operations import OPERATIONS, Call, Operation
from proof.kills.world import World
from wallet_gateway.ledger import transactions

_NEW_WORLD_EVERY = 8
QUICK = (
    "checkout",
    "return",
    "capture",
    "refund",
    "detached refund",
    "wallet card",
    "approval by a second person",
    "batch",
    "sweep of lost answers",
)
"""One operation of each sort, where each run takes its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfortune:
    """Something that happens at one instant of an operation."""

    operation: Operation
    instant: int | None
    name: str
    happens: Callable[[], object]
    hurry: bool = False
    """Whether storing an answer is tried again at once, because waiting does not help here."""

    def __str__(self) -> str:
        return f"{self.operation.name}, at instant {self.instant}: {self.name}"


def operations(names: Sequence[str] = QUICK) -> list[Operation]:
    """Return the operations with these names."""
    return [one for one in OPERATIONS if one.name in names]


def instants_of(world: World, operation: Operation) -> list[str]:
    """Carry out an operation once and return the names of its instants."""
    world.as_new()
    call = operation.prepare(world)
    ending = in_child(lambda: _struck(call, None, _nothing, hurry=False)[0])
    if ending.error:
        raise RuntimeError(f"{operation.name} fails by itself: {ending.error}")
    names: list[str] = ending.result
    return names


def strike(
    world: World,
    misfortunes: Sequence[Misfortune],
    *,
    chance: random.Random,
    tally: Tally,
    afterwards: Callable[[], object] = lambda: None,
) -> None:
    """Let each misfortune happen once, and compare; `afterwards` ends what lasts, before others go on."""
    for number, one in enumerate(misfortunes):
        if number % _NEW_WORLD_EVERY == 0:
            world.as_new()
        call = one.operation.prepare(world)
        since = len(world.control.journal())
        ending = in_child(lambda: _struck(call, one.instant, one.happens, hurry=one.hurry))  # noqa: B023
        afterwards()
        world.control.clear_faults()
        tally.runs += 1
        if ending.result and ending.result[1]:
            tally.reached_caller[ending.result[1]] += 1
        wrong = ending.error or look_after(world, one.operation, call, since=since, chance=chance)
        if wrong:
            tally.failures.append(f"{one}: {wrong}")


def sample(chance: random.Random, found: Iterator[Misfortune], most: int) -> list[Misfortune]:
    """Choose by chance, in the order in which they come."""
    given = list(found)
    chosen = sorted(chance.sample(range(len(given)), min(most, len(given))))
    return [given[place] for place in chosen]


def _struck(
    call: Call, fatal: int | None, happens: Callable[[], object], *, hurry: bool
) -> tuple[list[str], str]:
    """Return the instants, and the database's error that the caller was given."""
    if hurry:
        transactions.PATIENT_WAITS = (0.01,) * 5
    instants = Instants(fatal=fatal, happens=happens)
    instants.watch()
    try:
        with refusals():
            call()
    except Error as error:
        return instants.reached, type(error).__name__
    return instants.reached, ""


def _nothing() -> None:
    return None
