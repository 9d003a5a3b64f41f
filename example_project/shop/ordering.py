"""Place an order: the shop's own rows, and the wallet's order under the same number."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction
from django.urls import reverse

from example_project.shop.models import Order, OrderLine
from example_project.shop.money import to_minor_units
from example_project.shop.preferences import CheckoutAnswers
from example_project.shop.pricing import PricedLine, Quote
from example_project.shop.sheet_choices import SheetChoices
from wallet_gateway import payments

POSTAL_FIELDS = ("house_number", "street", "city", "zip_postal_code", "state", "country_code")


def place_order(
    quote: Quote, answers: CheckoutAnswers, *, language: str, sheet: SheetChoices | None = None
) -> Order:
    """Create the wallet's order, then store the shop's order.

    In this sequence, because the wallet may refuse: then nothing is stored at all. An interrupted order is
    completed by placing it again under the same number. Raises `payments.errors.InvalidInput`, and
    `payments.errors.IdempotencyConflict` when the number was started with another cart.
    """
    order = _order(quote, answers, language)
    order.sheet = asdict(sheet) if sheet else {}
    payments.create_order(**wallet_order(order, quote))
    try:
        with transaction.atomic():
            order.save(force_insert=True)
            OrderLine.objects.bulk_create(_order_line(order, line) for line in quote.lines)
    except IntegrityError:
        # A double click: the other request was faster with the same number.
        return Order.objects.get(number=answers.number)
    return order


def wallet_order(order: Order, quote: Quote) -> dict[str, Any]:
    """Return the arguments of `payments.create_order`; the wallet calculates the totals."""
    billing, parcel = order.billing_address, order.shipping_address
    return {
        "reference": order.number,
        "order_number": order.number,
        "currency": quote.currency,
        # The amount of pieces made to order is reserved now and captured when they leave the workshop.
        "type": "preauthorization" if quote.made_to_order else "sale",
        "items": [_item(line) for line in quote.lines],
        "shipping": _shipping(quote),
        "discounts": _credit(quote),
        "language": order.language,
        "cardholder_first_name": billing["first_name"],
        "cardholder_last_name": billing["last_name"],
        "cardholder_email": order.email,
        "cardholder_mobile_phone": billing.get("phone") or None,
        "billing_address": _postal(billing),
        "shipping_address": _postal(parcel, names=True) if parcel else None,
        # Not the order's page: the gateway and its logs have the address of the page with this link.
        "continue_url": reverse("shop:order-back", args=[order.number]),
    }


def _item(line: PricedLine) -> payments.Item:
    is_taxed, is_discounted = line.tax_rate > 0, line.discount > 0
    return payments.Item(
        product_id=line.product.sku,
        product_name=line.product.name,
        product_description=line.product.tagline,
        product_type=line.product.kind,
        unit_amount=line.unit_price,
        quantity=line.quantity,
        unit_tax_amount=line.unit_tax if is_taxed else None,
        tax_rate=line.tax_rate if is_taxed else None,
        discount_amount=line.discount if is_discounted else None,
        discount_name=line.discount_name if is_discounted else None,
        discount_tax_amount=line.discount_tax if is_discounted and is_taxed else None,
    )


def _shipping(quote: Quote) -> payments.Shipping | None:
    method, rate = quote.shipping_method, quote.shipping_rate
    if method is None or rate is None:
        return None
    return payments.Shipping(
        name=method.name, amount=rate.amount, tax_amount=rate.tax, tax_rate=rate.tax_rate
    )


def _credit(quote: Quote) -> tuple[payments.Discount, ...]:
    if not quote.credit or quote.code is None:
        return ()
    return (payments.Discount(name=quote.code.name, amount=quote.credit, type="storecredit"),)


def _postal(address: dict[str, str], *, names: bool = False) -> dict[str, str]:
    wanted = ("first_name", "last_name", *POSTAL_FIELDS) if names else POSTAL_FIELDS
    return {name: address[name] for name in wanted if address.get(name)}


def _order(quote: Quote, answers: CheckoutAnswers, language: str) -> Order:
    billing: dict[str, str] = answers.address["billing"]
    return Order(
        number=answers.number,
        key=answers.key,
        currency=quote.currency,
        language=language,
        email=billing["email"],
        billing_address=billing,
        shipping_address=_parcel_address(quote, answers),
        shipping_name=quote.shipping_method.name if quote.shipping_method else "",
        shipping_minor_units=to_minor_units(quote.shipping, quote.currency),
        credit_name=quote.code.name if quote.code and quote.credit else "",
        credit_minor_units=to_minor_units(quote.credit, quote.currency),
        tax_minor_units=to_minor_units(quote.tax, quote.currency),
        total_minor_units=quote.total_minor_units,
    )


def _parcel_address(quote: Quote, answers: CheckoutAnswers) -> dict[str, str]:
    """Return the shipping address; empty if there is no parcel."""
    if not quote.needs_shipping:
        return {}
    parcel: dict[str, str] = answers.address.get("parcel") or answers.address["billing"]
    return _postal(parcel, names=True)


def _order_line(order: Order, line: PricedLine) -> OrderLine:
    return OrderLine(
        order=order,
        product=line.product,
        name=line.product.name,
        quantity=line.quantity,
        unit_minor_units=to_minor_units(line.unit_price, order.currency),
        discount_minor_units=to_minor_units(line.discount, order.currency),
        total_minor_units=to_minor_units(line.total, order.currency),
    )
