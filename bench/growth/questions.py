"""Times what a shop does most with a database of many orders; prints milliseconds of both sides as JSON."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from bench.growth.sample import CUSTOMER

TIMES = 100
PAGE_TIMES = 10
ROOM = "/admin/wallet_gateway"


def main() -> None:
    """Ask each question some times."""
    import django

    django.setup()
    print(json.dumps({name: _cost(call, times) for name, call, times in _questions()}))


def _questions() -> Iterator[tuple[str, Callable[[], object], int]]:
    from django.contrib.auth.models import User
    from django.test import Client
    from django.utils import timezone

    from bench.shop.cart import ITEMS, SHIPPING
    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction

    create = partial(payments.create_order, currency="EUR", items=ITEMS, shipping=SHIPPING, **CUSTOMER)
    orders: list[Any] = [create(reference=f"HOT-{number}") for number in range(TIMES + 1)]
    turns, fresh = itertools.cycle(orders), iter(orders)
    yield "get_order, by reference", lambda: payments.get_order(next(turns).reference), TIMES
    yield "get_order_by_token", lambda: payments.orders.get_order_by_token(next(turns).token), TIMES
    yield "start_checkout", lambda: payments.start_checkout(next(fresh)), TIMES

    def sweep_one() -> None:
        due = timezone.now() - timedelta(minutes=1)
        GatewayTransaction.objects.filter(payment__order=orders[0]).update(next_query_at=due)
        assert payments.maintenance.reconcile_due() == 1

    yield "sweep asks about one due row", sweep_one, TIMES
    yield "sweep with nothing due", payments.sweep, PAGE_TIMES
    client = Client()
    client.force_login(User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)[0])

    def show(address: str) -> None:
        assert client.get(f"{ROOM}/{address}").status_code == 200, address

    for name, address in {
        "list of orders": "paymentorder/",
        "search of an order": f"paymentorder/?q={orders[5].reference}",
        "page of an order": f"paymentorder/{orders[5].pk}/change/",
        "list of transactions": "gatewaytransaction/",
        "dashboard": "dashboard/",
        "figures of the dashboard, 30 days": "dashboard/figures/part/",
    }.items():
        yield f"admin: {name}", partial(show, address), PAGE_TIMES
    yield "health", payments.maintenance.health, PAGE_TIMES


def _cost(call: Callable[[], object], times: int) -> dict[str, float]:
    from bench.meter import Meter

    call()
    meter, took = Meter(), []
    with meter.running(times):
        for _ in range(times):
            started = time.perf_counter()
            call()
            took.append(time.perf_counter() - started)
    each = meter.each()
    # The quickest of them: whatever else the machine does only adds to it.
    return {"least_ms": min(took) * 1000, "client_ms": each["client_ms"], "server_ms": each["server_ms"]}


if __name__ == "__main__":
    main()
