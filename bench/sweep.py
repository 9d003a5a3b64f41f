"""A sweep over due rows on PostgreSQL with the default settings, at a gateway that answers in 20 ms.

As a program it makes so many due rows and sweeps them: its time and memory are of nothing else.
"""

from __future__ import annotations

import json
import sys
import time
from decimal import Decimal
from typing import TYPE_CHECKING

from bench.measure import Finding, rounds, scaled
from bench.processes import canned_gateway, migrate, postgres, run

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS, FEW = scaled(100), scaled(10)
QUERY_RATE = 5
"""Queries a second, as the settings have it if nothing is set."""


def measure() -> Iterator[Finding]:
    """Sweep a few rows, then more of them in as many rounds as there are to be."""
    with postgres("sweep") as database, canned_gateway(milliseconds=20) as gateway:
        migrate(database)
        few, *swept = (
            json.loads(run("bench.sweep", str(rows), database=database, gateway=gateway))
            for rows in (FEW, *[ROWS] * rounds())
        )
    what = f"sweep of {ROWS:,} rows"
    shares = tuple(ROWS / each["seconds"] / QUERY_RATE for each in swept)
    yield Finding(what=f"{what}, to the rate of queries", values=shares, target=0.9, at_most=False, unit="x")
    processor = tuple(1000 * each["processor"] / ROWS for each in swept)
    yield Finding(what=f"{what}, processor time of a row", values=processor, unit=" ms")
    more = tuple(each["megabytes"] - few["megabytes"] for each in swept)
    yield Finding(what=f"memory of a {what} above one of {FEW:,}", values=more, target=16, unit=" MB")


def main() -> None:
    """Make so many due rows, and sweep until none is left."""
    import django

    django.setup()
    from bench.meter import peak_megabytes
    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction

    # What was approved by an earlier round is due again: it would be asked about, too, and not counted.
    GatewayTransaction.objects.update(next_query_at=None)
    _make_due_rows(int(sys.argv[1]))
    waiting = GatewayTransaction.objects.filter(state="OPEN")
    assert waiting.exists()
    began, processor = time.monotonic(), time.process_time()
    while waiting.exists():
        payments.sweep()
    found = {
        "seconds": time.monotonic() - began,
        "processor": time.process_time() - processor,
        "megabytes": peak_megabytes(),
    }
    print(json.dumps(found))


def _make_due_rows(rows: int) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction, PaymentOrder

    made = PaymentOrder.objects.count()
    for number in range(made, made + rows):
        payments.start_checkout(
            payments.create_order(reference=f"B-{number}", currency="EUR", amount=Decimal("10.00"))
        )
    now = timezone.now()
    GatewayTransaction.objects.filter(state="OPEN").update(
        state_changed_at=now - timedelta(minutes=5), next_query_at=now - timedelta(minutes=1)
    )


if __name__ == "__main__":
    main()
