"""The surcharges and discounts of the wallet's sheet: the shop's `PRICING` hook.

The order already includes its shipping. On the sheet a customer may choose a more expensive method, an
address abroad that costs more, or a discount code that was forgotten at the review.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from example_project.shop.models import DiscountCode, Order, ProductKind, ShippingRate
from example_project.shop.money import rounded
from example_project.shop.sheet_choices import SheetChoices
from wallet_gateway.payments.wallet import (
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)

HOME = "DE"
# The countries that we ship to, as two letters each, like in the wallet.
DELIVERED = frozenset(
    [
        *("AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GR", "HR"),
        *("HU", "IE", "IT", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK"),
    ]
)
POST = "post"


def price_sheet(question: SheetQuestion) -> SheetPricing:
    """Price one order with the choices on the sheet; called again before the card is charged."""
    order = Order.objects.prefetch_related("lines__product").filter(number=question.order.reference).first()
    choices = SheetChoices.of(order.sheet) if order else SheetChoices()
    if order is None or not choices.prices_open:
        return SheetPricing()
    country = (question.shipping_address or {}).get("countryCode", HOME)
    if choices.shipping and order.is_sent and country not in DELIVERED:
        return SheetPricing(errors=[_undelivered()])
    discounts = [_discount(order, code) for code in question.offers]
    if not all(discounts) or len(discounts) > 1:
        return SheetPricing(errors=[_unknown_code() if not all(discounts) else _second_code()])
    options = tuple(_options(order, is_abroad=country != HOME)) if choices.shipping else ()
    return SheetPricing(options=options, discounts=[one for one in discounts if one])


def _options(order: Order, *, is_abroad: bool) -> Iterator[ShippingOption]:
    """Yield the ordered method and the more expensive ones, at their extra cost; abroad, plus postage."""
    rates = list(
        ShippingRate.objects.filter(currency=order.currency).select_related("method").order_by("method")
    )
    stamp = (
        next((rate.amount for rate in rates if rate.method.code == POST), Decimal(0))
        if is_abroad
        else Decimal(0)
    )
    for rate in rates:
        if order.is_sent and rate.amount >= order.shipping:
            yield ShippingOption(
                id=rate.method.code,
                label=_label(rate, is_ordered=rate.amount == order.shipping, is_abroad=is_abroad),
                description=rate.method.promise,
                amount=rate.amount - order.shipping + stamp,
            )


def _label(rate: ShippingRate, *, is_ordered: bool, is_abroad: bool) -> str:
    """Return the label, which the sheet's totals show below the cost of the order's own shipping."""
    if is_abroad:
        text = _("%(method)s, abroad")
    elif is_ordered:
        text = _("%(method)s, as ordered")
    else:
        text = _("%(method)s instead")
    return text % {"method": rate.method.name}


def _discount(order: Order, code: str) -> SheetDiscount | None:
    """Return the discount of a code; None if it is unknown, too large, or the order has one already."""
    found = DiscountCode.objects.filter(code=code.strip().upper(), is_active=True).first()
    had_one = order.credit_minor_units or any(line.discount_minor_units for line in order.lines.all())
    if found is None or had_one:
        return None
    goods = sum(
        (line.total for line in order.lines.all() if line.product.kind != ProductKind.GIFT_CARD), Decimal(0)
    )
    amount = rounded(goods * (found.percent or 0) / 100, order.currency) + found.credit(order.currency)
    return SheetDiscount(label=found.name, amount=amount, code=code) if 0 < amount < order.total else None


def _undelivered() -> SheetFault:
    return SheetFault(
        intent="SHIPPING_ADDRESS",
        reason="SHIPPING_ADDRESS_UNSERVICEABLE",
        message=_("Our parcels travel within Europe only."),
    )


def _unknown_code() -> SheetFault:
    return SheetFault(
        intent="OFFER", reason="OFFER_INVALID", message=_("This code cannot be used for this order.")
    )


def _second_code() -> SheetFault:
    return SheetFault(intent="OFFER", reason="OFFER_INVALID", message=_("One code for each order, please."))
