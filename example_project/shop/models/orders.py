"""The shop's own orders and packing slips. The payment status is not stored here: the wallet app has it.

An order is linked to the wallet's order by its number, which is the wallet's `reference`.
"""

from __future__ import annotations

import secrets
from decimal import Decimal

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from example_project.shop.models.catalogue import Product
from example_project.shop.money import Currency, from_minor_units

ORDER_NUMBER_PREFIX = "LL-"
# Without letters and digits that are easily confused when read aloud.
ORDER_NUMBER_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_order_number() -> str:
    """Return a number for people: short to read aloud, and without a hint at the number of orders."""
    return ORDER_NUMBER_PREFIX + "".join(secrets.choice(ORDER_NUMBER_ALPHABET) for _position in range(9))


def new_order_key() -> str:
    """Return the unguessable part of an order page's address: 128 random bits."""
    return secrets.token_urlsafe(16)


class Order(models.Model):
    """A customer's order, priced once and stored; the wallet app knows whether it is paid."""

    number = models.CharField(max_length=16, unique=True, default=new_order_number, editable=False)
    key = models.CharField(max_length=32, unique=True, default=new_order_key, editable=False)
    currency = models.CharField(max_length=3, choices=Currency)
    language = models.CharField(max_length=8)
    email = models.EmailField()
    billing_address = models.JSONField()
    shipping_address = models.JSONField(default=dict, blank=True)
    shipping_name = models.CharField(max_length=80, blank=True)
    shipping_minor_units = models.PositiveBigIntegerField(default=0)
    sheet = models.JSONField(default=dict, blank=True, editable=False)
    """The look of the wallet button and the fields of its sheet: `SheetChoices`."""
    credit_name = models.CharField(max_length=80, blank=True)
    credit_minor_units = models.PositiveBigIntegerField(default=0)
    tax_minor_units = models.PositiveBigIntegerField(default=0)
    total_minor_units = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name = _("order")
        verbose_name_plural = _("orders")

    def __str__(self) -> str:
        return self.number

    def get_absolute_url(self) -> str:
        """Return the address of the customer's page of this order."""
        return reverse("shop:order", args=[self.key])

    @staticmethod
    def is_ours(reference: str) -> bool:
        """Return whether a wallet reference can be one of this shop's order numbers."""
        return reference.startswith(ORDER_NUMBER_PREFIX)

    @property
    def is_sent(self) -> bool:
        """Whether the order is shipped."""
        return bool(self.shipping_address)

    @property
    def total(self) -> Decimal:
        """The amount that the customer pays, in major units."""
        return from_minor_units(self.total_minor_units, self.currency)

    @property
    def tax(self) -> Decimal:
        """The tax inside the total."""
        return from_minor_units(self.tax_minor_units, self.currency)

    @property
    def shipping(self) -> Decimal:
        """The price of shipping, tax included."""
        return from_minor_units(self.shipping_minor_units, self.currency)

    @property
    def credit(self) -> Decimal:
        """The credit taken off the whole order."""
        return from_minor_units(self.credit_minor_units, self.currency)


class OrderLine(models.Model):
    """One line of an order, as it was when the order was placed."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="lines")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="order_lines")
    name = models.CharField(max_length=120)
    quantity = models.PositiveSmallIntegerField()
    unit_minor_units = models.PositiveBigIntegerField()
    discount_minor_units = models.PositiveBigIntegerField(default=0)
    total_minor_units = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["pk"]
        verbose_name = _("order line")
        verbose_name_plural = _("order lines")

    def __str__(self) -> str:
        return f"{self.quantity} x {self.name}"

    @property
    def unit_price(self) -> Decimal:
        """The price of one piece, tax included, before any discount."""
        return from_minor_units(self.unit_minor_units, self.order.currency)

    @property
    def discount(self) -> Decimal:
        """The amount that the discount code took off this line."""
        return from_minor_units(self.discount_minor_units, self.order.currency)

    @property
    def total(self) -> Decimal:
        """The line's total, tax included, after its discount."""
        return from_minor_units(self.total_minor_units, self.order.currency)


class PackingSlip(models.Model):
    """The order to the workshop to pack; one per order, created when the wallet reports it as paid.

    Signals come at least once, so an event may arrive twice. Two unique columns make the second one harmless.
    """

    order = models.OneToOneField(Order, on_delete=models.CASCADE, related_name="packing_slip")
    event_id = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        verbose_name = _("packing slip")
        verbose_name_plural = _("packing slips")

    def __str__(self) -> str:
        return f"{self.order} ({self.event_id})"
