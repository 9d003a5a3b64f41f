"""Processor time of the page after paying, and of a page of one line, in turns on SQLite.

As a program it is the shop that shows both.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cart import ITEMS, SHIPPING
from bench.databases import run
from bench.measure import Finding, ratios, rounds, scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wallet_gateway.models import PaymentOrder

SETTINGS = "bench.shop.admin_settings"
LINES = 3
REQUESTS = scaled(100, least=2)


def measure() -> Iterator[Finding]:
    """Show the page of an order that was paid just now."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{Path(folder, 'bench.sqlite3')}"
        run("django", "migrate", "--verbosity", "0", database=database, settings=SETTINGS)
        took = json.loads(run("bench.result_page", database=database, settings=SETTINGS))
    what = f"page of a paid order of {LINES} lines, processor time"
    yield Finding(what=f"{what} on this machine", values=tuple(took["paid"]), target=4, unit=" ms")
    yield Finding(what=f"{what}, to a page of one line", values=ratios(took["paid"], took["line"]), unit="x")


def main() -> None:
    """Print the milliseconds of a request for either page, by round."""
    import django

    django.setup()
    from django.test import Client
    from django.urls import reverse

    from wallet_gateway import return_tokens

    client, reference = Client(), _paid_order().payments.get().reference
    token = return_tokens.sign(reference, return_tokens.ReturnOutcome.SUCCESS)
    pages = {"paid": reverse("wallet_gateway:result", args=[token]), "line": "/line/"}
    assert "Product number 0" in client.get(pages["paid"]).content.decode()
    calls = {name: partial(client.get, url) for name, url in pages.items()}
    turns = [{name: _milliseconds(call) for name, call in calls.items()} for _ in range(rounds())]
    json.dump({name: [turn[name] for turn in turns] for name in pages}, sys.stdout)


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    for _ in range(REQUESTS):
        call()
    return (time.process_time() - started) / REQUESTS * 1000


def _paid_order() -> PaymentOrder:
    """Store an order as it is after a payment with the wallet; no gateway is asked."""
    from django.utils import timezone

    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction, Payment

    order = payments.create_order(reference="PAID-1", currency="EUR", items=ITEMS[:LINES], shipping=SHIPPING)
    now, money = timezone.now(), {"currency": order.currency, "amount_minor": order.amount_minor}
    shared = {**money, "reference": "PAYMENT-1", "created_at": now}
    payment = Payment.objects.create(
        order=order,
        number=1,
        type=order.type,
        authorized=order.amount_minor,
        captured=order.amount_minor,
        card_type="Token",
        card_network="VISA",
        card_last_four="1111",
        state="PAID",
        **shared,
    )
    GatewayTransaction.objects.create(
        payment=payment,
        gateway="default",
        kind="AUTHORIZATION",
        state="APPROVED",
        state_changed_at=now,
        approved_at=now,
        **shared,
    )
    order.state = "PAID"
    order.save(update_fields=["state"])
    return order


if __name__ == "__main__":
    main()
