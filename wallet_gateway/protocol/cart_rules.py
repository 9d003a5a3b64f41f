"""The conditions and the arithmetic of a cart, whether it came from elsewhere or is made of a shop's items.

A line's ``totalAmount`` is ``unitAmount`` x ``productQuantity`` - ``discountAmount``. The tax of the order is
that of its lines + that of shipping; the order comes to lines + shipping - order discounts. Tax amounts are
summed and never computed from a rate: a rate is what a shop tells its customer, an amount is what it booked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.money import FINEST, format_units, scaled_units

if TYPE_CHECKING:
    from wallet_gateway.protocol.cart_details import ItemDetail, ShoppingCart

DISCOUNTS_EXCEED: Final = "exceed what the lines and shipping come to"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentTotals:
    """What one pass over a cart finds: what the order comes to, and how many decimals its amounts have.

    ``total`` counts the decimals of the finest currency, so that a cart adds up before its currency is known.
    """

    total: int
    decimals: frozenset[int]


class Line(Protocol):
    """What the conditions of a line look at; a line of a message and a shop's item both have it."""

    @property
    def tax_rate(self) -> object:
        """The rate, None if not given."""

    @property
    def unit_tax_amount(self) -> object:
        """The tax per unit, None if not given."""

    @property
    def discount_name(self) -> str | None:
        """What the discount is called."""

    @property
    def discount_tax_amount(self) -> object:
        """The tax in the discount, None if not given."""


def missing_in_line(line: Line, *, taxed: bool, discounted: bool, has_tax: bool) -> Iterator[tuple[str, str]]:
    """Name each field the tables demand of this line that is not there, and say why it is demanded."""
    if line.unit_tax_amount is not None and line.tax_rate is None:
        yield "taxRate", required("where unitTaxAmount is given")
    if taxed and not has_tax:
        yield "totalTaxAmount", required("where taxRate is above zero")
    if discounted and not line.discount_name:
        yield "discountName", required("where discountAmount is above zero")
    if taxed and discounted and line.discount_tax_amount is None:
        yield "discountTaxAmount", required("where taxRate and discountAmount are above zero")


def required(condition: str) -> str:
    """The sentence about a field that is missing only because of another."""
    return f"is missing; it is required {condition}"


def is_positive(text: str | None) -> bool:
    """Whether an amount or rate is given and above zero."""
    return text is not None and text.strip("0.") != ""


def wrong_in_line(line: ItemDetail) -> Iterator[FieldError]:
    """What a line that came from elsewhere lacks or sums wrongly; paths are those of the line."""
    discount = scaled_units(line.discount_amount)
    stated = scaled_units(line.total_amount)
    computed = scaled_units(line.unit_amount) * line.product_quantity - discount
    if computed < 0:
        yield FieldError("discountAmount", "exceeds unitAmount x productQuantity")
    elif stated != computed:
        yield _wrong_sum("totalAmount", stated, computed, "unitAmount x productQuantity - discountAmount")
    missing = missing_in_line(
        line,
        taxed=is_positive(line.tax_rate),
        discounted=discount > 0,
        has_tax=line.total_tax_amount is not None,
    )
    yield from (FieldError(name, reason) for name, reason in missing)


def add_up(cart: ShoppingCart, faults: list[FieldError]) -> PaymentTotals:
    """Sum a cart whose lines are right, and compare the tax it states."""
    lines, shipping = cart.item_details or (), cart.shipping_details
    total = sum(scaled_units(line.total_amount) for line in lines)
    tax = sum(scaled_units(line.total_tax_amount) for line in lines)
    rates = [line.tax_rate for line in lines]
    if shipping is not None:
        total += scaled_units(shipping.shipping_amount)
        tax += scaled_units(shipping.shipping_tax_amount)
        rates.append(shipping.shipping_tax_rate)
    total -= sum(scaled_units(discount.discount_amount) for discount in cart.discount_details or ())
    if total < 0:
        faults.append(FieldError("discountDetails", DISCOUNTS_EXCEED))
    faults += _wrong_tax(cart, tax, rates)
    return PaymentTotals(total=total, decimals=frozenset(map(_decimals, _amounts(cart))))


def _wrong_tax(cart: ShoppingCart, tax: int, rates: list[str | None]) -> Iterator[FieldError]:
    stated = scaled_units(cart.total_tax_amount)
    if cart.total_tax_amount is None:
        if any(map(is_positive, rates)):
            yield FieldError("totalTaxAmount", required("where any taxRate or shippingTaxRate is above zero"))
    elif stated != tax:
        yield _wrong_sum("totalTaxAmount", stated, tax, "the lines' totalTaxAmount + shippingTaxAmount")


def _amounts(cart: ShoppingCart) -> Iterator[str]:
    """Every amount of a cart."""
    for part in (cart, cart.shipping_details, *(cart.item_details or ()), *(cart.discount_details or ())):
        for name, value in part or ():
            if isinstance(value, str) and name.endswith("_amount"):
                yield value


def _decimals(amount: str) -> int:
    return len(amount.partition(".")[2])


def _wrong_sum(path: str, stated: int, computed: int, formula: str) -> FieldError:
    return FieldError(path, f"is {_plain(stated)}, but {formula} is {_plain(computed)}")


def _plain(scaled: int) -> str:
    """An amount of a currency that is not known here: two decimals, or more if it has them."""
    text = format_units(scaled, FINEST)
    return text[:-2] if text.endswith("00") else text
