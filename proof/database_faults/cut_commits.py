"""Connections that are cut during COMMIT: the client cannot know whether it was done."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from proof.database_faults.commit_proxy import CommitProxy
from proof.database_faults.misfortunes import Misfortune, instants_of, operations, sample, strike
from proof.database_faults.tally import Tally
from proof.kills.operations import OPERATIONS
from proof.kills.world import World

RUNS = 60


def run(world: World, proxy: CommitProxy, tally: Tally, chance: random.Random) -> None:
    """Cut connections within operations."""
    for one in sample(chance, _cuts(world, proxy), RUNS):
        cut: list[int] = []
        strike(world, [one], chance=chance, tally=tally, afterwards=lambda: cut.append(proxy.order("pass")))  # noqa: B023
        if cut != [1]:
            tally.failures.append(f"{one}: {cut} COMMITs were cut instead of one")


def _cuts(world: World, proxy: CommitProxy) -> Iterator[Misfortune]:
    for operation in operations([one.name for one in OPERATIONS]):
        commits = instants_of(world, operation).count("before COMMIT")
        for number in range(1, commits + 1):
            for what in ("lose_commit", "lose_answer"):
                yield Misfortune(
                    operation=operation,
                    # The proxy counts from there.
                    instant=0,
                    name=f"{what} {number}",
                    happens=partial(proxy.order, what, number),
                )
