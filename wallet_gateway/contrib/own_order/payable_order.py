"""The mixin: an order of the shop with a link to its payment order, and what may be asked and done by it."""

from __future__ import annotations

from typing import Any, Final

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from wallet_gateway import payments
from wallet_gateway.contrib.own_order.deletion import WITHOUT_MONEY, DeletionGuard
from wallet_gateway.domain.people import By
from wallet_gateway.models import PaymentOrder

MODEL: Final = "order_model"
"""The entry of a payment order's metadata that names the model of the shop's order."""


class PayableOrder(models.Model):
    """An order of the shop that is paid through the plugin; abstract."""

    payment_order = models.OneToOneField(
        "wallet_gateway.PaymentOrder",
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        editable=False,
        verbose_name=_("payment order"),
    )
    """What is to be paid, with its state; None until `create_payment_order`."""
    deletion_guard = DeletionGuard()
    """No column: it refuses to delete an order whose payment is not decided."""

    class Meta:
        abstract = True

    def payment_details(self) -> dict[str, Any]:
        """Return the arguments of `payments.create_order`, always the same for the same order."""
        raise NotImplementedError

    def payment_changed(self, state: str) -> None:
        """React to a payment, refund, failure, cancellation or release: `state` is the payment order's now.

        Called at least once after each change, in a database transaction in which this row is locked. If it
        raises, nothing of it is stored, and it is called again later. It must not call the gateway.
        """

    def create_payment_order(self) -> PaymentOrder:
        """Store what is to be paid, or return what was stored before; this row must be saved already.

        Nothing is sent, so it may be in the transaction that stores the order: either both are stored, or
        neither. Raises `payments.errors.InvalidInput`, and `IdempotencyConflict` if the order has changed.
        """
        details = self.payment_details()
        # So that a payment is known as one of such an order even if its row is gone.
        details["metadata"] = {**(details.get("metadata") or {}), MODEL: self._meta.label}
        order = payments.create_order(**details)
        if self.payment_order != order:
            self.payment_order = order
            self.save(update_fields=["payment_order"])
        return order

    def cancel_payment(self, *, by: By, note: str = "") -> PaymentOrder:
        """Take no new payment for this order, and return its payment order; a second call changes nothing.

        Free the goods in `payment_changed` when `is_released`: until then, what the customer has begun may
        still pay. Without a payment order, one is stored and cancelled, so that none is opened later. Raises
        `payments.errors.InvalidState`, whose code says whether to refund or to reverse instead, and must not
        run inside a database transaction.
        """
        return payments.cancel(self.payment_order or self.create_payment_order(), by=by, note=note)

    @property
    def pay_url(self) -> str:
        """The address of the page on which the customer pays; empty without a payment order.

        It contains the order's token, which is the permission to see its state: give it to the customer only.
        """
        order = self.payment_order
        return reverse("wallet_gateway:pay", args=[order.token]) if order else ""

    @property
    def is_paid(self) -> bool:
        """Whether the whole amount is captured and not returned."""
        return self.payment_order is not None and self.payment_order.is_paid

    @property
    def is_released(self) -> bool:
        """Whether it was cancelled, holds no money, and nothing can pay it any more: its goods are free."""
        order = self.payment_order
        return order is not None and order.is_released and order.state in WITHOUT_MONEY
