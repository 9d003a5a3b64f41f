"""Price a cart in one currency: lines, discount, shipping, tax and total. No session, no wallet.

Prices include tax. A percentage is taken off each line, with its share of the tax; a credit is taken off
the whole order and does not change the tax, because it is a way to pay. Gift cards are not discounted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from example_project.shop.cart import CartLine
from example_project.shop.models import (
    DiscountCode,
    Price,
    Product,
    ProductKind,
    ShippingMethod,
    ShippingRate,
)
from example_project.shop.money import included_tax, rounded, to_minor_units

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedLine:
    """One line of a cart with its prices, all including tax."""

    product: Product
    quantity: int
    unit_price: Decimal
    unit_tax: Decimal
    tax_rate: Decimal
    discount: Decimal
    discount_tax: Decimal
    discount_name: str

    @property
    def total(self) -> Decimal:
        """The line's total after its discount."""
        return self.unit_price * self.quantity - self.discount

    @property
    def tax(self) -> Decimal:
        """The tax inside the total."""
        return self.unit_tax * self.quantity - self.discount_tax


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A cart priced in one currency; `code_is_too_big` when a credit would have left nothing to pay."""

    currency: str
    lines: tuple[PricedLine, ...]
    shipping_method: ShippingMethod | None
    shipping_rate: ShippingRate | None
    code: DiscountCode | None
    credit: Decimal
    code_is_too_big: bool

    @property
    def needs_shipping(self) -> bool:
        """Whether anything must be shipped."""
        return any(line.product.is_shipped for line in self.lines)

    @property
    def made_to_order(self) -> bool:
        """Whether a piece must still be made, so that the amount is reserved first and charged later."""
        return any(line.product.made_to_order for line in self.lines)

    @property
    def goods(self) -> Decimal:
        """The total of the lines before any discount."""
        return sum((line.unit_price * line.quantity for line in self.lines), ZERO)

    @property
    def discount(self) -> Decimal:
        """The discount by percentage over all lines."""
        return sum((line.discount for line in self.lines), ZERO)

    @property
    def shipping(self) -> Decimal:
        """The price of shipping."""
        return self.shipping_rate.amount if self.shipping_rate else ZERO

    @property
    def shipping_tax(self) -> Decimal:
        """The tax inside the shipping."""
        return self.shipping_rate.tax if self.shipping_rate else ZERO

    @property
    def tax(self) -> Decimal:
        """The tax inside the whole order."""
        return sum((line.tax for line in self.lines), self.shipping_tax)

    @property
    def total(self) -> Decimal:
        """The amount to pay."""
        return sum((line.total for line in self.lines), self.shipping - self.credit)

    @property
    def total_minor_units(self) -> int:
        """The total as an integer of minor units."""
        return to_minor_units(self.total, self.currency)


def price_cart(
    lines: Iterable[CartLine],
    currency: str,
    *,
    shipping_method: ShippingMethod | None = None,
    code: DiscountCode | None = None,
) -> Quote:
    """Price a cart; shipping is charged only if something must be shipped."""
    lines = tuple(lines)
    priced = _priced_lines(lines, currency, code)
    is_sent = any(line.product.is_shipped for line in lines)
    method = shipping_method if is_sent else None
    rate = method.rates.get(currency=currency) if method else None
    before_credit = sum((line.total for line in priced), rate.amount if rate else ZERO)
    credit = code.credit(currency) if code else ZERO
    too_big = credit > 0 and credit >= before_credit
    return Quote(
        currency=currency,
        lines=priced,
        shipping_method=method,
        shipping_rate=rate,
        code=None if too_big else code,
        credit=ZERO if too_big else credit,
        code_is_too_big=too_big,
    )


def _priced_lines(
    lines: tuple[CartLine, ...], currency: str, code: DiscountCode | None
) -> tuple[PricedLine, ...]:
    products = [line.product.pk for line in lines]
    prices = {
        price.product_id: price for price in Price.objects.filter(product__in=products, currency=currency)
    }
    return tuple(_priced(line, prices[line.product.pk], code) for line in lines if line.product.pk in prices)


def _priced(line: CartLine, price: Price, code: DiscountCode | None) -> PricedLine:
    percent = code.percent if code and code.percent and line.product.kind != ProductKind.GIFT_CARD else 0
    discount = rounded(price.amount * line.quantity * percent / 100, price.currency)
    return PricedLine(
        product=line.product,
        quantity=line.quantity,
        unit_price=price.amount,
        unit_tax=price.tax,
        tax_rate=price.tax_rate,
        discount=discount,
        discount_tax=included_tax(discount, price.tax_rate, price.currency),
        discount_name=code.name if code and discount else "",
    )
