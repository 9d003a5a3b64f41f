"""The shopping cart as a message carries it: the interface, Checkout request, ``shoppingCartDetails``.

The conditions and sums of a cart are checked here, wherever it comes from. "(unitAmount * productQuantity) -
discountAmount" is a line's ``totalAmount``; the cart's ``totalTaxAmount`` is "the sum of all item
totalTaxAmount plus shippingTaxAmount"; the order comes to lines + shipping - order discounts. Taxes are
summed and never computed from a rate: a rate is what a shop tells its customer, an amount is what it booked.
How a shop makes a cart of its items is in ``cart``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Protocol, Self, TypeVar

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Strict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.field_types import (
    ANY_CASE,
    FROM_JSON_NUMBER,
    OF_A_CUSTOMER,
    Amount,
    OptionalText,
    Rate,
    Reading,
    Text,
    table_of,
)
from wallet_gateway.protocol.money import MAX_EXPONENT, format_units, scaled_units
from wallet_gateway.protocol.wire import WireModel, field_errors

Value = TypeVar("Value")

MAX_QUANTITY: Final = 9999
"""The limit of ``productQuantity``: "1 to 9999"."""
DISCOUNTS_EXCEED: Final = "exceed what the lines and shipping come to"

Quantity = Annotated[int, Strict(), Field(ge=1, le=MAX_QUANTITY)]
ProductType = Literal["physical", "digital", "giftcard", "surcharge"]
DiscountType = Literal["discount", "storecredit", "giftcard"]
PRODUCT_TYPES: Final = table_of(ProductType)
DISCOUNT_TYPES: Final = table_of(DiscountType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """The order's total, and the numbers of decimals found among the cart's amounts.

    ``total`` is in units of the fourth decimal, so that a cart adds up before its currency is known.
    """

    total: int
    decimals: frozenset[int]


# The messages


class ItemDetail(WireModel):
    """One line of the cart. ``totalAmount`` is ``unitAmount`` x ``productQuantity`` - ``discountAmount``."""

    product_id: Text
    product_name: Annotated[Text, OF_A_CUSTOMER]
    product_description: Annotated[OptionalText, OF_A_CUSTOMER] | None = None
    product_type: Annotated[ProductType, ANY_CASE] | None = None
    product_quantity: Annotated[Quantity, FROM_JSON_NUMBER]
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
        "taxRate": "unitTaxAmount is given",
        "totalTaxAmount": "taxRate is above zero",
        "discountName": "discountAmount is above zero",
        "discountTaxAmount": "taxRate and discountAmount are above zero",
    }


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
        "shippingName": "shippingAmount is above zero",
        "shippingTaxAmount": "shippingTaxRate is above zero",
    }

    @model_validator(mode="after")
    def _lacks_nothing(self) -> Self:
        faults = []
        if is_positive(self.shipping_amount) and not self.shipping_name:
            faults.append(self.missing("shippingName"))
        if is_positive(self.shipping_tax_rate) and self.shipping_tax_amount is None:
            faults.append(self.missing("shippingTaxAmount"))
        return _unless(faults, self)


class DiscountDetail(WireModel):
    """A discount on the whole order; one with an amount, even zero, has a type and a name."""

    discount_amount: Amount | None = Field(default=None, description="of the whole order")
    discount_type: Annotated[DiscountType, ANY_CASE] | None = None
    discount_name: OptionalText | None = None

    # Both are "required if discountAmount is supplied" (discountDetails).
    required_where = {"discountType": "discountAmount is given", "discountName": "discountAmount is given"}

    @model_validator(mode="after")
    def _lacks_nothing(self) -> Self:
        faults = []
        if self.discount_amount is not None and self.discount_type is None:
            faults.append(self.missing("discountType"))
        if self.discount_amount is not None and not self.discount_name:
            faults.append(self.missing("discountName"))
        return _unless(faults, self)


class ShoppingCart(WireModel):
    """The lines, shipping and discounts of an order; a cart whose sums do not add up cannot be made."""

    total_tax_amount: Amount | None = Field(
        default=None, description="the lines' totalTaxAmount + shippingTaxAmount"
    )
    item_details: tuple[ItemDetail, ...] | None = None
    shipping_details: ShippingDetail | None = None
    discount_details: tuple[DiscountDetail, ...] | None = None

    # The interface on totalTaxAmount: "Required if any taxRate > 0 or shippingTaxRate > 0."
    required_where = {"totalTaxAmount": "any taxRate or shippingTaxRate is above zero"}

    _sums: Sums | None = PrivateAttr(default=None)

    @property
    def sums(self) -> Sums:
        """The order's total: lines + shipping - order discounts."""
        if (sums := self._known_sums()) is None:
            raise AttributeError(
                "a cart made by model_construct was never summed; use build, from_wire or build_cart"
            )
        return sums

    def _known_sums(self) -> Sums | None:
        # Pydantic's own way to a private attribute takes 2 µs, and each order asks for its sums ten times.
        return (self.__pydantic_private__ or {}).get("_sums")

    def is_written_for(self, currency: str | None) -> bool:
        """Whether all amounts are written with the decimals of a currency; None is any."""
        return currency is None or self.sums.decimals <= {currency_exponent(currency)}

    @model_validator(mode="wrap")
    @classmethod
    def _suits_the_currency(
        cls, source: object, validate: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        """Write a cart that was made for another currency, or for none, again with the right decimals."""
        reading = info.context
        if type(reading) is not Reading or not isinstance(source, cls):
            return validate(source)
        if not source.is_written_for(reading.currency):
            source = source.model_dump(by_alias=not reading.is_from_python, exclude_none=True)
        return validate(source)

    @field_validator("item_details", mode="wrap")
    @classmethod
    def _lines_keep_the_rules(
        cls, value: object, validate: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> object:
        if isinstance(info.context, Sums):
            return value  # the caller has made the lines and checked them on the way
        faults: list[FieldError] = []
        try:
            lines = validate(value)
        except ValidationError as error:
            faults += field_errors(error)
            lines = None
        # A line that cannot be read does not hide what is wrong with another.
        for index, line in enumerate(_readable(value, info.context) if lines is None else lines):
            if line is not None:
                faults += (fault.under(f"[{index}]") for fault in wrong_in_line(line))
        return _unless(faults, lines)

    @model_validator(mode="after")
    def _adds_up(self, info: ValidationInfo) -> Self:
        if self._known_sums() is not None:
            return self  # an earlier validation of this very cart, which is frozen
        faults: list[FieldError] = []
        self._sums = info.context if isinstance(info.context, Sums) else add_up(self, faults)
        return _unless(faults, self)


def _unless(faults: list[FieldError], value: Value) -> Value:
    """Return the value, or raise the faults if there are any."""
    if faults:
        raise InvalidMessage(faults)
    return value


def _readable(values: object, context: object) -> Iterator[ItemDetail | None]:
    """Give each line that is right by itself, None for the others."""
    for value in values if isinstance(values, list | tuple) else ():
        try:
            yield ItemDetail.checked(value, context)
        except InvalidMessage:
            yield None


# The conditions of a line


class Line(Protocol):
    """The fields that the conditions of a line read; an ``ItemDetail`` and a shop's ``Item`` have them."""

    @property
    def tax_rate(self) -> object:
        """The rate, None if not given."""

    @property
    def unit_tax_amount(self) -> object:
        """The tax per unit, None if not given."""

    @property
    def discount_name(self) -> str | None:
        """The name of the discount."""

    @property
    def discount_tax_amount(self) -> object:
        """The tax in the discount, None if not given."""


def missing_in_line(line: Line, *, taxed: bool, discounted: bool, has_tax: bool) -> Iterator[FieldError]:
    """Give the fault of each conditional field that this line lacks."""
    if line.unit_tax_amount is not None and line.tax_rate is None:
        yield ItemDetail.missing("taxRate")
    if taxed and not has_tax:
        yield ItemDetail.missing("totalTaxAmount")
    if discounted and not line.discount_name:
        yield ItemDetail.missing("discountName")
    if taxed and discounted and line.discount_tax_amount is None:
        yield ItemDetail.missing("discountTaxAmount")


def is_positive(text: str | None) -> bool:
    """Whether an amount or rate is given and above zero."""
    return text is not None and text.strip("0.") != ""


def wrong_in_line(line: ItemDetail) -> Iterator[FieldError]:
    """Give the faults of a received line: missing fields and wrong sums, with paths inside the line."""
    discount = scaled_units(line.discount_amount)
    stated = scaled_units(line.total_amount)
    computed = scaled_units(line.unit_amount) * line.product_quantity - discount
    if computed < 0:
        yield FieldError("discountAmount", "exceeds unitAmount x productQuantity")
    elif stated != computed:
        yield _wrong_sum("totalAmount", stated, computed, "unitAmount x productQuantity - discountAmount")
    yield from missing_in_line(
        line,
        taxed=is_positive(line.tax_rate),
        discounted=discount > 0,
        has_tax=line.total_tax_amount is not None,
    )


# The sums of a cart


def add_up(cart: ShoppingCart, faults: list[FieldError]) -> Sums:
    """Sum a cart whose lines are right, and compare the tax it states; faults are added to the list."""
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
    return Sums(total=total, decimals=frozenset(map(_decimals, _amounts(cart))))


def _wrong_tax(cart: ShoppingCart, tax: int, rates: list[str | None]) -> Iterator[FieldError]:
    stated = scaled_units(cart.total_tax_amount)
    if cart.total_tax_amount is None:
        if any(map(is_positive, rates)):
            yield cart.missing("totalTaxAmount")
    elif stated != tax:
        yield _wrong_sum("totalTaxAmount", stated, tax, "the lines' totalTaxAmount + shippingTaxAmount")


def _amounts(cart: ShoppingCart) -> Iterator[str]:
    """Give every amount of a cart."""
    for part in (cart, cart.shipping_details, *(cart.item_details or ()), *(cart.discount_details or ())):
        for name, value in part or ():
            if isinstance(value, str) and name.endswith("_amount"):
                yield value


def _decimals(amount: str) -> int:
    return len(amount.partition(".")[2])


def _wrong_sum(path: str, stated: int, computed: int, formula: str) -> FieldError:
    return FieldError(path, f"is {_plain(stated)}, but {formula} is {_plain(computed)}")


def _plain(scaled: int) -> str:
    """Write an amount whose currency is unknown here: two decimals, or more if it has them."""
    text = format_units(scaled, MAX_EXPONENT)
    return text[:-2] if text.endswith("00") else text
