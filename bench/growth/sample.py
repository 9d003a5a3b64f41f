"""Makes a sample of orders by real operations against a sandbox, and prints what each operation cost.

Of a hundred orders 90 are paid: 80 as a sale, of which 8 are given back in full, and 10 as a reservation that
is captured. Ten customers leave, and their pages end. Each order has three lines, shipping, an address and an
entry of metadata.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

CUSTOMER: dict[str, Any] = {
    "billing_address": {
        "street": "Main Road",
        "house_number": "12",
        "zip_postal_code": "10115",
        "city": "Berlin",
        "country_code": "DEU",
    },
    "cardholder_first_name": "Ada",
    "cardholder_last_name": "Lovelace",
    "cardholder_email": "ada@shop.example",
}
_numbers = itertools.count(1)


def main() -> None:
    """Make two hundred orders after twenty that are not counted; print the costs as JSON."""
    import django

    django.setup()
    for share in (0.1, 1):
        costs = _live(sales=int(144 * share), refunded=int(16 * share), others=int(20 * share))
    print(json.dumps(costs))


def _live(*, sales: int, refunded: int, others: int) -> dict[str, dict[str, float]]:
    from django.utils import timezone

    from bench.meter import Meter
    from wallet_gateway import payments
    from wallet_gateway.models import GatewayTransaction
    from wallet_gateway.testing.control import SandboxControl

    costs: dict[str, dict[str, float]] = {}

    def each(name: str, subjects: Iterable[Any], call: Callable[[Any], Any]) -> list[Any]:
        meter, todo = Meter(), list(subjects)
        with meter.running(times=len(todo)):
            done = [call(subject) for subject in todo]
        costs[name] = meter.each()
        return done

    def swept(name: str, orders: list[Any], **changes: object) -> None:
        rows = GatewayTransaction.objects.filter(payment__order__in=orders)
        rows.update(next_query_at=timezone.now() - timedelta(minutes=1), **changes)
        meter = Meter()
        with meter.running(times=len(orders)):
            assert payments.maintenance.reconcile_due() == len(orders)
        costs[name] = meter.each()

    kinds = ["sale"] * (sales + refunded + others) + ["preauthorization"] * others
    orders = each("create_order", kinds, _create)
    each("start_checkout", orders, payments.start_checkout)
    left, paid = orders[:others], orders[others:]
    control = SandboxControl(sys.argv[1])
    for order in paid:
        control.complete_checkout(order.payments.get().reference, "success")
    each("customer returns, settled", paid, payments.reconcile)
    each("capture", paid[-others:], lambda order: payments.capture(order, by="bench"))
    each("refund", paid[:refunded], lambda order: payments.refund(order, by="bench"))
    # The page and the time to settle are over; the gateway knows nothing of a payment.
    long_ago = timezone.now() - timedelta(hours=1)
    ended = {"state_changed_at": long_ago, "expires_at": long_ago + timedelta(minutes=15)}
    swept("page ends unpaid (swept)", left, **ended)
    swept("asked again, no news (swept)", paid[refunded:-others])
    return costs


def _create(kind: str) -> Any:  # noqa: ANN401 - Django is not set up where types are
    from bench.shop.cart import ITEMS, SHIPPING
    from wallet_gateway import payments

    number = next(_numbers)
    return payments.create_order(
        reference=f"GROWTH-{number:010}",
        order_number=f"2026-{number:010}",
        currency="EUR",
        items=ITEMS,
        shipping=SHIPPING,
        type=kind,
        metadata={"cart": f"{number}"},
        **CUSTOMER,
    )


if __name__ == "__main__":
    main()
