"""What stands written after operations: rows as they are now, what the shop was told, what health finds."""

from __future__ import annotations

from tests.operations.conftest import VirtualClock
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.queries.health import health


def fresh(payment: Payment) -> Payment:
    """Read the payment again, with its order."""
    return Payment.objects.select_related("order").get(pk=payment.pk)


def the_order() -> PaymentOrder:
    """Read the only order that there is."""
    return PaymentOrder.objects.get()


def latest() -> GatewayTransaction:
    """Return the transaction that was written last."""
    return GatewayTransaction.objects.order_by("-pk")[0]


def told() -> list[str]:
    """Return the kinds of the events for the shop, the oldest first."""
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


def problems(clock: VirtualClock) -> tuple[str, ...]:
    """Return what the health page has to say, as text."""
    return tuple(problem.text for problem in health(clock.now(), ["default"]).problems)
