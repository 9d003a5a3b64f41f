"""Cancels the order of a test, and looks at what stands of it then."""

from __future__ import annotations

from tests.operations.conftest import VirtualClock
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.models import Discrepancy, PaymentOrder
from wallet_gateway.operations.settlement.cancellation import cancel


def cancelled(order: PaymentOrder, clock: VirtualClock, note: str = "") -> PaymentOrder:
    return cancel(order=PaymentOrder.objects.get(pk=order.pk), by="shop", note=note, clock=clock)


def late_payment() -> Discrepancy:
    return Discrepancy.objects.get(kind=DiscrepancyKind.LATE_PAYMENT)
