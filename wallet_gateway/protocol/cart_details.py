"""The shopping cart as a message carries it, and the one pass that checks its conditions and sums.

How a shop makes one from its items is in ``cart``. Tax amounts are summed and never computed from a rate: a
rate is what the shop tells its customer, an amount is what it booked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, Self

from pydantic import Field, PrivateAttr, Strict, ValidationInfo, model_validator

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.fields import Amount, OptionalText, Rate, Text, WireModel
from wallet_gateway.protocol.money import FINEST, format_units, scaled_units

MAX_QUANTITY = 9999
Quantity = Annotated[int, Strict(), Field(ge=1, le=MAX_QUANTITY)]
ProductType = Literal["physical", "digital", "giftcard", "surcharge"]
DiscountType = Literal["discount", "storecredit", "giftcard"]
DISCOUNTS_EXCEED = "exceed what the lines and shipping come to"


class ItemDetail(WireModel):
    """One line of the cart. ``totalAmount`` is ``unitAmount`` x ``productQuantity`` - ``discountAmount``."""

    product_id: Text
    product_name: Text
    product_description: OptionalText | None = None
    product_type: ProductType | None = None
    product_quantity: Quantity
    unit_amount: Amount
    unit_tax_amount: Amount | None = None
    tax_rate: Rate | None = None
    total_amount: Amount
    total_tax_amount: Amount | None = None
    discount_amount: Amount | None = None
    discount_name: OptionalText | None = None
    discount_tax_amount: Amount | None = None


class ShippingDetail(WireModel):
    """What shipping of the whole order costs."""

    shipping_name: OptionalText | None = None
    shipping_amount: Amount | None = None
    shipping_tax_amount: Amount | None = None
    shipping_tax_rate: Rate | None = None


class DiscountDetail(WireModel):
    """A discount on the whole order."""

    discount_amount: Amount | None = None
    discount_type: DiscountType | None = None
    discount_name: OptionalText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What one pass over a cart finds: what the order comes to, and how many decimals its amounts have.

    ``total`` counts the decimals of the finest currency, so that a cart adds up before its currency is known.
    """

    total: int
    decimals: frozenset[int]


class ShoppingCart(WireModel):
    """The lines, shipping and discounts of an order; one whose sums do not add up cannot be made."""

    total_tax_amount: Amount | None = None
    item_details: tuple[ItemDetail, ...] | None = None
    shipping_details: ShippingDetail | None = None
    discount_details: tuple[DiscountDetail, ...] | None = None

    _sums: Sums | None = PrivateAttr(default=None)

    @property
    def sums(self) -> Sums:
        """What the order comes to: lines + shipping - order discounts."""
        if self._sums is None:
            raise AttributeError(
                "a cart made by model_construct was never summed; use build, from_wire or build_cart"
            )
        return self._sums

    def is_written_for(self, currency: str | None) -> bool:
        """Whether all amounts are written with the decimals of a currency; None is any."""
        return currency is None or self.sums.decimals <= {currency_exponent(currency)}

    @model_validator(mode="after")
    def _keeps_the_rules(self, info: ValidationInfo) -> Self:
        if self._sums is not None:
            return self  # an earlier validation of this very cart, which is frozen
        errors: list[FieldError] = []
        # Who passes sums has made the lines of a shop's items, and checked and summed them on the way.
        self._sums = info.context if isinstance(info.context, Sums) else _add_up(self, errors)
        errors += _broken_conditions(self)
        if errors:
            raise InvalidMessage(errors)
        return self


def _broken_conditions(cart: ShoppingCart) -> Iterator[FieldError]:
    """What the tables demand of shipping and order discounts where another of their fields is there."""
    if shipping := cart.shipping_details:
        taxed = _is_positive(shipping.shipping_tax_rate)
        if _is_positive(shipping.shipping_amount) and not shipping.shipping_name:
            yield FieldError("shippingDetails.shippingName", required("where shippingAmount is above zero"))
        if taxed and shipping.shipping_tax_amount is None:
            yield FieldError(
                "shippingDetails.shippingTaxAmount", required("where shippingTaxRate is above zero")
            )
    for index, discount in enumerate(cart.discount_details or ()):
        if discount.discount_amount is not None and discount.discount_type is None:
            yield FieldError(
                f"discountDetails[{index}].discountType", required("where discountAmount is given")
            )
        if discount.discount_amount is not None and not discount.discount_name:
            yield FieldError(
                f"discountDetails[{index}].discountName", required("where discountAmount is given")
            )


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


def _is_positive(text: str | None) -> bool:
    return text is not None and text.strip("0.") != ""


def _add_up(cart: ShoppingCart, errors: list[FieldError]) -> Sums:
    """Sum a cart that came from elsewhere, and compare each sum it states."""
    count = _Counter()
    total = tax = 0
    taxed = False
    for index, line in enumerate(cart.item_details or ()):
        errors += (fault.under(f"itemDetails[{index}]") for fault in _wrong_in_line(line, count))
        total += count(line.total_amount)
        tax += count(line.total_tax_amount)
        taxed = taxed or _is_positive(line.tax_rate)
    if shipping := cart.shipping_details:
        total += count(shipping.shipping_amount)
        tax += count(shipping.shipping_tax_amount)
        taxed = taxed or _is_positive(shipping.shipping_tax_rate)
    total -= sum(count(discount.discount_amount) for discount in cart.discount_details or ())
    if total < 0:
        errors.append(FieldError("discountDetails", DISCOUNTS_EXCEED))
    if cart.total_tax_amount is None and taxed:
        errors.append(
            FieldError("totalTaxAmount", required("where any taxRate or shippingTaxRate is above zero"))
        )
    stated = count(cart.total_tax_amount)
    if cart.total_tax_amount is not None and stated != tax:
        errors.append(
            _wrong_sum("totalTaxAmount", stated, tax, "the lines' totalTaxAmount + shippingTaxAmount")
        )
    return Sums(total=total, decimals=frozenset(count.decimals))


def _wrong_in_line(line: ItemDetail, count: _Counter) -> Iterator[FieldError]:
    discount = count(line.discount_amount)
    computed = count(line.unit_amount) * line.product_quantity - discount
    stated = count(line.total_amount)
    count(line.unit_tax_amount)
    count(line.discount_tax_amount)
    if computed < 0:
        yield FieldError("discountAmount", "exceeds unitAmount x productQuantity")
    elif stated != computed:
        yield _wrong_sum("totalAmount", stated, computed, "unitAmount x productQuantity - discountAmount")
    missing = missing_in_line(
        line,
        taxed=_is_positive(line.tax_rate),
        discounted=discount > 0,
        has_tax=line.total_tax_amount is not None,
    )
    yield from (FieldError(name, reason) for name, reason in missing)


class _Counter:
    """Reads amounts in the finest decimals there are, and remembers how many decimals it saw."""

    def __init__(self) -> None:
        self.decimals: set[int] = set()

    def __call__(self, text: str | None) -> int:
        if text is None:
            return 0
        self.decimals.add(len(text.partition(".")[2]))
        return scaled_units(text)


def _wrong_sum(path: str, stated: int, computed: int, formula: str) -> FieldError:
    return FieldError(path, f"is {_plain(stated)}, but {formula} is {_plain(computed)}")


def _plain(scaled: int) -> str:
    """An amount of a currency that is not known here: two decimals, or more if it has them."""
    text = format_units(scaled, FINEST)
    return text[:-2] if text.endswith("00") else text
