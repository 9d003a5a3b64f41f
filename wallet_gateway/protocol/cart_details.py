"""The shopping cart as a message carries it: the interface, Checkout request, ``shoppingCartDetails``.

Its conditions and sums are in ``cart_rules``; how a shop makes one of its items is in ``cart``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self, TypeVar

from pydantic import (
    Field,
    PrivateAttr,
    Strict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from wallet_gateway.protocol.cart_rules import PaymentTotals, add_up, is_positive, required, wrong_in_line
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.complaints import complaints_of
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.fields import Amount, OptionalText, Rate, Text, WireModel

Value = TypeVar("Value")
MAX_QUANTITY = 9999
Quantity = Annotated[int, Strict(), Field(ge=1, le=MAX_QUANTITY)]
ProductType = Literal["physical", "digital", "giftcard", "surcharge"]
DiscountType = Literal["discount", "storecredit", "giftcard"]


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

    @model_validator(mode="after")
    def _lacks_nothing(self) -> Self:
        faults = []
        if is_positive(self.shipping_amount) and not self.shipping_name:
            faults.append(FieldError("shippingName", required("where shippingAmount is above zero")))
        if is_positive(self.shipping_tax_rate) and self.shipping_tax_amount is None:
            faults.append(FieldError("shippingTaxAmount", required("where shippingTaxRate is above zero")))
        return _unless(faults, self)


class DiscountDetail(WireModel):
    """A discount on the whole order; one that has an amount, even zero, has a type and a name."""

    discount_amount: Amount | None = None
    discount_type: DiscountType | None = None
    discount_name: OptionalText | None = None

    @model_validator(mode="after")
    def _lacks_nothing(self) -> Self:
        faults = []
        if self.discount_amount is not None and self.discount_type is None:
            faults.append(FieldError("discountType", required("where discountAmount is given")))
        if self.discount_amount is not None and not self.discount_name:
            faults.append(FieldError("discountName", required("where discountAmount is given")))
        return _unless(faults, self)


class ShoppingCart(WireModel):
    """The lines, shipping and discounts of an order; one whose sums do not add up cannot be made."""

    total_tax_amount: Amount | None = None
    item_details: tuple[ItemDetail, ...] | None = None
    shipping_details: ShippingDetail | None = None
    discount_details: tuple[DiscountDetail, ...] | None = None

    _sums: PaymentTotals | None = PrivateAttr(default=None)

    @property
    def sums(self) -> PaymentTotals:
        """What the order comes to: lines + shipping - order discounts."""
        if self._sums is None:
            raise AttributeError(
                "a cart made by model_construct was never summed; use build, from_wire or build_cart"
            )
        return self._sums

    def is_written_for(self, currency: str | None) -> bool:
        """Whether all amounts are written with the decimals of a currency; None is any."""
        return currency is None or self.sums.decimals <= {currency_exponent(currency)}

    @field_validator("item_details", mode="wrap")
    @classmethod
    def _lines_keep_the_rules(
        cls, value: object, validate: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> object:
        if isinstance(info.context, PaymentTotals):
            return validate(value)  # who passes sums has made the lines, and checked them on the way
        faults: list[FieldError] = []
        try:
            lines = validate(value)
        except ValidationError as error:
            faults += complaints_of(error)
            lines = None
        # One line that cannot be read does not hide what is wrong with another.
        for index, line in enumerate(_readable(value) if lines is None else lines):
            if line is not None:
                faults += (fault.under(f"[{index}]") for fault in wrong_in_line(line))
        return _unless(faults, lines)

    @model_validator(mode="after")
    def _adds_up(self, info: ValidationInfo) -> Self:
        if self._sums is not None:
            return self  # an earlier validation of this very cart, which is frozen
        faults: list[FieldError] = []
        self._sums = info.context if isinstance(info.context, PaymentTotals) else add_up(self, faults)
        return _unless(faults, self)


def _unless(faults: list[FieldError], value: Value) -> Value:
    """Give the value back; raise the faults if there are any."""
    if faults:
        raise InvalidMessage(faults)
    return value


def _readable(values: object) -> Iterator[ItemDetail | None]:
    """Each line that is one by itself, None for the others."""
    for value in values if isinstance(values, list | tuple) else ():
        try:
            yield ItemDetail.model_validate(value)
        except ValidationError:
            yield None
