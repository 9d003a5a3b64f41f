"""The shop's own pages of an order, for the wallet app's pages to link to."""

from __future__ import annotations

from django.urls import reverse

from example_project.shop.models import Order
from wallet_gateway.models import PaymentOrder


def order_admin_url(payment_order: PaymentOrder) -> str:
    """Return the address of an order in the shop's admin."""
    order = Order.objects.only("pk").get(number=payment_order.reference)
    return reverse("admin:shop_order_change", args=[order.pk])
