"""A shop's items, and the lines of a cart that are made of them: checked, written and summed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from wallet_gateway.protocol.cart_messages import MAX_QUANTITY, PRODUCT_TYPES, ItemDetail, missing_in_line
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, InvalidMessage
from wallet_gateway.protocol.field_types import spell
from wallet_gateway.protocol.money import MAX_UNITS, TOO_LONG, format_units, plain_text, units_of
from wallet_gateway.protocol.wire import MISSING


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
class Lines:
    """The lines of a cart and their sums in minor units."""

    details: tuple[ItemDetail, ...]
    total: int
    tax: int | None
    """None if no line has a tax."""


def make_lines(items: Sequence[Item], exponent: int, faults: list[FieldError]) -> Lines:
    """Return the lines of items in a currency with ``exponent`` decimals; add what is wrong to the faults."""
    made = [_Line(item, exponent) for item in items]
    for index, line in enumerate(made):
        faults += (fault.under(f"itemDetails[{index}]") for fault in line.faults)
    taxes = [line.tax for line in made if line.tax is not None]
    return Lines(
        details=tuple(line.detail for line in made if line.detail is not None),
        total=sum(line.total for line in made),
        tax=sum(taxes) if taxes else None,
    )


class _Line:
    """One line: its amounts in minor units, its message, and what is wrong with it."""

    def __init__(self, item: Item, exponent: int) -> None:
        self._exponent, self.faults = exponent, list[FieldError]()
        unit = self._read("unitAmount", item.unit_amount)
        unit_tax = self._read("unitTaxAmount", item.unit_tax_amount)
        stated_tax = self._read("totalTaxAmount", item.total_tax_amount)
        discount = self._read("discountAmount", item.discount_amount)
        discount_tax = self._read("discountTaxAmount", item.discount_tax_amount)
        if unit is None:
            self.faults.append(FieldError("unitAmount", MISSING))
        # An invalid quantity is a fault of its own; it is counted as 0 here.
        is_number = type(item.quantity) is int and 0 < item.quantity <= MAX_QUANTITY
        quantity = item.quantity if is_number else 0
        self.total = (unit or 0) * quantity - (discount or 0)
        self.tax = stated_tax
        if stated_tax is None and unit_tax is not None:
            self.tax = unit_tax * quantity - (discount_tax or 0)
        self._check_range(self.total, "totalAmount", "discountAmount", "unitAmount", quantity)
        self._check_range(self.tax or 0, "totalTaxAmount", "discountTaxAmount", "unitTaxAmount", quantity)
        self.faults += missing_in_line(
            item,
            taxed=bool(item.tax_rate),
            discounted=bool(item.discount_amount),
            has_tax=self.tax is not None,
        )
        self.detail = self._detail(
            {
                "productId": item.product_id,
                "productName": item.product_name,
                "productDescription": item.product_description,
                "productType": item.product_type and spell(item.product_type, PRODUCT_TYPES),
                "productQuantity": item.quantity,
                "unitAmount": self._write(unit or 0),
                "unitTaxAmount": self._write(unit_tax),
                "taxRate": None if item.tax_rate is None else plain_text(item.tax_rate),
                "totalAmount": self._write(self.total),
                "totalTaxAmount": self._write(self.tax),
                "discountAmount": self._write(discount),
                "discountName": item.discount_name,
                "discountTaxAmount": self._write(discount_tax),
            }
        )

    def _detail(self, values: dict[str, object]) -> ItemDetail | None:
        try:
            detail = ItemDetail.checked(values)
        except InvalidMessage as error:
            self.faults += error.errors
            return None
        return None if self.faults else detail

    def _read(self, name: str, amount: Decimal | None) -> int | None:
        if amount is None:
            return None
        try:
            return units_of(amount, self._exponent)
        except InvalidAmount as error:
            self.faults.append(FieldError(name, str(error)))
            return 0

    def _write(self, units: int | None) -> str | None:
        # What is out of range is a fault already.
        return None if units is None else format_units(min(max(units, 0), MAX_UNITS), self._exponent)

    def _check_range(self, units: int, name: str, less: str, unit: str, quantity: int) -> None:
        if units > MAX_UNITS:
            self.faults.append(FieldError(name, TOO_LONG))
        elif units < 0 and quantity:
            self.faults.append(FieldError(less, f"exceeds {unit} x productQuantity"))
