"""Makes a sample of orders by real operations against a sandbox, and prints what each operation cost.

Of a hundred orders 90 are paid: 80 as a sale, of which 8 are given back in full, and 10 as a reservation that
is captured. Ten customers leave, and their pages end. Each order has three lines, shipping, an address and an
entry of metadata.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bench.cart import ITEMS, SHIPPING

if TYPE_CHECKING:
    from bench.growth.meter import Meter
    from wallet_gateway.models import PaymentOrder
    from wallet_gateway.testing.control import SandboxControl

LINES = 3
CUSTOMER = {
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
    address = sys.argv[1]
    import django

    django.setup()
    from bench.growth.meter import Meter
    from wallet_gateway.testing.control import SandboxControl

    steer = SandboxControl(address)
    for share in (0.1, 1):
        meters: dict[str, Meter] = defaultdict(Meter)
        _live(
            steer,
            meters,
            sales=int(144 * share),
            refunded=int(16 * share),
            others=int(20 * share),
        )
    json.dump({name: meter.each() for name, meter in meters.items()}, sys.stdout)


def _live(steer: SandboxControl, meters: dict[str, Meter], *, sales: int, refunded: int, others: int) -> None:
    from wallet_gateway import payments

    paid = _opened(meters, sales + refunded, "sale")
    reserved = _opened(meters, others, "preauthorization")
    left = _opened(meters, others, "sale")
    _settle(steer, meters, paid + reserved)
    _over(meters, "capture", reserved, lambda order: payments.capture(order, by="bench"))
    _over(meters, "refund", paid[:refunded], lambda order: payments.refund(order, by="bench"))
    _expire(meters, left)
    _ask_again(meters, paid[refunded:])


def _opened(meters: dict[str, Meter], count: int, kind: str) -> list[PaymentOrder]:
    from wallet_gateway import payments

    made: list[PaymentOrder] = []

    def create(number: int) -> None:
        order = payments.create_order(
            reference=f"GROWTH-{number:010}",
            order_number=f"2026-{number:010}",
            currency="EUR",
            items=ITEMS[:LINES],
            shipping=SHIPPING,
            type=kind,
            metadata={"cart": f"{number}"},
            **CUSTOMER,  # type: ignore[arg-type]
        )
        made.append(order)

    _over(meters, "create_order", list(itertools.islice(_numbers, count)), create)
    _over(meters, "start_checkout", made, payments.start_checkout)
    return made


def _settle(steer: SandboxControl, meters: dict[str, Meter], orders: Sequence[PaymentOrder]) -> None:
    from wallet_gateway import payments

    for order in orders:
        steer.complete_checkout(order.payments.get().reference, "success")
    _over(meters, "customer returns, settled", orders, payments.reconcile)


def _expire(meters: dict[str, Meter], orders: Sequence[PaymentOrder]) -> None:
    from wallet_gateway import payments

    # The page and the time to settle are over; the gateway knows nothing of a payment.
    past = _transactions(orders)
    long_ago = _now() - timedelta(hours=1)
    past.update(
        state_changed_at=long_ago, expires_at=long_ago + timedelta(minutes=15), next_query_at=long_ago
    )
    with meters["page ends unpaid (swept)"].running(times=len(orders)):
        assert payments.maintenance.reconcile_due() == len(orders)
    assert not past.exclude(state="EXPIRED").exists()


def _ask_again(meters: dict[str, Meter], orders: Sequence[PaymentOrder]) -> None:
    from wallet_gateway import payments

    _transactions(orders).update(next_query_at=_now() - timedelta(minutes=1))
    with meters["asked again, no news (swept)"].running(times=len(orders)):
        assert payments.maintenance.reconcile_due() == len(orders)


def _transactions(orders: Sequence[PaymentOrder]) -> Any:  # noqa: ANN401 - a query set
    from wallet_gateway.models import GatewayTransaction

    return GatewayTransaction.objects.filter(payment__order__in=[order.pk for order in orders])


def _now() -> Any:  # noqa: ANN401 - an instant
    from django.utils import timezone

    return timezone.now()


def _over(
    meters: dict[str, Meter], name: str, subjects: Sequence[Any], call: Callable[[Any], object]
) -> None:
    with meters[name].running(times=len(subjects)):
        for subject in subjects:
            call(subject)


if __name__ == "__main__":
    main()
