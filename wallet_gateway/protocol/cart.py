"""What a shop passes as its order, and the cart that is made of it, all sums done.

Amounts are read once, as minor units; what comes out is right by construction and is not summed again. The
messages, and the check of a cart that came from elsewhere, are in ``cart_details``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from wallet_gateway.protocol.cart_details import (
    DiscountDetail,
    ItemDetail,
    ShippingDetail,
    ShoppingCart,
)
from wallet_gateway.protocol.cart_lines import LineWriter
from wallet_gateway.protocol.cart_rules import DISCOUNTS_EXCEED, PaymentTotals
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, InvalidMessage, excerpt
from wallet_gateway.protocol.folding import fold_choice
from wallet_gateway.protocol.money import FINEST, Money, format_units, plain_text, units_of

__all__ = [
    "Discount",
    "DiscountDetail",
    "Item",
    "ItemDetail",
    "Shipping",
    "ShippingDetail",
    "ShoppingCart",
    "build_cart",
    "cart_total",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of what a shop sells; amounts are in major units and include tax, and no sums are needed.

    ``total_tax_amount`` is ``unit_tax_amount`` x ``quantity`` - ``discount_tax_amount`` unless it is given,
    as by a shop whose books round per line.
    """

    product_id: str
    product_name: str
    unit_amount: Decimal
    quantity: int = 1
    product_description: str | None = None
    product_type: str | None = None
    unit_tax_amount: Decimal | None = None
    tax_rate: Decimal | None = None
    total_tax_amount: Decimal | None = None
    discount_amount: Decimal | None = None
    discount_name: str | None = None
    discount_tax_amount: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipping:
    """What shipping of the whole order costs, tax included."""

    name: str
    amount: Decimal
    tax_amount: Decimal | None = None
    tax_rate: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Discount:
    """A discount on the whole order; ``type`` is ``discount``, ``storecredit`` or ``giftcard``."""

    name: str
    amount: Decimal
    type: str = "discount"


def build_cart(
    *,
    currency: str,
    items: Iterable[Item],
    shipping: Shipping | None = None,
    discounts: Iterable[Discount] = (),
) -> ShoppingCart:
    """Make the cart of an order and do its sums; raises InvalidMessage with every fault, or UnknownCode."""
    builder = _Builder(currency_exponent(currency))
    builder.add_lines(tuple(items))
    if shipping is not None:
        builder.add_shipping(shipping)
    builder.add_discounts(tuple(discounts))
    return builder.finish()


def cart_total(cart: ShoppingCart, currency: str) -> Money:
    """What the order comes to: lines + shipping - order discounts; raises InvalidAmount or UnknownCode."""
    units, finer = divmod(cart.sums.total, 10 ** (FINEST - currency_exponent(currency)))
    if finer:
        raise InvalidAmount(f"the cart's amounts have more decimals than {excerpt(currency)} has")
    return Money.from_minor_units(units, currency)


class _Builder:
    """Collects the values of one cart, what they come to in minor units, and what is wrong with them."""

    def __init__(self, exponent: int) -> None:
        self.exponent = exponent
        self.values: dict[str, object] = {}
        self.errors: list[FieldError] = []
        self.total = 0
        self.tax: int | None = None

    def add_lines(self, items: tuple[Item, ...]) -> None:
        writer = LineWriter(items, self.exponent)
        self.values["itemDetails"] = writer.lines(self.errors)
        self.total += writer.total
        self._add_tax(writer.tax)

    def add_shipping(self, shipping: Shipping) -> None:
        amount = self._read("shippingDetails.shippingAmount", shipping.amount)
        tax = self._read("shippingDetails.shippingTaxAmount", shipping.tax_amount)
        self.total += amount or 0
        self._add_tax(tax)
        self.values["shippingDetails"] = {
            "shippingName": shipping.name,
            "shippingAmount": self._write(amount),
            "shippingTaxAmount": self._write(tax),
            "shippingTaxRate": plain_text(shipping.tax_rate),
        }

    def add_discounts(self, discounts: tuple[Discount, ...]) -> None:
        if discounts:
            self.values["discountDetails"] = [self._discount(*each) for each in enumerate(discounts)]

    def finish(self) -> ShoppingCart:
        self.values["totalTaxAmount"] = self._write(self.tax)
        if self.total < 0 and not self.errors:
            self.errors.append(FieldError("discountDetails", DISCOUNTS_EXCEED))
        sums = PaymentTotals(
            total=self.total * 10 ** (FINEST - self.exponent), decimals=frozenset({self.exponent})
        )
        try:
            return ShoppingCart.checked(self.values, self.errors, sums)
        except InvalidMessage as error:
            raise InvalidMessage(fault.under("shoppingCartDetails") for fault in error.errors) from error

    def _discount(self, index: int, discount: Discount) -> dict[str, object]:
        amount = self._read(f"discountDetails[{index}].discountAmount", discount.amount)
        self.total -= amount or 0
        return {
            "discountAmount": self._write(amount),
            "discountType": fold_choice(DiscountDetail, "discount_type", discount.type),
            "discountName": discount.name,
        }

    def _add_tax(self, tax: int | None) -> None:
        if tax is not None:
            self.tax = tax + (self.tax or 0)

    def _read(self, path: str, amount: Decimal | None) -> int | None:
        if amount is None:
            return None
        try:
            return units_of(amount, self.exponent)
        except InvalidAmount as error:
            self.errors.append(FieldError(path, str(error)))
            return 0

    def _write(self, units: int | None) -> str | None:
        return None if units is None else format_units(max(units, 0), self.exponent)
