"""The goods on an order's page: the lines of its shopping cart and their sums, safe to show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wallet_gateway.formats import format_money, format_percent
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible

Label = str | Promise

MAX_LINES = 100
"""Lines that are shown; a longer cart is in the shop's own order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodsLine:
    """One line of the cart; what the shop left out is empty."""

    name: str
    product_id: str
    description: str
    quantity: str
    unit: str
    """An amount as it is shown, as are those below; the stored text if it cannot be read as one."""
    tax: str
    tax_rate: str
    """In per cent."""
    discount: str
    """With a minus sign; empty if it is zero."""
    discount_name: str
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Goods:
    """The cart of an order: its first lines, how many more there are, and the sums below them."""

    lines: tuple[GoodsLine, ...]
    more: int
    sums: tuple[tuple[Label, str], ...]
    total: str


def goods_of(order: PaymentOrder) -> Goods | None:
    """Return the goods of an order; None for one that has an amount only."""
    cart = order.cart
    if cart is None:
        return None
    items = cart.get("itemDetails") or ()
    return Goods(
        lines=tuple(_line(item, order.currency) for item in items[:MAX_LINES]),
        more=max(len(items) - MAX_LINES, 0),
        sums=tuple(_sums(order, cart)),
        total=format_money(order.amount),
    )


def _line(item: Mapping[str, Any], currency: str) -> GoodsLine:
    return GoodsLine(
        name=visible(item.get("productName") or ""),
        product_id=visible(item.get("productId") or ""),
        description=visible(item.get("productDescription") or ""),
        quantity=visible(item.get("productQuantity") or ""),
        unit=_amount(item.get("unitAmount"), currency),
        tax=_amount(item.get("totalTaxAmount"), currency),
        tax_rate=_rate(item.get("taxRate")),
        discount=_deduction(item.get("discountAmount"), currency),
        discount_name=visible(item.get("discountName") or ""),
        total=_amount(item.get("totalAmount"), currency),
    )


def _rate(given: object) -> str:
    """Return a tax rate, a percentage on the wire, as the reader writes it; other texts stay as they are."""
    text = visible(given or "")
    try:
        percent = Decimal(text)
    except InvalidOperation:
        return text
    if not percent.is_finite():
        return text
    decimals = max(-int(percent.normalize().as_tuple().exponent), 0)
    return format_percent(percent / 100, decimals=min(decimals, 4))


def _sums(order: PaymentOrder, cart: Mapping[str, Any]) -> Iterator[tuple[Label, str]]:
    """Yield what stands between the lines and the total: shipping, discounts and tax."""
    for name, stored in order.cart_extras:
        yield from _extra(name, stored, order.currency)
    if amount := _amount(cart.get("totalTaxAmount"), order.currency):
        yield _("Tax, contained in the total"), amount


def _extra(name: str, stored: str, currency: str) -> Iterator[tuple[Label, str]]:
    if not stored.startswith("-"):
        yield visible(name) or _("Shipping"), _amount(stored, currency)
    elif amount := _deduction(stored.removeprefix("-"), currency):
        yield visible(name) or _("Discount"), amount


def _amount(stored: object, currency: str) -> str:
    amount = _read(stored, currency)
    return format_money(amount) if isinstance(amount, Money) else amount


def _deduction(stored: object, currency: str) -> str:
    amount = _read(stored, currency)
    if isinstance(amount, Money):
        return format_money(amount, negative=True) if amount.minor_units else ""
    return amount and f"\N{MINUS SIGN}{amount}"


def _read(stored: object, currency: str) -> Money | str:
    """Return a stored amount; as safe text if it cannot be read as one, which is empty for None."""
    if stored is None:
        return ""
    try:
        return Money.parse(str(stored), currency, allow_zero=True)
    except ProtocolError:
        return visible(stored)
