"""What others do after something went wrong in one process: callers call again, customers pay, sweeps run.

It is done by a new process, which then compares everything: see `verdict`.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from datetime import timedelta

from proof.kills.children import in_child
from proof.kills.operations import Call, Operation
from proof.kills.verdict import check_all
from proof.kills.world import World
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.testing.control import SandboxRefused

AFTER = (125, 5, 20, 70, 310, 3_700, 90_000)
"""Seconds by which the clocks move between the sweeps: past the lease, up the ladder, and a day."""
ONCE_MORE = (310, 90_000)
"""The same after the caller has called again."""


def look_after(world: World, operation: Operation, call: Call, *, since: int, chance: random.Random) -> str:
    """Let a new process do the rest and compare; return what is wrong, or nothing."""
    impatient, pays = chance.random() < 0.5, operation.opens_pages and chance.random() < 0.5

    def others() -> None:
        if impatient:
            with refusals():
                call()
        if pays:
            _pay_pages(world)
        _sweep_for(world, AFTER)
        with refusals():
            call()
        _sweep_for(world, ONCE_MORE)
        check_all(world.control, operation, since=since)

    ending = in_child(others)
    if ending.killed or ending.error:
        world.as_new()
        return f"(impatient={impatient} pays={pays}) {ending.error or 'it hung'}"
    # The child has moved the gateway's clock, and its own copy of the shop's.
    world.clock.ahead += timedelta(seconds=sum(AFTER) + sum(ONCE_MORE))
    return ""


def _sweep_for(world: World, waits: tuple[int, ...]) -> None:
    for seconds in waits:
        world.advance(seconds)
        payments.sweep()


def _pay_pages(world: World) -> None:
    """Let customers pay all pages, those too whose address the shop has lost."""
    for row in GatewayTransaction.objects.filter(kind=TransactionKind.CHECKOUT):
        with contextlib.suppress(SandboxRefused):
            world.control.complete_checkout(row.reference, "success")


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """A refusal by the plugin is a right answer; any other exception is not."""
    with contextlib.suppress(OperationError):
        yield
