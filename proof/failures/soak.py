"""A shop under load for a long time: nothing that it holds grows, and its books stay true.

Its processes serve customers and sweep, in rounds, with lost answers and one process that is killed. A round
is over when everybody has done their work, however long that takes: a slow machine makes fewer rounds, and no
longer queues. After each an hour passes.
"""

from __future__ import annotations

import gc
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from django.db import connection

from proof.failures.browser import browse
from proof.failures.growth import BOUNDS
from proof.failures.judge import check_gateways_word
from proof.failures.processes import Child
from proof.failures.world import RealWorld
from proof.results import Tally
from wallet_gateway import gateways, payments
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder
from wallet_gateway.operation_errors import OperationError
from wallet_gateway.reports.work import POLLED_STATES, unattended
from wallet_gateway.testing.control import SandboxControl, SandboxRefused
from wallet_gateway.testing.invariants import BooksDisagree, check_books, check_events
from wallet_gateway.testing.orders import create_order

_CUSTOMERS = 4
"""How many each process serves in a round."""
_LEAST_ROUNDS = 9
"""Fewer would say nothing about growth, so a slow machine takes longer."""
_FAULTS = ("drop_before", "drop_after", "status_before", "status_after", "truncated", "not_json", "empty")
_CALLS = ("checkout", "capture", "refund", "reversal", "status")
_FAULTS_OF_A_ROUND = 2
"""One of twenty requests meets one: a customer sends five, to two processes."""
_OUTCOMES = ("success", "success", "success", "success", "refused", "cancelled", "return")
_HOUR = 3600
_CALM = (1, 1, 2, 25, 25, 200)
"""Hours after which everything that still can end has come to its end."""
_MOST_ORDERS = 3000
"""Of how many orders the gateway is asked in the end; of more than that, some are chosen."""
_MOST_SWEEPS = 20
_CONNECTIONS = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE db = database()",
}
"""SQLite has none: its files are counted with those of each process."""


def run(world: RealWorld, chance: Random, *, minutes: float, is_leaky: bool) -> Tally:
    """Make rounds until the time is up, then calm down and compare."""
    tally, measured = Tally(), defaultdict[str, list[float]](list)
    began, rounds = time.monotonic(), 0
    lives = {name: _begin(name, world, chance) for name in ("resident", "mortal", "sweeper")}
    if is_leaky:
        lives["leaky"] = _begin("leaky", world, chance)
    try:
        while rounds < _LEAST_ROUNDS or time.monotonic() - began < minutes * 60:
            _round(world, lives, chance, tally, measured, kills=rounds % 3 == 2)
            rounds += 1
            print(f"{rounds} rounds, {tally.runs} customers", flush=True)
        world.end_faults()
        for hours in _CALM:
            world.time.pass_by(hours * _HOUR)
            # The provider decides what it has left open.
            for row in GatewayTransaction.objects.filter(state=TransactionState.PENDING):
                with suppress(SandboxRefused):
                    world.control.settle_pending(row.reference, "success")
            _asked(lives["sweeper"], 0)
    finally:
        for life in lives.values():
            life.kill()
    for name, values in measured.items():
        who, _, figure = name.partition(" ")
        if grown := BOUNDS[figure].broken_by(values):
            tally.failures.append(f"{who}: {grown}")
    tally.failures += _disagreements(chance)
    memory = [kilobytes / 1024 for kilobytes in measured["resident kilobytes"]]
    tally.notes.append(
        f"{rounds} hours of the shop, {rounds // 3} workers killed, memory after the warm-up "
        f"{memory[len(memory) // 3]:.0f} MB, at the end {memory[-1]:.0f} MB"
    )
    return tally


def _round(
    world: RealWorld,
    lives: dict[str, Child],
    chance: Random,
    tally: Tally,
    measured: dict[str, list[float]],
    *,
    kills: bool,
) -> None:
    for _ in range(_FAULTS_OF_A_ROUND):
        call, fault = chance.choice(_CALLS), chance.choice(_FAULTS)
        world.control.fault(call, fault, times=1, skip=chance.randrange(_CUSTOMERS))
    serving = [name for name in lives if name != "sweeper"]
    for name in serving:
        lives[name].pipe.send(_CUSTOMERS)
    if kills:
        time.sleep(chance.random() * 0.3)
        lives["mortal"].kill()
        lives["mortal"] = _begin("mortal", world, chance)
        serving.remove("mortal")
    held: dict[str, Mapping[str, float]] = {name: lives[name].pipe.recv() for name in serving}
    tally.runs += _CUSTOMERS * len(serving)
    world.time.pass_by(_HOUR)
    held |= {"sweeper": _asked(lives["sweeper"], 0), "shop": _waiting()}
    held.pop("mortal", None)
    for name, figures in held.items():
        for figure, value in figures.items():
            measured[f"{name} {figure}"].append(value)
    for row in GatewayTransaction.objects.filter(unattended(gateways.clock().now())):
        tally.failures.append(f"{row} is {row.state} and waits for nobody")


