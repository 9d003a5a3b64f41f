"""What an oscar order says of itself to the gateway: goods, sums, customer and addresses."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language, gettext

from wallet_gateway import payments


def order_details(order: Any, amount: Decimal) -> dict[str, Any]:
    """Return the arguments of `payments.create_order` that come from an oscar order."""
    address = order.billing_address or order.shipping_address
    return {
        "order_number": order.number,
        "currency": order.currency,
        "language": get_language(),
        "continue_url": reverse("checkout:thank-you"),
        "redirect_when_paid": True,
        "cardholder_email": order.email or None,
        "cardholder_first_name": getattr(address, "first_name", "") or None,
        "cardholder_last_name": getattr(address, "last_name", "") or None,
        "billing_address": _postal(address),
        **(_cart(order, amount) or {"amount": amount}),
    }


def _cart(order: Any, amount: Decimal) -> dict[str, Any] | None:
    """Return the lines with shipping and discounts; None if they do not come to the amount."""
    lines = list(order.lines.all())
    items = [_item(line) for line in lines if line.unit_price_incl_tax]
    items += [
        payments.Item(product_id=charge.code, product_name=charge.name, unit_amount=charge.incl_tax)
        for charge in order.surcharges.all()
        if charge.incl_tax
    ]
    gross = sum((item.unit_amount * item.quantity for item in items), order.shipping_incl_tax)
    discount = order.total_discount_incl_tax
    if not items or discount < 0 or gross - discount != amount:
        return None
    name = order.shipping_method or gettext("Shipping")
    return {
        "items": items,
        "shipping": payments.Shipping(name=name, amount=order.shipping_incl_tax),
        "discounts": [payments.Discount(name=gettext("Discount"), amount=discount)] if discount else [],
    }


def _item(line: Any) -> payments.Item:
    return payments.Item(
        product_id=line.partner_sku,
        product_name=line.title,
        unit_amount=line.unit_price_incl_tax,
        quantity=line.quantity,
    )


def _postal(address: Any) -> dict[str, str] | None:
    """Return the billing address; None if a part that the interface demands is missing.

    Oscar has one line for street and house number: the word with a digit at its beginning or end.
    """
    words = address.line1.split() if address else []
    number = next((word for word in (*words[-1:], *words[:1]) if any(map(str.isdigit, word))), "")
    if not address:
        return None
    postal = {
        "street": " ".join(word for word in words if word != number),
        "house_number": number,
        "city": address.line4,
        "zip_postal_code": address.postcode,
        "country_code": address.country.iso_3166_1_a3,
    }
    return postal if all(postal.values()) else None
