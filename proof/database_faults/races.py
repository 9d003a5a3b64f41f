"""Processes that work on the same rows at the same moment, at each level of isolation: real conflicts."""

from __future__ import annotations

import os
import random
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import Error, connection, connections

from proof.database_faults.tally import Tally
from proof.kills.aftermath import look_after, refusals
from proof.kills.operations import FIVE, Call, Operation
from proof.kills.world import World
from wallet_gateway import gateways, payments
from wallet_gateway.models import Approval, GatewayTransaction, PaymentOrder

ROUNDS = 3
PROCESSES = 6
_SOON = 0.4
"""Seconds after which all of them begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Calls that rivals make at once; each process makes one of them, in turn."""

    name: str
    prepare: Callable[[World], list[Call]]
    at_most: dict[str, int]
    is_refused: bool = False
    opens_pages: bool = False


def _order(order: PaymentOrder) -> PaymentOrder:
    return PaymentOrder.objects.get(pk=order.pk)


def _refunds(world: World) -> list[Call]:
    order = world.paid()
    return [lambda: payments.refund(_order(order), Decimal(10))]


def _same_refund(world: World) -> list[Call]:
    order = world.paid()
    return [lambda: payments.refund(_order(order), FIVE, idempotency_key=f"r-{order.pk}")]


def _capture_and_reverse(world: World) -> list[Call]:
    order = world.paid("preauthorization")
    return [lambda: payments.capture(_order(order), FIVE), lambda: payments.reverse(_order(order))]


def _returns(world: World) -> list[Call]:
    attempt = payments.start_checkout(world.order())
    world.control.complete_checkout(attempt.reference, "success")
    world.advance(70)
    return [lambda: payments.orders.reconcile_attempt(attempt.reference), payments.sweep]


def _clicks(world: World) -> list[Call]:
    order = world.order()
    return [lambda: payments.start_checkout(_order(order)), lambda: payments.cancel(_order(order), by="anna")]


def _second_persons(world: World) -> list[Call]:
    try:
        payments.refund(world.paid(), Decimal(20), by=world.anna)
    except payments.errors.AwaitingApproval as waits:
        pk = waits.approval.pk
    request = Approval.objects.get
    return [
        lambda: payments.approvals.approve(request(pk=pk), by=world.ben),
        lambda: payments.approvals.decline(request(pk=pk), by=world.ben, reason="no"),
    ]


def _sweeps(world: World) -> list[Call]:
    for _ in range(3):
        world.control.fault("capture", "drop_after")
        payments.capture(world.paid("preauthorization"), FIVE)
    world.advance(360)
    return [payments.sweep]


def _late_decision(world: World) -> list[Call]:
    world.control.fault("capture", "drop_before")
    pk = payments.capture(world.paid("preauthorization"), FIVE).pk
    for seconds in (3, 10, 20, 120, 600, 90_000):
        world.advance(seconds)
        payments.sweep()
    world.advance(90_000)
    decide = payments.approvals.resolve
    return [
        lambda: decide(
            GatewayTransaction.objects.get(pk=pk), decision="DID_NOT_HAPPEN", reason="ticket", by=world.anna
        ),
        payments.sweep,
    ]


RACES = (
    Race(name="refunds", prepare=_refunds, at_most={"refund": 2}),
    Race(name="one refund", prepare=_same_refund, at_most={"refund": 1}),
    Race(name="capture and reversal", prepare=_capture_and_reverse, at_most={"capture": 5, "reversal": 1}),
    Race(name="return and sweep", prepare=_returns, at_most={"checkout": 1}),
    Race(name="checkout and cancellation", prepare=_clicks, at_most={"checkout": 1}, opens_pages=True),
    Race(name="approval and refusal", prepare=_second_persons, at_most={"refund": 1}),
    Race(name="sweeps", prepare=_sweeps, at_most={"capture": 3}),
    Race(name="decision and sweep", prepare=_late_decision, at_most={"capture": 1}),
)


def run(world: World, server: Any, tally: Tally, chance: random.Random) -> None:  # noqa: ANN401
    """Let processes race, some rounds of each."""
    for race in RACES:
        world.as_new()
        for _ in range(ROUNDS):
            _race(world, race, chance, tally)


def _race(world: World, race: Race, chance: random.Random, tally: Tally) -> None:
    since = len(world.control.journal())
    calls = race.prepare(world)
    tally.runs += 1
    wrong = ""
    for given in _together([calls[number % len(calls)] for number in range(PROCESSES)]):
        if given.startswith("Traceback"):
            wrong = given
        elif given:
            tally.reached_caller[given] += 1
    world.control.clear_faults()
    operation = Operation(
        name="resolution" if race.name == "decision and sweep" else race.name,
        prepare=lambda _: calls[0],
        at_most=race.at_most,
        opens_pages=race.opens_pages,
        is_refused=race.is_refused,
    )
    wrong = wrong or look_after(world, operation, calls[-1], since=since, chance=chance)
    if wrong:
        tally.failures.append(f"{race.name}: {wrong}")


def _together(calls: list[Call]) -> list[str]:
    """Let each call begin at the same moment in a process of its own; give what their callers were given."""
    connections.close_all()
    gateways.forget_gateways()
    begins = time.monotonic() + _SOON
    readers = []
    for call in calls:
        reading, writing = os.pipe()
        if os.fork() == 0:
            _begin(call, begins, writing)
        os.close(writing)
        readers.append(reading)
    given = []
    for reading in readers:
        with os.fdopen(reading) as pipe:
            given.append(pipe.read())
    for _ in calls:
        os.wait()
    return given


def _place(error: Error) -> str:
    """Where in the plugin it came from: the innermost functions."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if "/wallet_gateway/" in frame.filename
    ]
    return " > ".join(frame.name for frame in frames[-4:])


def _begin(call: Call, begins: float, writing: int) -> None:
    try:
        connection.ensure_connection()
        time.sleep(max(begins - time.monotonic(), 0))
        with refusals():
            call()
        said = ""
    except Error as error:
        said = f"{type(error).__name__} at {_place(error)}"
    except BaseException:  # noqa: BLE001 - the parent gets every exception
        said = traceback.format_exc()
    try:
        os.write(writing, said.encode()[:60_000])
    finally:
        os._exit(0)