def _waiting() -> dict[str, float]:
    """Return the lengths of queues, the age of what waits, and the connections of the database."""
    now = gateways.clock().now()
    due = GatewayTransaction.objects.filter(
        state__in=POLLED_STATES, needs_operator=False, next_query_at__lte=now
    )
    oldest = due.order_by("next_query_at").values_list("next_query_at", flat=True).first()
    connected = 0
    if statement := _CONNECTIONS.get(connection.vendor):
        with connection.cursor() as cursor:
            cursor.execute(statement)
            connected = int(cursor.fetchone()[0])
    return {
        "undelivered": OutboxEvent.objects.filter(delivered_at__isnull=True).count(),
        "unasked": due.filter(next_query_at__lte=now - timedelta(hours=1)).count(),
        "oldest": (now - oldest).total_seconds() / 60 if oldest else 0,
        "connections": connected,
    }


def _disagreements(chance: Random) -> Iterator[str]:
    """Compare the books with themselves and with the gateway's; say what differs."""
    orders = list(PaymentOrder.objects.order_by("pk"))
    chosen = orders if len(orders) <= _MOST_ORDERS else chance.sample(orders, _MOST_ORDERS)
    of_orders = [partial(check_gateways_word, one) for one in chosen]
    checks: list[Callable[[], None]] = [check_books, check_events, *of_orders]
    for check in checks:
        try:
            check()
        except BooksDisagree as difference:
            yield str(difference)


# One process of the shop


_numbers = count(1)


def _begin(name: str, world: RealWorld, chance: Random) -> Child:
    """Begin a process that serves as many customers as it is told, or sweeps at 0, and says what it holds."""
    name, seed = f"{name}-{next(_numbers)}", chance.random()
    return Child(lambda pipe: _live(pipe, name, world.control, Random(seed)))


def _asked(life: Child, customers: int) -> dict[str, float]:
    life.pipe.send(customers)
    held: dict[str, float] = life.pipe.recv()
    return held


def _live(pipe: Connection, name: str, control: SandboxControl, chance: Random) -> None:
    left_over: list[object] = []
    served = 0
    while True:
        customers = pipe.recv()
        for _ in range(customers):
            served += 1
            _serve(f"{name}-{served}", control, chance)
            if name.startswith("leaky"):
                left_over += [bytearray(b"x" * 1_000_000), *({"a": [n]} for n in range(300)), os.dup(0)]
        if not customers:
            for _ in range(_MOST_SWEEPS):
                if not any(report.did_something for report in payments.sweep()):
                    break
        pipe.send(_held())


def _serve(reference: str, control: SandboxControl, chance: Random) -> None:
    """Let one customer order and pay, and do with the payment what shops do."""
    type_ = chance.choice(("sale", "preauthorization"))
    order = create_order(reference=reference, type=type_)
    # A pause after lost answers, and a lost answer itself, are what the load is meant to meet.
    with suppress(OperationError):
        attempt = payments.start_checkout(order)
        # Of a page whose address was lost the sandbox may know nothing.
        with suppress(SandboxRefused):
            back = urlsplit(control.complete_checkout(attempt.reference, chance.choice(_OUTCOMES)))
            browse(f"{back.path}?{back.query}")
        payments.reconcile(order)
        if type_ != "sale" and chance.random() < 0.3:
            payments.reverse(order)
        elif type_ != "sale":
            payments.capture(order, chance.choice((None, Decimal("4.00"))))
        if chance.random() < 0.5:
            payments.refund(order, Decimal("3.00"))


def _held() -> dict[str, float]:
    """Return what this process holds."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (resident,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    return {
        "kilobytes": int(resident),
        "objects": len(gc.get_objects()),
        "files": len(os.listdir("/proc/self/fd")),
    }
