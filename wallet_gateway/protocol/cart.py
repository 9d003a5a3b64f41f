"""The shopping cart: as a message carries it, and how one is built of what a shop sells.

The interface, Checkout request, ``shoppingCartDetails``. The conditions and sums of a cart are checked by the
messages, wherever it comes from. "(unitAmount * productQuantity) - discountAmount" is a line's
``totalAmount``; the cart's ``totalTaxAmount`` is "the sum of all item totalTaxAmount plus shippingTaxAmount";
the order comes to lines + shipping - order discounts. Taxes are summed and never computed from a rate: a rate
is what a shop tells its customer, an amount is what it booked.

Sums are in units of the fourth decimal, so that a cart adds up before its currency is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import Field, Strict
from pydantic.alias_generators import to_camel

from wallet_gateway.protocol.codes import check_currency, currency_exponent
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, InvalidMessage
from wallet_gateway.protocol.field_types import (
    ANY_CASE,
    FROM_JSON_NUMBER,
    OF_A_CUSTOMER,
    Amount,
    OptionalText,
    Rate,
    Reading,
    Text,
)
from wallet_gateway.protocol.money import MAX_EXPONENT, Money, format_units, parse_amount, scaled_units
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import Condition, WireModel

MAX_QUANTITY: Final = 9999
"""The limit of ``productQuantity``: "1 to 9999"."""

ProductType = Literal["physical", "digital", "giftcard", "surcharge"]
DiscountType = Literal["discount", "storecredit", "giftcard"]


# The messages


def is_positive(number: object) -> bool:
    """Whether an amount or rate, as a number or its text, is given and not zero."""
    return bool(number.strip("0.") if isinstance(number, str) else number)


def _above_zero(name: str) -> tuple[str, Condition]:
    return f"{to_camel(name)} is above zero", lambda values: is_positive(values[name])


def _given(name: str) -> tuple[str, Condition]:
    return f"{to_camel(name)} is given", lambda values: values[name] is not None


def _has_a_rate(cart: Mapping[str, Any]) -> bool:
    rates = [line.tax_rate for line in cart["item_details"] or ()]
    shipping: ShippingDetail | None = cart["shipping_details"]
    return any(map(is_positive, [*rates, shipping and shipping.shipping_tax_rate]))


class ItemDetail(WireModel):
    """One line of the cart. ``totalAmount`` is ``unitAmount`` x ``productQuantity`` - ``discountAmount``."""

    product_id: Text
    product_name: Annotated[Text, OF_A_CUSTOMER]
    product_description: Annotated[OptionalText, OF_A_CUSTOMER] | None = None
    product_type: Annotated[ProductType, ANY_CASE] | None = None
    product_quantity: Annotated[int, Strict(), Field(ge=1, le=MAX_QUANTITY), FROM_JSON_NUMBER]
    unit_amount: Amount = Field(description="with tax, without any discount")
    unit_tax_amount: Amount | None = None
    tax_rate: Rate | None = Field(default=None, description="of unitAmount")
    total_amount: Amount = Field(description="unitAmount x productQuantity - discountAmount")
    total_tax_amount: Amount | None = Field(default=None, description="the tax of the line")
    discount_amount: Amount | None = Field(default=None, description="of the line")
    discount_name: OptionalText | None = None
    discount_tax_amount: Amount | None = Field(default=None, description="the tax in discountAmount")

    # "Required if unitTaxAmount is supplied"; "Required if taxRate > 0"; "Required if discountAmount > 0";
    # "Required if taxRate > 0 and discountAmount > 0". (itemDetails)
    required_where = {
        "tax_rate": _given("unit_tax_amount"),
        "total_tax_amount": _above_zero("tax_rate"),
        "discount_name": _above_zero("discount_amount"),
        "discount_tax_amount": (
            "taxRate and discountAmount are above zero",
            lambda line: is_positive(line["tax_rate"]) and is_positive(line["discount_amount"]),
        ),
    }

    def faults(self) -> Iterator[FieldError]:
        """Yield the fault of a total that is not what the other amounts come to."""
        stated = scaled_units(self.total_amount)
        computed = scaled_units(self.unit_amount) * self.product_quantity - scaled_units(self.discount_amount)
        if computed < 0:
            yield FieldError("discountAmount", "exceeds unitAmount x productQuantity")
        elif stated != computed:
            formula = "unitAmount x productQuantity - discountAmount"
            yield _wrong_sum("totalAmount", stated, computed, formula)


class ShippingDetail(WireModel):
    """The shipping costs of the whole order."""

    shipping_name: OptionalText | None = None
    shipping_amount: Amount | None = Field(default=None, description="of the whole order, with tax")
    shipping_tax_amount: Amount | None = None
    shipping_tax_rate: Rate | None = Field(default=None, description="of shippingAmount")

    # The interface on shippingName: "required if shippingAmount > 0". "The conditions for the last three are
    # not stated beyond the word conditional." A rate above zero without its tax would make totalTaxAmount
    # wrong, which includes the tax of shipping.
    required_where = {
        "shipping_name": _above_zero("shipping_amount"),
        "shipping_tax_amount": _above_zero("shipping_tax_rate"),
    }


class DiscountDetail(WireModel):
    """A discount on the whole order; one with an amount, even zero, has a type and a name."""

    discount_amount: Amount | None = Field(default=None, description="of the whole order")
    discount_type: Annotated[DiscountType, ANY_CASE] | None = None
    discount_name: OptionalText | None = None

    # Both are "required if discountAmount is supplied" (discountDetails).
    required_where = dict.fromkeys(("discount_type", "discount_name"), _given("discount_amount"))


class ShoppingCart(WireModel):
    """The lines, shipping and discounts of an order; a cart whose sums do not add up cannot be made."""

    total_tax_amount: Amount | None = Field(
        default=None, description="the lines' totalTaxAmount + shippingTaxAmount"
    )
    item_details: tuple[ItemDetail, ...] | None = None
    shipping_details: ShippingDetail | None = None
    discount_details: tuple[DiscountDetail, ...] | None = None

    # The interface on totalTaxAmount: "Required if any taxRate > 0 or shippingTaxRate > 0."
    required_where = {"total_tax_amount": ("any taxRate or shippingTaxRate is above zero", _has_a_rate)}

    @property
    def scaled_total(self) -> int:
        """What the order comes to, in units of the fourth decimal: lines + shipping - order discounts."""
        total = sum(scaled_units(line.total_amount) for line in self.item_details or ())
        if self.shipping_details is not None:
            total += scaled_units(self.shipping_details.shipping_amount)
        return total - sum(scaled_units(discount.discount_amount) for discount in self.discount_details or ())

    def faults(self) -> Iterator[FieldError]:
        """Yield the faults of sums that are not those of the parts."""
        tax = sum(scaled_units(line.total_tax_amount) for line in self.item_details or ())
        if self.shipping_details is not None:
            tax += scaled_units(self.shipping_details.shipping_tax_amount)
        stated = scaled_units(self.total_tax_amount)
        if self.scaled_total < 0:
            yield FieldError("discountDetails", "exceed what the lines and shipping come to")
        if self.total_tax_amount is not None and stated != tax:
            formula = "the lines' totalTaxAmount + shippingTaxAmount"
            yield _wrong_sum("totalTaxAmount", stated, tax, formula)


def cart_total(cart: ShoppingCart, currency: str) -> Money:
    """Return the order's total: lines + shipping - order discounts; raises InvalidAmount or UnknownCode."""
    units, finer = divmod(cart.scaled_total, 10 ** (MAX_EXPONENT - currency_exponent(currency)))
    if finer:
        raise InvalidAmount(f"the cart's amounts have more decimals than {quote(currency)} has")
    return Money.from_minor_units(units, currency)


