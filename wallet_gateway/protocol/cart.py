"""Builds the cart of an order from what a shop passes, and does its sums.

Amounts are read once, as minor units; the result is right by construction and is not summed again. The lines
are made in ``cart_lines``; the messages, and the check of a cart from elsewhere, are in ``cart_messages``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from wallet_gateway.protocol.cart_lines import Item, make_lines
from wallet_gateway.protocol.cart_messages import DISCOUNT_TYPES, DISCOUNTS_EXCEED, ShoppingCart, Sums
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, InvalidMessage
from wallet_gateway.protocol.field_types import spell
from wallet_gateway.protocol.money import MAX_EXPONENT, Money, format_units, plain_text, units_of
from wallet_gateway.protocol.text import quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipping:
    """The shipping costs of the whole order, tax included."""

    name: str
    """Required: the name of the service, such as "Parcel"."""
    amount: Decimal
    """Required: in major units, tax included."""
    tax_amount: Decimal | None = None
    """The tax in it; required if ``tax_rate`` is above zero."""
    tax_rate: Decimal | None = None
    """Percent with at most four decimals: ``Decimal("19")``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discount:
    """A discount on the whole order; ``type`` is ``discount``, ``storecredit`` or ``giftcard``."""

    name: str
    """Required: as the customer sees it, at most 255 characters."""
    amount: Decimal
    """Required: in major units, zero or more; all discounts together are less than the order."""
    type: str = "discount"
    """One of ``discount``, ``storecredit`` and ``giftcard``."""


def build_cart(
    *,
    currency: str,
    items: Iterable[Item],
    shipping: Shipping | None = None,
    discounts: Iterable[Discount] = (),
) -> ShoppingCart:
    """Build the cart of an order and do its sums; raises InvalidMessage with every fault, or UnknownCode."""
    builder = _Builder(currency_exponent(currency))
    builder.add_lines(tuple(items))
    if shipping is not None:
        builder.add_shipping(shipping)
    builder.add_discounts(tuple(discounts))
    return builder.finish()


def cart_total(cart: ShoppingCart, currency: str) -> Money:
    """Return the order's total: lines + shipping - order discounts; raises InvalidAmount or UnknownCode."""
    units, finer = divmod(cart.sums.total, 10 ** (MAX_EXPONENT - currency_exponent(currency)))
    if finer:
        raise InvalidAmount(f"the cart's amounts have more decimals than {quote(currency)} has")
    return Money.from_minor_units(units, currency)


def _in_cart(faults: Iterable[FieldError]) -> InvalidMessage:
    return InvalidMessage(fault.under("shoppingCartDetails") for fault in faults)


class _Builder:
    """Collects the values of one cart, their sums in minor units, and the faults found."""

    def __init__(self, exponent: int) -> None:
        self.exponent = exponent
        self.values: dict[str, object] = {}
        self.errors: list[FieldError] = []
        self.total = 0
        self.tax: int | None = None

    def add_lines(self, items: tuple[Item, ...]) -> None:
        lines = make_lines(items, self.exponent, self.errors)
        self.values["itemDetails"] = lines.details
        self.total += lines.total
        self._add_tax(lines.tax)

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
        sums = Sums(
            total=self.total * 10 ** (MAX_EXPONENT - self.exponent), decimals=frozenset({self.exponent})
        )
        try:
            cart = ShoppingCart.checked(self.values, sums)
        except InvalidMessage as error:
            # Of two faults in one field ours says more.
            faults = {fault.path: fault for fault in (*error.errors, *self.errors)}
            raise _in_cart(faults.values()) from error
        if self.errors:
            raise _in_cart(self.errors)
        return cart

    def _discount(self, index: int, discount: Discount) -> dict[str, object]:
        amount = self._read(f"discountDetails[{index}].discountAmount", discount.amount)
        self.total -= amount or 0
        return {
            "discountAmount": self._write(amount),
            "discountType": spell(discount.type, DISCOUNT_TYPES),
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
