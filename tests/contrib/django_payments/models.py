"""The shop's payments, as the guide of django-payments begins."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from payments import PurchasedItem
from payments.models import BasePayment


class Payment(BasePayment):  # type: ignore[misc]  # has no types
    """One mug, and its shipping."""

    def get_purchased_items(self) -> Iterator[PurchasedItem]:
        yield PurchasedItem(name="Mug", sku="MUG", quantity=2, price=Decimal("10.00"), currency="EUR")

    def get_success_url(self) -> str:
        return f"/thanks/{self.pk}/"

    def get_failure_url(self) -> str:
        return f"/sorry/{self.pk}/"
