"""The models of the guide, under the name by which the guide imports them."""

from __future__ import annotations

import sys
from typing import Any

from django.db import models

from tests.contrib.page_blocks import add_to

add_to(globals(), "docs/how-to/own-order-model.md", "models.py")
sys.modules["myshop.models"] = sys.modules[__name__]

# Beyond the guide: what a shop may derive from its order

_Order: Any = globals()["Order"]


class GiftOrder(_Order):  # type: ignore[misc]
    """A child with a table of its own."""

    voucher = models.CharField(max_length=16, default="")

    def payment_changed(self, state: str) -> None:
        super().payment_changed(state)
        if state == "PAID":
            self.voucher = "sent"
            self.save(update_fields=["voucher"])


class EngravedGift(GiftOrder):
    """A grandchild that leaves the method as it is."""

    words = models.CharField(max_length=16, default="")


class ProxyOrder(_Order):  # type: ignore[misc]
    """A proxy whose method nobody calls."""

    class Meta:
        proxy = True

    def payment_changed(self, state: str) -> None:
        raise AssertionError


class PlainProxy(_Order):  # type: ignore[misc]
    """A proxy that is another view of the same rows."""

    class Meta:
        proxy = True


class Parcel(models.Model):
    """Something that goes with its order."""

    order = models.ForeignKey(_Order, on_delete=models.CASCADE)

    def __str__(self) -> str:
        return f"parcel of {self.order}"
