"""A sweep over 10,000 due rows on PostgreSQL, with a gateway that answers in 20 ms, over 32 connections.

The bound is the gateway's: 32 connections bring 1,600 answers a second, whatever a row costs here. As a
program it makes due rows, or is the sweeping process itself: its time and memory are those of nothing else.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from bench.databases import environment_for, postgres, run, vacuum
from bench.measure import Finding, ratios, rounds, scaled
from bench.memory import peak_kilobytes
from bench.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Swept = dict[str, float]

ROWS, FEW = scaled(10_000), scaled(1_000)
WORKERS = 32
MILLISECONDS = 20
MOST_ANSWERS = WORKERS * 1000 // MILLISECONDS
"""Answers a second that the gateway's latency allows, over that many connections."""


def measure() -> Iterator[Finding]:
    """Sweep a few rows, then in turns many rows by one process, and as many by two."""
    few, one, two = _all()
    rate, of_two = _rates(one), _rates(two)
    what, of_bound = f"sweep of {ROWS:,} rows", f"to the {MOST_ANSWERS:,} a second that the latency allows"
    yield _at_least(f"{what} by one process, {of_bound}", [each / MOST_ANSWERS for each in rate], 0.5)
    yield _at_least(f"{what} by two processes, {of_bound}", [each / MOST_ANSWERS for each in of_two], 0.5)
    yield _at_least(f"{what}, two processes to one", ratios(of_two, rate), 1.0)
    yield Finding(what=f"{what}, processor time of a row", values=_milliseconds(one), target=1.3, unit=" ms")
    yield Finding(what=f"{what} by two, processor time of a row", values=_milliseconds(two), unit=" ms")
    yield Finding(
        what=f"memory of a sweep of {ROWS:,} rows above one of {FEW:,}",
        values=tuple((each[0]["peak_kilobytes"] - few["peak_kilobytes"]) / 1024 for each in one),
        target=16,
        unit=" MB",
    )


def _at_least(what: str, values: Sequence[float], target: float) -> Finding:
    return Finding(what=what, values=tuple(values), target=target, at_most=False, unit="x")


def _all() -> tuple[Swept, list[list[Swept]], list[list[Swept]]]:
    with postgres("sweep") as database, running(["bench.slow_stub", str(MILLISECONDS)]) as gateway:
        assert gateway.stdout
        address = gateway.stdout.readline().strip()
        run("bench.shop", database=database)
        (few,) = _sweep(database, address, rows=FEW, processes=1)
        turns = [
            [_sweep(database, address, rows=ROWS, processes=processes) for processes in (1, 2)]
            for _ in range(rounds())
        ]
    return few, [turn[0] for turn in turns], [turn[1] for turn in turns]


def _sweep(database: str, address: str, *, rows: int, processes: int) -> list[Swept]:
    """Make due rows, start the processes, let them sweep at the same moment; return what each says."""
    run("bench.sweep", "fill", str(rows), database=database)
    vacuum(database)
    environment = environment_for(database, gateway=address)
    with contextlib.ExitStack() as stack:
        command = ["bench.sweep", "sweep", str(WORKERS)]
        sweeping = [
            stack.enter_context(running(command, environment=environment, with_input=True))
            for _ in range(processes)
        ]
        said = [(each.stdin, each.stdout) for each in sweeping]
        for _, printed in said:
            assert printed
            assert printed.readline() == "ready\n"
        for given, _ in said:
            assert given
            given.write("go\n")
            given.flush()
        return [json.loads(printed.readline()) for _, printed in said if printed]


def _rates(turns: Sequence[Sequence[Swept]]) -> list[float]:
    return [
        ROWS / (max(each["ended"] for each in turn) - min(each["began"] for each in turn)) for turn in turns
    ]


def _milliseconds(turns: Sequence[Sequence[Swept]]) -> tuple[float, ...]:
    return tuple(1000 * sum(each["processor"] for each in turn) / ROWS for turn in turns)


def main() -> None:
    """Make so many due rows, or sweep with so many workers until none is left."""
    import django
    from django.conf import settings

    gateways: Any = settings.WALLET_GATEWAY["GATEWAYS"]
    task, count = sys.argv[1], int(sys.argv[2])
    gateways["default"] |= {"QUERY_RATE": 1e6, "QUERY_WORKERS": count}
    django.setup()
    if task == "fill":
        _make_due_rows(count)
    else:
        _sweep_all()


def _sweep_all() -> None:
    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction

    waiting = GatewayTransaction.objects.filter(state="OPEN")
    assert waiting.exists()
    print("ready", flush=True)
    sys.stdin.readline()
    # The clock is the same for all processes of a machine.
    began, processor = time.monotonic(), time.process_time()
    while waiting.exists():
        payments.sweep()
    found = {
        "began": began,
        "ended": time.monotonic(),
        "processor": time.process_time() - processor,
        "peak_kilobytes": peak_kilobytes(),
    }
    print(json.dumps(found), flush=True)
    sys.stdin.readline()


def _make_due_rows(rows: int) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder

    assert PaymentOrder.objects.exclude(state="PAID").count() == 0
    # What was approved five minutes ago is due again: this sweep would ask about it, too, and not count it.
    GatewayTransaction.objects.update(next_query_at=None)
    now, made = timezone.now(), PaymentOrder.objects.count()
    money = {"currency": "EUR", "amount_minor": 1000, "created_at": now}
    for first in range(made, made + rows, 1000):
        numbers = range(first, min(first + 1000, made + rows))
        orders = PaymentOrder.objects.bulk_create(
            PaymentOrder(reference=f"B-{n}", type="sale", content_hash="0" * 64, updated_at=now, **money)
            for n in numbers
        )
        payments = Payment.objects.bulk_create(
            Payment(order=order, number=1, reference=f"attempt-{order.reference}", type="sale", **money)
            for order in orders
        )
        GatewayTransaction.objects.bulk_create(
            GatewayTransaction(
                payment=payment,
                gateway="default",
                kind="CHECKOUT",
                reference=payment.reference,
                state="OPEN",
                state_changed_at=now - timedelta(minutes=5),
                expires_at=now + timedelta(minutes=10),
                next_query_at=now - timedelta(minutes=1),
                **money,
            )
            for payment in payments
        )


if __name__ == "__main__":
    main()
