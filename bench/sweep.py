"""A sweep over due rows on PostgreSQL with the default settings, at a gateway that answers in 20 ms.

As a program it makes due rows, or is the sweeping process itself: its time and memory are of nothing else.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from bench.databases import environment_for, postgres, run, vacuum
from bench.measure import Finding, rounds, scaled
from bench.memory import peak_kilobytes
from bench.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    Swept = dict[str, float]

ROWS, FEW = scaled(100), scaled(10)
MILLISECONDS = 20
QUERY_RATE = 5
"""Queries a second, as the settings have it if nothing is set."""


def measure() -> Iterator[Finding]:
    """Sweep a few rows, then more of them in as many rounds as there are to be."""
    with postgres("sweep") as database, running(["bench.slow_stub", str(MILLISECONDS)]) as gateway:
        assert gateway.stdout
        address = gateway.stdout.readline().strip()
        run("bench.shop", database=database)
        few = _sweep(database, address, FEW)
        swept = [_sweep(database, address, ROWS) for _ in range(rounds())]
    what = f"sweep of {ROWS:,} rows"
    shares = tuple(ROWS / each["seconds"] / QUERY_RATE for each in swept)
    yield Finding(what=f"{what}, to the rate of queries", values=shares, target=0.9, at_most=False, unit="x")
    processor = tuple(1000 * each["processor"] / ROWS for each in swept)
    yield Finding(what=f"{what}, processor time of a row", values=processor, unit=" ms")
    more = tuple((each["peak_kilobytes"] - few["peak_kilobytes"]) / 1024 for each in swept)
    yield Finding(what=f"memory of a {what} above one of {FEW:,}", values=more, target=16, unit=" MB")


def _sweep(database: str, address: str, rows: int) -> Swept:
    """Make due rows, and sweep them by a process of their own."""
    run("bench.sweep", str(rows), database=database)
    vacuum(database)
    with running(["bench.sweep"], environment=environment_for(database, gateway=address)) as sweeping:
        assert sweeping.stdout
        swept: Swept = json.loads(sweeping.stdout.readline())
        return swept


def main() -> None:
    """Make so many due rows, or sweep until none is left."""
    import django

    django.setup()
    if sys.argv[1:]:
        _make_due_rows(int(sys.argv[1]))
    else:
        _sweep_all()


def _sweep_all() -> None:
    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction

    waiting = GatewayTransaction.objects.filter(state="OPEN")
    assert waiting.exists()
    began, processor = time.monotonic(), time.process_time()
    while waiting.exists():
        payments.sweep()
    found = {
        "seconds": time.monotonic() - began,
        "processor": time.process_time() - processor,
        "peak_kilobytes": peak_kilobytes(),
    }
    print(json.dumps(found), flush=True)


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
