"""Times what a shop does most with a database of many orders; prints milliseconds of both sides as JSON."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from bench.cart import ITEMS, SHIPPING
from bench.growth.sample import CUSTOMER, LINES

TIMES = 100
PAGE_TIMES = 10
ROOM = "/admin/wallet_gateway"


def main() -> None:
    """Ask each question some times."""
    import django

    django.setup()
    print(json.dumps({name: _cost(call, times) for name, call, times in _questions()}), file=sys.stdout)


def _questions() -> Iterator[tuple[str, Callable[[], object], int]]:
    from wallet_gateway import payments

    orders = [_order(number) for number in range(TIMES + 1)]
    turns = itertools.cycle(orders)
    yield "get_order, by reference", lambda: payments.get_order(next(turns).reference), TIMES
    yield "get_order_by_token", lambda: payments.orders.get_order_by_token(next(turns).token), TIMES
    fresh = iter(orders)
    yield "start_checkout", lambda: payments.start_checkout(next(fresh)), TIMES
    yield "sweep asks about one due row", _sweep_of(orders[0]), TIMES
    yield "sweep with nothing due", payments.sweep, PAGE_TIMES
    pages = {
        "admin: list of orders": f"{ROOM}/paymentorder/",
        "admin: search of an order": f"{ROOM}/paymentorder/?q={orders[5].reference}",
        "admin: page of an order": f"{ROOM}/paymentorder/{orders[5].pk}/change/",
        "admin: list of transactions": f"{ROOM}/gatewaytransaction/",
        "admin: dashboard": f"{ROOM}/dashboard/",
        "admin: figures of the dashboard, 30 days": f"{ROOM}/dashboard/figures/part/",
    }
    client = _client()
    for name, address in pages.items():
        yield name, partial(_shown, client, address), PAGE_TIMES
    yield "health", lambda: payments.maintenance.health(), PAGE_TIMES


def _order(number: int) -> Any:  # noqa: ANN401 - Django is not set up where types are
    from wallet_gateway import payments

    return payments.create_order(
        reference=f"HOT-{number}",
        currency="EUR",
        items=ITEMS[:LINES],
        shipping=SHIPPING,
        **CUSTOMER,  # type: ignore[arg-type]
    )


def _sweep_of(order: Any) -> Callable[[], object]:  # noqa: ANN401 - as above
    from django.utils import timezone

    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction

    def ask() -> None:
        due = timezone.now() - timedelta(minutes=1)
        GatewayTransaction.objects.filter(payment__order=order).update(next_query_at=due)
        assert payments.maintenance.reconcile_due() == 1

    return ask


def _client() -> Any:  # noqa: ANN401 - as above
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)[0])
    return client


def _shown(client: Any, address: str) -> None:  # noqa: ANN401 - as above
    assert client.get(address).status_code == 200, address


def _cost(call: Callable[[], object], times: int) -> dict[str, float]:
    from bench.growth.meter import Meter

    call()
    meter, took = Meter(), []
    with meter.running(times):
        for _ in range(times):
            started = time.perf_counter()
            call()
            took.append(time.perf_counter() - started)
    # The quickest of them: whatever else the machine does only adds to it.
    return meter.each() | {"least_ms": min(took) * 1000}


if __name__ == "__main__":
    main()
