"""Rows made directly, for tests that only look at what is shown. No gateway, no operations."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from wallet_gateway.domain.states import OrderState, PaymentState, TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder

PAGE_OF_GATEWAY = "http://127.0.0.1:8001/checkout/page/"
_numbers = itertools.count(1)

_OPENING = {
    OrderState.OPEN: TransactionState.OPEN,
    OrderState.PENDING: TransactionState.PENDING,
    OrderState.FAILED: TransactionState.REJECTED,
    OrderState.EXPIRED: TransactionState.EXPIRED,
    OrderState.FROZEN: TransactionState.ANOMALY,
    OrderState.CANCELLED: TransactionState.EXPIRED,
}


def an_order(state: OrderState = OrderState.OPEN, **columns: Any) -> PaymentOrder:
    """Store an order over 24.90 EUR that stands in this state, whatever its payments say."""
    now = timezone.now()
    given: dict[str, Any] = {
        "reference": f"SHOP-{next(_numbers)}",
        "type": "sale",
        "currency": "EUR",
        "amount_minor": 2490,
        "order_number": "A-1001",
        "content": {
            "type": "ecom.sale",
            "amount": "24.90",
            "currencyCode": "EUR",
            "checkoutDetails": {"cardholderEmail": "ada@example.com", "cardholderLastName": "Lovelace"},
        },
        "state": state,
        "created_at": now,
        "updated_at": now,
    }
    if state is OrderState.CANCELLED:
        given |= {"cancelled_at": now, "released_at": now}
    return PaymentOrder.objects.create(**given | columns)


def an_attempt(
    order: PaymentOrder, *, state: TransactionState | None = None, asked_at: datetime | None = None
) -> Payment:
    """Store an attempt to pay whose first transaction fits the order's state, asked about just now."""
    now = timezone.now()
    reference = f"attempt-{next(_numbers)}"
    shared = {
        "reference": reference,
        "currency": order.currency,
        "amount_minor": order.amount_minor,
        "created_at": now,
    }
    payment = Payment.objects.create(
        order=order,
        number=order.payments.count() + 1,
        type=order.type,
        state=PaymentState.OPEN,
        **shared,
    )
    GatewayTransaction.objects.create(
        payment=payment,
        gateway=order.gateway,
        kind=TransactionKind.CHECKOUT,
        state=state or _OPENING.get(OrderState(order.state), TransactionState.APPROVED),
        state_changed_at=now,
        redirect_url=PAGE_OF_GATEWAY,
        expires_at=now + timedelta(seconds=900),
        # A minute ahead, so that no page asks a gateway that these tests do not have.
        last_queried_at=asked_at or now + timedelta(seconds=60),
        **shared,
    )
    return payment
