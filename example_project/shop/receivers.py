"""The shop's receivers of wallet events: called at least once, so they must tolerate repetition."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Case, F, When
from django.dispatch import receiver

from example_project.shop.models import Order, PackingSlip, Product
from wallet_gateway.signals import order_paid


@receiver(order_paid, dispatch_uid="shop.pack")
def pack(*, event_id: str, reference: str, **_rest: Any) -> None:
    """Create the packing slip and reduce the stock, once for each paid order.

    The slip's row and the change of stock are one database transaction, and the row is unique: a second call
    finds the slip and does nothing; a call that failed half-way left nothing behind and is repeated in full.
    """
    if not Order.is_ours(reference):
        return
    with transaction.atomic():
        order = Order.objects.get(number=reference)
        _slip, is_new = PackingSlip.objects.get_or_create(order=order, defaults={"event_id": event_id})
        if is_new:
            _take_from_stock(order)


def _take_from_stock(order: Order) -> None:
    for line in order.lines.all():
        counted = Product.objects.filter(pk=line.product_id, stock__isnull=False)
        left = Case(When(stock__gt=line.quantity, then=F("stock") - line.quantity), default=0)
        counted.update(stock=left)
