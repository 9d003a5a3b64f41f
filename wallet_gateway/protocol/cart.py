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
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, Strict, ValidationInfo, model_validator

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
from wallet_gateway.protocol.money import (
    MAX_EXPONENT,
    Money,
    format_units,
    has_decimals,
    scaled_units,
    units_of,
)
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import WireModel

MAX_QUANTITY: Final = 9999
"""The limit of ``productQuantity``: "1 to 9999"."""

ProductType = Literal["physical", "digital", "giftcard", "surcharge"]
DiscountType = Literal["discount", "storecredit", "giftcard"]


# The messages


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
        "taxRate": "unitTaxAmount is given",
        "totalTaxAmount": "taxRate is above zero",
        "discountName": "discountAmount is above zero",
        "discountTaxAmount": "taxRate and discountAmount are above zero",
    }

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        discount, stated = scaled_units(self.discount_amount), scaled_units(self.total_amount)
        computed = scaled_units(self.unit_amount) * self.product_quantity - discount
        faults = []
        if computed < 0:
            faults.append(FieldError("discountAmount", "exceeds unitAmount x productQuantity"))
        elif stated != computed:
            formula = "unitAmount x productQuantity - discountAmount"
            faults.append(_wrong_sum("totalAmount", stated, computed, formula))
        is_taxed, is_discounted = is_positive(self.tax_rate), discount > 0
        faults += self.missing_in(vars(self), is_taxed=is_taxed, is_discounted=is_discounted)
        return self.unless(faults)

    @classmethod
    def missing_in(
        cls, line: Mapping[str, object], *, is_taxed: bool, is_discounted: bool
    ) -> Iterator[FieldError]:
        """Yield the fault of each conditional field that a line lacks, given its values by attribute."""
        needed = {
            "tax_rate": line["unit_tax_amount"] is not None,
            "total_tax_amount": is_taxed,
            "discount_name": is_discounted,
            "discount_tax_amount": is_taxed and is_discounted,
        }
        for name, is_needed in needed.items():
            if is_needed and line[name] in (None, ""):
                yield cls.missing(cls.wire_names[name])


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
        return self.unless(faults)


