"""What an oscar order says of itself to the gateway: goods, sums, customer and addresses."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language, gettext

from wallet_gateway import payments
from wallet_gateway.contrib.bridges import postal_address


def order_details(order: Any, amount: Decimal) -> dict[str, Any]:
    """Return the arguments of `payments.create_order` that come from an oscar order."""
    address = order.billing_address or order.shipping_address
    billing = address and postal_address(
        line=address.line1, city=address.line4, postcode=address.postcode, country=address.country_id
    )
    items = [
        payments.Item(
            product_id=line.partner_sku,
            product_name=line.title,
            unit_amount=line.unit_price_incl_tax,
            quantity=line.quantity,
        )
        for line in order.lines.all()
        if line.unit_price_incl_tax
    ]
    items += [
        payments.Item(product_id=charge.code, product_name=charge.name, unit_amount=charge.incl_tax)
        for charge in order.surcharges.all()
        if charge.incl_tax
    ]
    gross = sum((item.unit_amount * item.quantity for item in items), order.shipping_incl_tax)
    discount = order.total_discount_incl_tax
    goods: dict[str, Any] = {"amount": amount}
    # Lines, shipping and discounts are left out if they do not come to the amount.
    if items and discount >= 0 and gross - discount == amount:
        name = order.shipping_method or gettext("Shipping")
        goods = {
            "items": items,
            "shipping": payments.Shipping(name=name, amount=order.shipping_incl_tax),
            "discounts": [payments.Discount(name=gettext("Discount"), amount=discount)] if discount else [],
        }
    return {
        "order_number": order.number,
        "currency": order.currency,
        "language": get_language(),
        "continue_url": reverse("checkout:thank-you"),
        "redirect_when_paid": True,
        "cardholder_email": order.email or None,
        "cardholder_first_name": getattr(address, "first_name", "") or None,
        "cardholder_last_name": getattr(address, "last_name", "") or None,
        "billing_address": billing,
        **goods,
    }
