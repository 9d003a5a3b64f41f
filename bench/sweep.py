"""A sweep over 10,000 due rows on PostgreSQL, with a gateway that answers in 20 ms, over 32 connections.

The bound is the gateway's: 32 connections bring 1,600 answers a second, whatever a row costs here. As a
program it is the sweeping process itself, so that nothing else is counted into its time and memory.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from typing import TYPE_CHECKING, Any

from bench.databases import postgres, run
from bench.measure import Finding, scaled
from bench.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS, FEW = scaled(10_000), scaled(1_000)
WORKERS = 32
MILLISECONDS = 20
MOST_ANSWERS = WORKERS * 1000 // MILLISECONDS
"""Answers a second that the gateway's latency allows, over that many connections."""


def measure() -> Iterator[Finding]:
    """Sweep a few rows, then many."""
    few, many = (_sweep(rows) for rows in (FEW, ROWS))
    rate, cost = many["rows_per_second"], 1000 * many["cpu_seconds"] / ROWS
    print(f"  the sweep asks about {rate:.0f} rows a second; each costs {cost:.1f} ms of processor time")
    yield Finding(
        what=f"sweep of {ROWS:,} rows, to the {MOST_ANSWERS:,} a second that the latency allows",
        value=rate / MOST_ANSWERS,
        target=0.92,
        at_most=False,
        unit="x",
    )
    yield Finding(
        what=f"memory of a sweep of {ROWS:,} rows above one of {FEW:,}",
        value=(many["peak_kilobytes"] - few["peak_kilobytes"]) / 1024,
        target=16,
        unit=" MB",
    )


def _sweep(rows: int) -> dict[str, float]:
    with postgres("sweep") as database, running(["bench.slow_stub", str(MILLISECONDS)]) as gateway:
        assert gateway.stdout
        run("bench.shop", "0", database=database)
        address = gateway.stdout.readline().strip()
        found = run("bench.sweep", str(rows), str(WORKERS), address, database=database)
    result: dict[str, float] = json.loads(found)
    return result


def main() -> None:
    """Make so many due rows and sweep until none is left; print what it took."""
    rows, workers = int(sys.argv[1]), int(sys.argv[2])
    os.environ["BENCH_GATEWAY_URL"] = sys.argv[3]
    import django
    from django.conf import settings

    gateways: Any = settings.WALLET_GATEWAY["GATEWAYS"]
    gateways["default"] |= {"QUERY_RATE": 1e6, "QUERY_WORKERS": workers}
    django.setup()
    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction, PaymentOrder

    _make_due_rows(rows)
    waiting = GatewayTransaction.objects.filter(state="OPEN")
    started, cpu = time.perf_counter(), time.process_time()
    while waiting.exists():
        payments.sweep()
    elapsed, spent = time.perf_counter() - started, time.process_time() - cpu
    assert PaymentOrder.objects.filter(state="PAID").count() == rows
    found = {
        "rows_per_second": rows / elapsed,
        "cpu_seconds": spent,
        "peak_kilobytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }
    print(json.dumps(found))


def _make_due_rows(rows: int) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder

    now = timezone.now()
    money = {"currency": "EUR", "amount_minor": 1000, "created_at": now}
    for first in range(0, rows, 1000):
        numbers = range(first, min(first + 1000, rows))
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