def _wrong_sum(path: str, stated: int, computed: int, formula: str) -> FieldError:
    # The currency is unknown here: an amount is shown with two decimals, or four if it needs them.
    is_, comes_to = (format_units(scaled, MAX_EXPONENT).removesuffix("00") for scaled in (stated, computed))
    return FieldError(path, f"is {is_}, but {formula} is {comes_to}")


# A shop's items, and the cart that is built of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of an order; amounts are in major units and include tax, and need no sums.

    ``total_tax_amount`` is ``unit_tax_amount`` x ``quantity`` - ``discount_tax_amount`` unless it is given,
    as by a shop that rounds per line.
    """

    product_id: str
    """Required: article number, as the customer sees it: "TEA-100"."""
    product_name: str
    """Required: as the customer sees it, at most 255 characters."""
    unit_amount: Decimal
    """Required: price of one in major units, tax included, before any discount; zero is allowed."""
    quantity: int = 1
    """Whole number, 1 to 9999."""
    product_description: str | None = None
    """More about it, at most 2,000 characters."""
    product_type: str | None = None
    """One of ``physical``, ``digital``, ``giftcard`` and ``surcharge``."""
    unit_tax_amount: Decimal | None = None
    """The tax in ``unit_amount``."""
    tax_rate: Decimal | None = None
    """Percent with at most four decimals: ``Decimal("19")``; required with ``unit_tax_amount``."""
    total_tax_amount: Decimal | None = None
    """The tax of the whole line; for a shop that rounds by line."""
    discount_amount: Decimal | None = None
    """Discount on the line, zero or more and at most the line's price."""
    discount_name: str | None = None
    """Its name; required with a discount above zero."""
    discount_tax_amount: Decimal | None = None
    """The tax in the discount; required if the line has a tax rate and a discount."""


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
    known = check_currency(currency)
    faults: list[FieldError] = []

    def units(amount: Decimal | None) -> int:
        # The message refuses an invalid amount or quantity; it is counted as 0 here.
        with suppress(InvalidAmount):
            return 0 if amount is None else parse_amount(amount, known, allow_zero=True)
        return 0

    def written(units: int) -> str:
        # One below zero is a fault already.
        return format_units(max(units, 0), known.exponent)

    lines: list[dict[str, Any]] = []
    for index, item in enumerate(items):
        line = {name: getattr(item, name) for name in Item.__slots__}
        quantity = line["product_quantity"] = line.pop("quantity")
        pieces = quantity if type(quantity) is int and 0 < quantity <= MAX_QUANTITY else 0
        total = units(item.unit_amount) * pieces - units(item.discount_amount)
        line["total_amount"] = written(total)
        if total < 0 and pieces:
            exceeds = FieldError("discountAmount", "exceeds unitAmount x productQuantity")
            faults.append(exceeds.under(f"itemDetails[{index}]"))
        if item.total_tax_amount is None and item.unit_tax_amount is not None:
            tax = units(item.unit_tax_amount) * pieces - units(item.discount_tax_amount)
            line["total_tax_amount"] = written(tax)
            if tax < 0 and pieces:
                exceeds = FieldError("discountTaxAmount", "exceeds unitTaxAmount x productQuantity")
                faults.append(exceeds.under(f"itemDetails[{index}]"))
        # The message says so, too, but only of a line whose fields are right by themselves.
        faults += (fault.under(f"itemDetails[{index}]") for fault in ItemDetail.missing_in(line))
        lines.append(line)
    taxes = [line["total_tax_amount"] for line in lines] + ([shipping.tax_amount] if shipping else [])
    given = [units(tax) for tax in taxes if tax is not None]
    values = {
        "item_details": lines,
        "shipping_details": shipping and _prefixed("shipping", shipping),
        "discount_details": [_prefixed("discount", discount) for discount in discounts] or None,
        "total_tax_amount": written(sum(given)) if given else None,
    }
    try:
        cart = ShoppingCart.checked(values, Reading(is_from_python=True, is_answer=False, currency=known))
    except InvalidMessage as error:
        # Of two faults in one field ours says more.
        faults = list({fault.path: fault for fault in (*error.errors, *faults)}.values())
    if faults:
        raise InvalidMessage(fault.under("shoppingCartDetails") for fault in faults)
    return cart


def _prefixed(name: str, part: Shipping | Discount) -> dict[str, Any]:
    return {f"{name}_{attribute}": getattr(part, attribute) for attribute in part.__slots__}