class DiscountDetail(WireModel):
    """A discount on the whole order; one with an amount, even zero, has a type and a name."""

    discount_amount: Amount | None = Field(default=None, description="of the whole order")
    discount_type: Annotated[DiscountType, ANY_CASE] | None = None
    discount_name: OptionalText | None = None

    # Both are "required if discountAmount is supplied" (discountDetails).
    required_where = {"discountType": "discountAmount is given", "discountName": "discountAmount is given"}

    @model_validator(mode="after")
    def _lacks_nothing(self) -> Self:
        if self.discount_amount is None:
            return self
        given = {"discountType": self.discount_type, "discountName": self.discount_name}
        return self.unless([self.missing(name) for name, value in given.items() if not value])


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

    @property
    def scaled_total(self) -> int:
        """What the order comes to, in units of the fourth decimal: lines + shipping - order discounts."""
        total = sum(scaled_units(line.total_amount) for line in self.item_details or ())
        if self.shipping_details is not None:
            total += scaled_units(self.shipping_details.shipping_amount)
        return total - sum(scaled_units(discount.discount_amount) for discount in self.discount_details or ())

    def is_written_for(self, currency: str | None) -> bool:
        """Whether all amounts are written with the decimals of a currency; None is any."""
        if currency is None:
            return True
        exponent = currency_exponent(currency)
        parts = (self, self.shipping_details, *(self.item_details or ()), *(self.discount_details or ()))
        values = [item for part in parts if part is not None for item in vars(part).items()]
        amounts = [value for name, value in values if value is not None and name.endswith("_amount")]
        return all(has_decimals(amount, exponent) for amount in amounts)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        lines, shipping = self.item_details or (), self.shipping_details
        rates = [line.tax_rate for line in lines]
        tax = sum(scaled_units(line.total_tax_amount) for line in lines)
        if shipping is not None:
            rates.append(shipping.shipping_tax_rate)
            tax += scaled_units(shipping.shipping_tax_amount)
        stated, faults = scaled_units(self.total_tax_amount), list[FieldError]()
        if self.scaled_total < 0:
            faults.append(FieldError("discountDetails", "exceed what the lines and shipping come to"))
        if self.total_tax_amount is None and any(map(is_positive, rates)):
            faults.append(self.missing("totalTaxAmount"))
        elif self.total_tax_amount is not None and stated != tax:
            formula = "the lines' totalTaxAmount + shippingTaxAmount"
            faults.append(_wrong_sum("totalTaxAmount", stated, tax, formula))
        return self.unless(faults)

    @model_validator(mode="wrap")
    @classmethod
    def _suits_the_currency(
        cls, source: object, validate: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        """Take a checked cart as it is, unless its amounts have other decimals than the currency."""
        reading: Reading | None = info.context
        if not isinstance(source, cls):
            return validate(source)
        if reading is None or source.is_written_for(reading.currency):
            return source
        return validate(source.model_dump(by_alias=not reading.is_from_python, exclude_none=True))


def cart_total(cart: ShoppingCart, currency: str) -> Money:
    """Return the order's total: lines + shipping - order discounts; raises InvalidAmount or UnknownCode."""
    units, finer = divmod(cart.scaled_total, 10 ** (MAX_EXPONENT - currency_exponent(currency)))
    if finer:
        raise InvalidAmount(f"the cart's amounts have more decimals than {quote(currency)} has")
    return Money.from_minor_units(units, currency)


def is_positive(text: str | None) -> bool:
    """Whether an amount or rate is given and above zero."""
    return text is not None and text.strip("0.") != ""


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
    amounts = _Amounts(known.exponent)
    lines = [_line(item, f"itemDetails[{index}]", amounts) for index, item in enumerate(items)]
    values: dict[str, object] = {"item_details": [values for values, _ in lines]}
    taxes = [tax for _, tax in lines]
    if shipping is not None:
        taxes.append(amounts.read("shippingDetails.shippingTaxAmount", shipping.tax_amount))
        values["shipping_details"] = {
            "shipping_name": shipping.name,
            "shipping_amount": amounts.text("shippingDetails.shippingAmount", shipping.amount),
            "shipping_tax_amount": amounts.write(taxes[-1]),
            "shipping_tax_rate": shipping.tax_rate,
        }
    reductions = [
        {
            "discount_amount": amounts.text(f"discountDetails[{index}].discountAmount", discount.amount),
            "discount_type": discount.type,
            "discount_name": discount.name,
        }
        for index, discount in enumerate(discounts)
    ]
    values["discount_details"] = reductions or None
    given = [tax for tax in taxes if tax is not None]
    values["total_tax_amount"] = amounts.write(sum(given)) if given else None
    faults, cart = amounts.faults, None
    try:
        reading = Reading(is_from_python=True, is_answer=False, currency=known)
        cart = ShoppingCart.checked(values, reading)
    except InvalidMessage as error:
        # Of two faults in one field ours says more.
        faults = list({fault.path: fault for fault in (*error.errors, *faults)}.values())
    if cart is None or faults:
        raise InvalidMessage(fault.under("shoppingCartDetails") for fault in faults)
    return cart


def _line(item: Item, path: str, amounts: _Amounts) -> tuple[dict[str, object], int | None]:
    """Return the values of a line, and its tax in minor units."""
    unit = amounts.read(f"{path}.unitAmount", item.unit_amount)
    unit_tax = amounts.read(f"{path}.unitTaxAmount", item.unit_tax_amount)
    tax = amounts.read(f"{path}.totalTaxAmount", item.total_tax_amount)
    discount = amounts.read(f"{path}.discountAmount", item.discount_amount)
    discount_tax = amounts.read(f"{path}.discountTaxAmount", item.discount_tax_amount)
    # The message refuses an invalid quantity; it is counted as 0 here.
    is_number = type(item.quantity) is int and 0 < item.quantity <= MAX_QUANTITY
    quantity = item.quantity if is_number else 0
    total = (unit or 0) * quantity - (discount or 0)
    if tax is None and unit_tax is not None:
        tax = unit_tax * quantity - (discount_tax or 0)
    values: dict[str, object] = {
        "product_id": item.product_id,
        "product_name": item.product_name,
        "product_description": item.product_description,
        "product_type": item.product_type,
        "product_quantity": item.quantity,
        "unit_amount": amounts.write(unit),
        "unit_tax_amount": amounts.write(unit_tax),
        "tax_rate": item.tax_rate,
        "total_amount": amounts.write(total),
        "total_tax_amount": amounts.write(tax),
        "discount_amount": amounts.write(discount),
        "discount_name": item.discount_name,
        "discount_tax_amount": amounts.write(discount_tax),
    }
    # The message says so, too, but only of a line whose fields are right by themselves.
    faults = list(
        ItemDetail.missing_in(values, is_taxed=bool(item.tax_rate), is_discounted=bool(item.discount_amount))
    )
    if total < 0 and quantity:
        faults.append(FieldError("discountAmount", "exceeds unitAmount x productQuantity"))
    if tax is not None and tax < 0 and quantity:
        faults.append(FieldError("discountTaxAmount", "exceeds unitTaxAmount x productQuantity"))
    amounts.faults += (fault.under(path) for fault in faults)
    return values, tax


class _Amounts:
    """Reads a shop's amounts as minor units of one currency, writes them, and collects the faults."""

    def __init__(self, exponent: int) -> None:
        self._exponent, self.faults = exponent, list[FieldError]()

    def read(self, path: str, amount: Decimal | None) -> int | None:
        """Return an amount in minor units, 0 for an invalid one."""
        if amount is None:
            return None
        try:
            return units_of(amount, self._exponent)
        except InvalidAmount as error:
            self.faults.append(FieldError(path, str(error)))
            return 0

    def write(self, units: int | None) -> str | None:
        """Return the text of an amount; one below zero is a fault already, here or by the message's sums."""
        return None if units is None else format_units(max(units, 0), self._exponent)

    def text(self, path: str, amount: Decimal | None) -> str | None:
        """Return the text of an amount as it is given."""
        return self.write(self.read(path, amount))
