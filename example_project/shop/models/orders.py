"""The shop's own orders and what was packed for them. What was paid is not kept here but asked of the wallet.

An order is linked to the wallet's by its number, which is the wallet's `reference`.
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
# Without letters and digits that are mistaken for one another when read aloud.
ORDER_NUMBER_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_order_number() -> str:
    """A number for people: short to read aloud, and telling nothing about how many orders there are."""
    return ORDER_NUMBER_PREFIX + "".join(secrets.choice(ORDER_NUMBER_ALPHABET) for _position in range(9))


def new_order_key() -> str:
    """The unguessable part of an order page's address: 128 random bits."""
    return secrets.token_urlsafe(16)


class Order(models.Model):
    """What a customer ordered, priced once and kept; whether it is paid is asked of the wallet."""

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
    """How the wallet's button looks and what its sheet asks for: `SheetChoices`."""
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
        """The customer's page of this order."""
        return reverse("shop:order", args=[self.key])

    @staticmethod
    def is_ours(reference: str) -> bool:
        """Whether a wallet reference can be one of this shop's order numbers."""
        return reference.startswith(ORDER_NUMBER_PREFIX)

    @property
    def is_sent(self) -> bool:
        """Whether a parcel goes out."""
        return bool(self.shipping_address)

    @property
    def total(self) -> Decimal:
        """What the customer pays, in major units."""
        return from_minor_units(self.total_minor_units, self.currency)

    @property
    def tax(self) -> Decimal:
        """The tax inside the total."""
        return from_minor_units(self.tax_minor_units, self.currency)

    @property
    def shipping(self) -> Decimal:
        """What shipping costs, tax included."""
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
        """The price of one, tax included, before any discount."""
        return from_minor_units(self.unit_minor_units, self.order.currency)

    @property
    def discount(self) -> Decimal:
        """What the discount code took off this line."""
        return from_minor_units(self.discount_minor_units, self.order.currency)

    @property
    def total(self) -> Decimal:
        """The line's total, tax included, after its discount."""
        return from_minor_units(self.total_minor_units, self.order.currency)


class PackingSlip(models.Model):
    """The order for the workshop to pack; one per order, made when the wallet says that it is paid.

    Signals come at least once, so an event may come twice. Two unique columns make the second one harmless.
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
