"""A sweep over 10,000 due rows on PostgreSQL, with a gateway that answers in 20 ms, over 32 connections.

Two things bound it: 32 connections bring 1,600 answers a second, and one process has one core. What a row
costs of that core is measured first, in one thread and with a gateway that does not wait. As a program it is
the sweeping process itself, so that nothing else is counted into its time and memory.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from typing import TYPE_CHECKING, Any

import psycopg

from bench.databases import postgres, run
from bench.measure import Finding
from bench.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 10_000
FEW = 1_000
WORKERS = 32
MILLISECONDS = 20
BY_CONNECTIONS = WORKERS * 1000 / MILLISECONDS


def measure() -> Iterator[Finding]:
    """Sweep a few rows in one thread, then a few and many in all threads."""
    try:
        alone = _sweep(FEW, workers=1, milliseconds=0)
        few = _sweep(FEW, workers=WORKERS, milliseconds=MILLISECONDS)
        many = _sweep(ROWS, workers=WORKERS, milliseconds=MILLISECONDS)
    except psycopg.OperationalError:
        print("  PostgreSQL does not answer: the sweep is left out.")
        return
    by_core = FEW / alone["cpu_seconds"]
    rate = many["rows_per_second"]
    cores = many["cpu_seconds"] * rate / ROWS
    print(f"  one core brings {by_core:.0f} rows a second; the sweep {rate:.0f}, with {cores:.2f} of it")
    yield Finding(
        what=f"sweep of {ROWS:,} rows, share of the nearer bound",
        value=rate / min(BY_CONNECTIONS, by_core),
        target=0.7,
        at_most=False,
        unit="x",
    )
    yield Finding(
        what=f"memory of a sweep of {ROWS:,} rows above one of {FEW:,}",
        value=(many["peak_kilobytes"] - few["peak_kilobytes"]) / 1024,
        target=16,
        unit=" MB",
    )


def _sweep(rows: int, *, workers: int, milliseconds: int) -> dict[str, float]:
    with postgres("sweep") as database, running(["bench.slow_stub", str(milliseconds)]) as gateway:
        assert gateway.stdout
        run("bench.shop", "0", database=database)
        address = gateway.stdout.readline().strip()
        found = run("bench.sweep", str(rows), str(workers), address, database=database)
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
                state_since=now - timedelta(minutes=5),
                expires_at=now + timedelta(minutes=10),
                next_query_at=now - timedelta(minutes=1),
                **money,
            )
            for payment in payments
        )


if __name__ == "__main__":
    main()
