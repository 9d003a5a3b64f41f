"""Orders that customers have paid, through the front door and the sandbox."""

from __future__ import annotations

from decimal import Decimal

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl


def paid(sandbox: SandboxControl, reference: str = "SHOP-1", type: str = "sale") -> PaymentOrder:  # noqa: A002
    order = payments.create_order(reference=reference, currency="EUR", amount=Decimal("20.00"), type=type)
    attempt = payments.start_checkout(order)
    sandbox.complete_checkout(attempt.reference, "success")
    return payments.reconcile(payments.orders.attempt_for(attempt.reference))
