"""The shopping cart: what a message carries, its arithmetic, and how it is made from a shop's items.

All sums of the interface are here and nowhere else. Tax amounts are summed and never computed from a rate: a rate
is what the shop tells its customer, an amount is what it booked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr, Strict, ValidationError, ValidationInfo, model_validator

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.complaints import complaints_of
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, InvalidMessage, join_path
from wallet_gateway.protocol.fields import Amount, OptionalText, Rate, Text, WireModel
from wallet_gateway.protocol.money import Money, format_units, units_of

_FINEST = (
    4  # decimals of the finest currency; sums are counted in it, so that a cart needs no currency to add up
)
_CART = "shoppingCartDetails"


class ItemDetail(WireModel):
    """One line of the cart. ``totalAmount`` is ``unitAmount`` x ``productQuantity`` - ``discountAmount``."""

    product_id: Text
    product_name: Text
    product_description: OptionalText | None = None
    product_type: Literal["physical", "digital", "giftcard", "surcharge"] | None = None
    product_quantity: Annotated[int, Strict(), Field(ge=1, le=9999)]
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
    discount_type: Literal["discount", "storecredit", "giftcard"] | None = None
    discount_name: OptionalText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sums:
    """What the one pass over a cart found: its total in ten-thousandths, and how many decimals its amounts have."""

    total: int
    decimals: frozenset[int]


class ShoppingCart(WireModel):
    """The lines, shipping and discounts of an order; it cannot be made with sums that do not add up."""

    total_tax_amount: Amount | None = None
    item_details: tuple[ItemDetail, ...] = ()
    shipping_details: ShippingDetail | None = None
    discount_details: tuple[DiscountDetail, ...] = ()

    _sums: _Sums = PrivateAttr()

    def is_written_for(self, exponent: int | None) -> bool:
        """Whether every amount has the decimals of a currency with ``exponent``."""
        return exponent is None or self._sums.decimals <= {exponent}

    @model_validator(mode="after")
    def _keeps_the_rules(self, info: ValidationInfo) -> Self:
        errors = list(_broken_conditions(self))
        if isinstance(info.context, _Sums):
            self._sums = info.context
        else:
            self._sums = _add_up(self, errors)
        if errors:
            raise InvalidMessage(errors)
        return self


def cart_total(cart: ShoppingCart, currency: str) -> Money:
    """What the order comes to: lines + shipping - order discounts; raises InvalidAmount or UnknownCode."""
    return Money.from_minor_units(
        units_of(format_units(cart._sums.total, _FINEST), currency_exponent(currency), extra_zeros=True),
        currency,
    )


def _broken_conditions(cart: ShoppingCart) -> Iterator[FieldError]:
    """The conditional fields of the tables, which need no sums."""
    taxed = False
    for index, line in enumerate(cart.item_details):
        if line.tax_rate or line.discount_amount or line.unit_tax_amount:
            taxed |= _is_positive(line.tax_rate)
            for name, reason in _missing_in_line(line):
                yield FieldError(f"itemDetails[{index}].{name}", f"is missing; it is required {reason}")
    shipping = cart.shipping_details
    if shipping:
        taxed |= _is_positive(shipping.shipping_tax_rate)
        if _is_positive(shipping.shipping_amount) and not shipping.shipping_name:
            yield _required("shippingDetails.shippingName", "where shippingAmount is above zero")
        if _is_positive(shipping.shipping_tax_rate) and shipping.shipping_tax_amount is None:
            yield _required("shippingDetails.shippingTaxAmount", "where shippingTaxRate is above zero")
    if taxed and cart.total_tax_amount is None:
        yield _required("totalTaxAmount", "where any taxRate or shippingTaxRate is above zero")
    for index, discount in enumerate(cart.discount_details):
        if discount.discount_amount is None:
            continue
        if not discount.discount_type:
            yield _required(f"discountDetails[{index}].discountType", "where discountAmount is given")
        if not discount.discount_name:
            yield _required(f"discountDetails[{index}].discountName", "where discountAmount is given")


def _missing_in_line(line: ItemDetail) -> Iterator[tuple[str, str]]:
    taxed, discounted = _is_positive(line.tax_rate), _is_positive(line.discount_amount)
    if line.unit_tax_amount is not None and line.tax_rate is None:
        yield "taxRate", "where unitTaxAmount is given"
    if taxed and line.total_tax_amount is None:
        yield "totalTaxAmount", "where taxRate is above zero"
    if discounted and not line.discount_name:
        yield "discountName", "where discountAmount is above zero"
    if taxed and discounted and line.discount_tax_amount is None:
        yield "discountTaxAmount", "where taxRate and discountAmount are above zero"


def _required(path: str, reason: str) -> FieldError:
    return FieldError(path, f"is missing; it is required {reason}")


def _is_positive(text: str | None) -> bool:
    return text is not None and text.strip("0.") != ""


def _add_up(cart: ShoppingCart, errors: list[FieldError]) -> _Sums:
    """Check every sum of a cart that came from elsewhere, and count its total."""
    decimals: set[int] = set()

    def count(text: str | None) -> int:
        if text is None:
            return 0
        whole, _, fraction = text.partition(".")
        decimals.add(len(fraction))
        return int(whole + fraction.ljust(_FINEST, "0"))

    total = tax = 0
    for index, line in enumerate(cart.item_details):
        expected = count(line.unit_amount) * line.product_quantity - count(line.discount_amount)
        stated = count(line.total_amount)
        if stated != expected:
            path = f"itemDetails[{index}].totalAmount"
            errors.append(_wrong_sum(path, stated, expected, "unitAmount x productQuantity - discountAmount"))
        total += stated
        tax += count(line.total_tax_amount)
        count(line.unit_tax_amount)
        count(line.discount_tax_amount)
    if cart.shipping_details:
        total += count(cart.shipping_details.shipping_amount)
        tax += count(cart.shipping_details.shipping_tax_amount)
    total -= sum(count(discount.discount_amount) for discount in cart.discount_details)
    if cart.total_tax_amount is not None and count(cart.total_tax_amount) != tax:
        stated = count(cart.total_tax_amount)
        errors.append(
            _wrong_sum("totalTaxAmount", stated, tax, "all totalTaxAmount of the lines + shippingTaxAmount")
        )
    if total < 0:
        errors.append(FieldError("discountDetails", "the discounts exceed the lines and shipping"))
    return _Sums(total=total, decimals=frozenset(decimals))


def _wrong_sum(path: str, stated: int, expected: int, formula: str) -> FieldError:
    if expected < 0:
        return FieldError(path, f"{formula} is below zero; the discount must not exceed the line")
    return FieldError(path, f"is {_plain(stated)}, but {formula} is {_plain(expected)}")


def _plain(scaled: int) -> str:
    """An amount of unknown currency for a message: two decimals, or more if it has them."""
    text = format_units(scaled, _FINEST)
    return text[:-2] if text.endswith("00") else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What a shop sells: one line. Amounts are Decimals in major units and include tax; no sums are needed.

    ``total_tax_amount`` defaults to ``unit_tax_amount`` x ``quantity`` - ``discount_tax_amount``; give it where your
    books round differently.
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
    """Make the cart of an order and do all its sums; raises InvalidMessage with every fault, or UnknownCode."""
    return _Builder(currency_exponent(currency)).build(tuple(items), shipping, tuple(discounts))


class _Builder:
    """Counts in minor units while it writes the lines, so that each amount is read once."""

    def __init__(self, exponent: int) -> None:
        self.exponent = exponent
        self.errors: list[FieldError] = []
        self.total = 0
        self.tax = 0
        self.has_tax = False

    def build(
        self, items: tuple[Item, ...], shipping: Shipping | None, discounts: tuple[Discount, ...]
    ) -> ShoppingCart:
        values: dict[str, object] = {
            "itemDetails": tuple(self._line(index, item) for index, item in enumerate(items)),
            "discountDetails": tuple(self._discount(index, each) for index, each in enumerate(discounts)),
        }
        if shipping is not None:
            values["shippingDetails"] = self._shipping(shipping)
        if self.has_tax:
            values["totalTaxAmount"] = self._write(self.tax)
        if self.total < 0:
            self.errors.append(FieldError("discountDetails", "the discounts exceed the lines and shipping"))
        sums = _Sums(
            total=self.total * 10 ** (_FINEST - self.exponent),
            decimals=frozenset({self.exponent} if items or shipping or discounts else ()),
        )
        return self._validated(values, sums)

    def _validated(self, values: dict[str, object], sums: _Sums) -> ShoppingCart:
        try:
            cart = ShoppingCart.__pydantic_validator__.validate_python(values, context=sums)
        except ValidationError as error:
            found = {fault.path: fault for fault in (*complaints_of(error), *self.errors)}
            raise InvalidMessage(fault.under(_CART) for fault in found.values()) from error
        if self.errors:
            raise InvalidMessage(fault.under(_CART) for fault in self.errors)
        return cart  # type: ignore[no-any-return]

    def _line(self, index: int, item: Item) -> dict[str, object]:
        path = f"itemDetails[{index}]"
        quantity = item.quantity if isinstance(item.quantity, int) else 0
        unit = self._read(path, "unitAmount", item.unit_amount)
        discount = self._read(path, "discountAmount", item.discount_amount)
        unit_tax = self._read(path, "unitTaxAmount", item.unit_tax_amount)
        discount_tax = self._read(path, "discountTaxAmount", item.discount_tax_amount)
        total = unit * quantity - discount
        if item.total_tax_amount is not None:
            total_tax = self._read(path, "totalTaxAmount", item.total_tax_amount)
        else:
            total_tax = unit_tax * quantity - discount_tax
        has_tax = item.total_tax_amount is not None or item.unit_tax_amount is not None
        if total < 0:
            self._complain(
                path, "discountAmount", "exceeds the line; at most unitAmount x productQuantity is possible"
            )
        if total_tax < 0:
            self._complain(path, "discountTaxAmount", "exceeds the tax of the line")
        self.total += total
        self.tax += total_tax
        self.has_tax |= has_tax
        return {
            "productId": item.product_id,
            "productName": item.product_name,
            "productDescription": item.product_description,
            "productType": item.product_type.lower()
            if isinstance(item.product_type, str)
            else item.product_type,
            "productQuantity": item.quantity,
            "unitAmount": self._write(unit),
            "unitTaxAmount": None if item.unit_tax_amount is None else self._write(unit_tax),
            "taxRate": _rate(item.tax_rate),
            "totalAmount": self._write(total),
            "totalTaxAmount": self._write(total_tax) if has_tax else None,
            "discountAmount": None if item.discount_amount is None else self._write(discount),
            "discountName": item.discount_name,
            "discountTaxAmount": None if item.discount_tax_amount is None else self._write(discount_tax),
        }

    def _shipping(self, shipping: Shipping) -> dict[str, object]:
        amount = self._read("shippingDetails", "shippingAmount", shipping.amount)
        tax = self._read("shippingDetails", "shippingTaxAmount", shipping.tax_amount)
        self.total += amount
        self.tax += tax
        self.has_tax |= shipping.tax_amount is not None
        return {
            "shippingName": shipping.name,
            "shippingAmount": self._write(amount),
            "shippingTaxAmount": None if shipping.tax_amount is None else self._write(tax),
            "shippingTaxRate": _rate(shipping.tax_rate),
        }

    def _discount(self, index: int, discount: Discount) -> dict[str, object]:
        amount = self._read(f"discountDetails[{index}]", "discountAmount", discount.amount)
        self.total -= amount
        return {
            "discountAmount": self._write(amount),
            "discountType": discount.type.lower() if isinstance(discount.type, str) else discount.type,
            "discountName": discount.name,
        }

    def _read(self, path: str, name: str, value: Decimal | None) -> int:
        if value is None:
            return 0
        try:
            return units_of(value, self.exponent)
        except InvalidAmount as error:
            self._complain(path, name, str(error))
            return 0

    def _write(self, units: int) -> str:
        return format_units(max(units, 0), self.exponent)

    def _complain(self, path: str, name: str, message: str) -> None:
        self.errors.append(FieldError(join_path(path, name), message))


def _rate(value: Decimal | None) -> str | None:
    if value is None:
        return None
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text and "E" not in text else text
