"""The shop's side of a measurement, as programs: makes due rows, waits for their end, opens pages."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

PATIENCE = 900.0


def main() -> None:
    """``make ROWS``, ``wait ROWS`` or ``pay SECONDS``; the last two print what they found."""
    import django

    django.setup()
    what, number = sys.argv[1], int(sys.argv[2])
    if what == "make":
        from bench.sweep import _make_due_rows

        _make_due_rows(number)
    elif what == "wait":
        print(json.dumps(_waited(number)))
    else:
        print(json.dumps(_paid(number)))


def _waited(rows: int) -> dict[str, float]:
    """Wait until every row has an answer, and hold the books against that."""
    from django.utils import timezone

    from wallet_gateway.models import GatewayTransaction, PaymentOrder, TransactionEvent
    from wallet_gateway.queries.attention import unattended

    due = GatewayTransaction.objects.filter(gateway="default")
    ends = time.monotonic() + PATIENCE
    while due.filter(state="OPEN").exists():
        assert time.monotonic() < ends, "the rows were not asked about in time"
        time.sleep(0.2)
    paid = PaymentOrder.objects.filter(gateway="default", state="PAID").count()
    events = TransactionEvent.objects.filter(transaction__gateway="default", kind="RECORDS")
    answered = list(events.order_by("occurred_at").values_list("occurred_at", flat=True))
    return {
        "rows_per_second": _rate(answered[rows // 10 : rows * 9 // 10]),
        "lost": rows - paid,
        "asked_twice": due.filter(query_count__gt=1).count(),
        "unattended": GatewayTransaction.objects.filter(unattended(timezone.now())).count(),
    }


def _rate(answered: Sequence[datetime]) -> float:
    """Return the rate of these answers: the first and the last are left out: not all are at work then."""
    return (len(answered) - 1) / (answered[-1] - answered[0]).total_seconds()


def _paid(seconds: int) -> dict[str, float]:
    """Open one page after the other for some seconds; return how long that takes a customer."""
    from bench.measure import percentile

    took: list[float] = []
    ends = time.monotonic() + seconds
    _open_page(0)
    while time.monotonic() < ends:
        started = time.perf_counter()
        _open_page(len(took) + 1)
        took.append(time.perf_counter() - started)
    return {
        "pages": len(took),
        "median_ms": percentile(took, 0.5) * 1000,
        "p99_ms": percentile(took, 0.99) * 1000,
    }


def _open_page(number: int) -> Any:  # noqa: ANN401 - Django is not set up where types are
    from bench.cart import ITEMS, SHIPPING
    from wallet_gateway import payments

    order = payments.create_order(
        reference=f"PAGE-{number}", currency="EUR", items=ITEMS[:3], shipping=SHIPPING, gateway="pages"
    )
    return payments.start_checkout(order)


if __name__ == "__main__":
    main()
