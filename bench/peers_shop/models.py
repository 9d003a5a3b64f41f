"""An order as a shop keeps it, which all peers pay, and the payment model that django-payments asks for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import models
from payments import PurchasedItem
from payments.models import BasePayment

if TYPE_CHECKING:
    from collections.abc import Iterator


class ShopOrder(models.Model):
    """The order of a shop of three lines."""

    reference = models.CharField(max_length=64, unique=True)
    total = models.DecimalField(max_digits=9, decimal_places=2)
    currency = models.CharField(max_length=3)
    lines = models.JSONField()
    """Of each line a dict with `sku`, `name`, `price` as text, `quantity`, `tax_rate` as text."""

    def __str__(self) -> str:
        return self.reference


class ShopPayment(BasePayment):
    """A payment of django-payments for an order."""

    order = models.ForeignKey(ShopOrder, on_delete=models.PROTECT)

    # What django-payments asks a payment for

    def get_purchased_items(self) -> Iterator[PurchasedItem]:
        for line in self.order.lines:
            yield PurchasedItem(
                name=line["name"],
                sku=line["sku"],
                quantity=line["quantity"],
                price=Decimal(line["price"]),
                currency=self.currency,
                tax_rate=Decimal(line["tax_rate"]),
            )

    def get_success_url(self) -> str:
        return f"/orders/{self.order.reference}/"

    def get_failure_url(self) -> str:
        return f"/orders/{self.order.reference}/failed/"
