"""The goods on an order's page: the lines of its shopping cart and their sums, safe to show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible

Label = str | Promise
Sum = Money | str
"""An amount with its currency; the text as it is stored if it cannot be read as one."""

MAX_LINES = 100
"""Lines that are shown; a longer cart is in the shop's own order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodsLine:
    """One line of the cart; what the shop left out is empty."""

    name: str
    product_id: str
    description: str
    quantity: str
    unit: Sum
    tax: Sum | None
    tax_rate: str
    """In per cent."""
    discount: Sum | None
    discount_name: str
    total: Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Goods:
    """The cart of an order: its first lines, how many more there are, and the sums below them."""

    lines: tuple[GoodsLine, ...]
    more: int
    sums: tuple[tuple[Label, Sum], ...]
    total: Money


def goods_of(order: PaymentOrder) -> Goods | None:
    """Return the goods of an order; None for one that has an amount only."""
    cart = order.cart
    if cart is None:
        return None
    items = cart.get("itemDetails") or ()
    return Goods(
        lines=tuple(_line(item, order.currency) for item in items[:MAX_LINES]),
        more=max(len(items) - MAX_LINES, 0),
        sums=tuple(_sums(cart, order.currency)),
        total=order.amount,
    )


def _line(item: Mapping[str, Any], currency: str) -> GoodsLine:
    return GoodsLine(
        name=visible(item.get("productName") or ""),
        product_id=visible(item.get("productId") or ""),
        description=visible(item.get("productDescription") or ""),
        quantity=visible(item.get("productQuantity") or ""),
        unit=_sum(item.get("unitAmount"), currency) or "",
        tax=_sum(item.get("totalTaxAmount"), currency),
        tax_rate=visible(item.get("taxRate") or ""),
        discount=_nonzero(item.get("discountAmount"), currency),
        discount_name=visible(item.get("discountName") or ""),
        total=_sum(item.get("totalAmount"), currency) or "",
    )


def _sums(cart: Mapping[str, Any], currency: str) -> Iterator[tuple[Label, Sum]]:
    """Yield what stands between the lines and the total: shipping, discounts and tax."""
    shipping = cart.get("shippingDetails") or {}
    if (amount := _sum(shipping.get("shippingAmount"), currency)) is not None:
        yield visible(shipping.get("shippingName") or "") or _("Shipping"), amount
    for discount in cart.get("discountDetails") or ():
        if (amount := _nonzero(discount.get("discountAmount"), currency)) is not None:
            yield visible(discount.get("discountName") or "") or _("Discount"), _deducted(amount)
    if (amount := _sum(cart.get("totalTaxAmount"), currency)) is not None:
        yield _("Tax, contained in the total"), amount


def _sum(value: object, currency: str) -> Sum | None:
    if value is None:
        return None
    try:
        return Money.parse(str(value), currency, allow_zero=True)
    except ProtocolError:
        return visible(value)


def _nonzero(value: object, currency: str) -> Sum | None:
    amount = _sum(value, currency)
    return None if isinstance(amount, Money) and not amount.minor_units else amount


def _deducted(amount: Sum) -> str:
    return f"\N{MINUS SIGN}{amount}"
