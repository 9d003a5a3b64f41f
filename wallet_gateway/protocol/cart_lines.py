"""A shop's items, and the lines of a cart that are made of them: values checked, amounts written, sums done.

All of it is done by column. For the hundred lines of a large order, setting up the validation of each line
costs more than its rules do: a cart of 100 lines takes 2.4 times as long as ``json.dumps`` by column, and 9
times line by line (processor time). Everything that exists only for this speed is in this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from functools import cache
from typing import Any, cast

from pydantic import ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from wallet_gateway.protocol.cart_messages import (
    MAX_QUANTITY,
    PRODUCT_TYPES,
    ItemDetail,
    ProductType,
    Quantity,
    missing_in_line,
)
from wallet_gateway.protocol.errors import FieldError, InvalidAmount
from wallet_gateway.protocol.field_types import CanonicalRate, OptionalText, Text, spell
from wallet_gateway.protocol.money import MAX_DIGITS, MAX_UNITS, TOO_LONG, format_units, plain_text, units_of
from wallet_gateway.protocol.wire import MISSING, BuiltOnFirstUse, field_errors


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


EXACT = Context(prec=3 * MAX_DIGITS, traps=[Inexact, InvalidOperation])
"""The context of all sums, whatever the shop's own is: nothing is rounded."""


class _Details(BuiltOnFirstUse):
    """The fields of ItemDetail that are no amounts, with their rules: one list per field."""

    model_config = ConfigDict(alias_generator=to_camel)

    product_id: list[Text]
    product_name: list[Text]
    product_description: list[OptionalText | None]
    product_type: list[ProductType | None]
    product_quantity: list[Quantity]
    tax_rate: list[CanonicalRate | None]
    discount_name: list[OptionalText | None]


class LineWriter:
    """Makes the lines of one cart in a currency with ``exponent`` decimals."""

    def __init__(self, items: Sequence[Item], exponent: int) -> None:
        self.items = items
        self.exponent = exponent
        self.nothing = [None] * len(items)
        self.absent = Column(texts=self.nothing, amounts=[Decimal()] * len(items))
        self.unit = self._read([item.unit_amount for item in items])
        self.unit_tax = self._read([item.unit_tax_amount for item in items])
        self.stated_tax = self._read([item.total_tax_amount for item in items])
        self.discount = self._read([item.discount_amount for item in items])
        self.discount_tax = self._read([item.discount_tax_amount for item in items])
        # An invalid quantity is reported elsewhere; count it as 0 here.
        self.quantities = [
            item.quantity if type(item.quantity) is int and 0 < item.quantity <= MAX_QUANTITY else 0
            for item in items
        ]
        with localcontext(EXACT):
            self.totals = self._product(self.unit, self.discount)
            self.taxes = self._taxes()
            self.total = self._units(self.totals)
            """The sum of the lines, in minor units."""
            taxes = [tax for tax in self.taxes if tax is not None]
            self.tax = self._units(taxes) if taxes else None
            """The sum of their taxes, in minor units; None if no line has one."""

    def lines(self, faults: list[FieldError]) -> tuple[ItemDetail, ...]:
        """Return the lines; if one is wrong, add the faults and return none."""
        known = len(faults)
        faults += self._amount_faults()
        faults += self._missing_fields()
        try:
            details = _Details.__pydantic_validator__.validate_python(self._details())
        except ValidationError as error:
            faults += (_in_line(fault) for fault in field_errors(error))
        return _without_validation(self._rows(details)) if len(faults) == known else ()

    def _read(self, values: Sequence[Decimal | None]) -> Column:
        return self.absent if values == self.nothing else read_column(values, self.exponent)

    def _units(self, amounts: Iterable[Decimal]) -> int:
        return int(sum(amounts, Decimal()).scaleb(self.exponent))

    def _product(self, each: Column, less: Column) -> list[Decimal]:
        """Return one amount times the quantity, less another."""
        products = [amount * quantity for amount, quantity in zip(each.amounts, self.quantities, strict=True)]
        if less is self.absent:
            return products
        return [product - part for product, part in zip(products, less.amounts, strict=True)]

    def _taxes(self) -> Sequence[Decimal | None]:
        """Return the tax of each line: as the shop states it, or else computed from its tax per unit."""
        if self.unit_tax is self.stated_tax is self.absent:
            return self.nothing
        computed = self._product(self.unit_tax, self.discount_tax)
        if self.stated_tax is self.absent and None not in self.unit_tax.texts:
            return computed
        return [
            stated if text is not None else tax if unit_text is not None else None
            for text, stated, unit_text, tax in zip(
                self.stated_tax.texts, self.stated_tax.amounts, self.unit_tax.texts, computed, strict=True
            )
        ]

    def _details(self) -> dict[str, object]:
        items = self.items
        return {
            "productId": [item.product_id for item in items],
            "productName": [item.product_name for item in items],
            "productDescription": [item.product_description for item in items],
            "productType": [item.product_type and spell(item.product_type, PRODUCT_TYPES) for item in items],
            "productQuantity": [item.quantity for item in items],
            "taxRate": write_rates([item.tax_rate for item in items]),
            "discountName": [item.discount_name for item in items],
        }

    def _rows(self, details: _Details) -> list[dict[str, Any]]:
        """Return every line as the attributes of an ItemDetail; nothing is as fast as a literal."""
        columns = zip(
            details.product_id,
            details.product_name,
            details.product_description,
            details.product_type,
            details.product_quantity,
            self.unit.texts,
            self.unit_tax.texts,
            details.tax_rate,
            map(str, self.totals),
            self.nothing if self.taxes is self.nothing else write_column(self.taxes),
            self.discount.texts,
            details.discount_name,
            self.discount_tax.texts,
            strict=True,
        )
        return [
            {
                "product_id": product_id,
                "product_name": name,
                "product_description": description,
                "product_type": product_type,
                "product_quantity": quantity,
                "unit_amount": unit,
                "unit_tax_amount": unit_tax,
                "tax_rate": rate,
                "total_amount": total,
                "total_tax_amount": tax,
                "discount_amount": discount,
                "discount_name": discount_name,
                "discount_tax_amount": discount_tax,
            }
            for (
                product_id,
                name,
                description,
                product_type,
                quantity,
                unit,
                unit_tax,
                rate,
                total,
                tax,
                discount,
                discount_name,
                discount_tax,
            ) in columns
        ]

    def _amount_faults(self) -> Iterator[FieldError]:
        columns = {
            "unitAmount": self.unit,
            "unitTaxAmount": self.unit_tax,
            "totalTaxAmount": self.stated_tax,
            "discountAmount": self.discount,
            "discountTaxAmount": self.discount_tax,
        }
        for name, column in columns.items():
            for index, message in column.faults:
                yield _fault(index, name, message)
        if None in self.unit.texts:
            for index, text in enumerate(self.unit.texts):
                if text is None:
                    yield _fault(index, "unitAmount", MISSING)
        yield from self._out_of_range(self.totals, "totalAmount", "discountAmount", "unitAmount")
        if self.tax is not None:
            yield from self._out_of_range(self.taxes, "totalTaxAmount", "discountTaxAmount", "unitTaxAmount")

    def _out_of_range(
        self, amounts: Sequence[Decimal | None], name: str, less: str, unit: str
    ) -> Iterator[FieldError]:
        least, most = Decimal(), _max_amount(self.exponent)
        for index, amount in enumerate(amounts):
            if amount is not None and not least <= amount <= most:
                if amount > 0:
                    yield _fault(index, name, TOO_LONG)
                elif self.quantities[index]:
                    yield _fault(index, less, f"exceeds {unit} x productQuantity")

    def _missing_fields(self) -> Iterator[FieldError]:
        for index, (item, tax) in enumerate(zip(self.items, self.taxes, strict=True)):
            # The usual line has tax and rate together and no discount: it lacks nothing.
            if item.discount_amount is None and (tax is None) is (item.tax_rate is None):
                continue
            taxed, discounted = bool(item.tax_rate), bool(item.discount_amount)
            for fault in missing_in_line(item, taxed=taxed, discounted=discounted, has_tax=tax is not None):
                yield fault.under(f"itemDetails[{index}]")


def _fault(index: int, name: str, message: str) -> FieldError:
    return FieldError(f"itemDetails[{index}].{name}", message)


def _in_line(fault: FieldError) -> FieldError:
    """Turn the fault of a column, ``productName[3]``, into that of a line."""
    name, _, index = fault.path.partition("[")
    return FieldError(f"itemDetails[{index}.{name}", fault.message)


def _without_validation(rows: Iterable[dict[str, Any]]) -> tuple[ItemDetail, ...]:
    """Make lines of complete, checked values by attribute.

    This does what ``model_construct`` does, without looking for aliases and defaults in each line.
    """
    make, set_attribute, fields_set = ItemDetail.__new__, object.__setattr__, set(ItemDetail.wire_names)
    lines = []
    for values in rows:
        line = make(ItemDetail)
        set_attribute(line, "__dict__", values)
        set_attribute(line, "__pydantic_fields_set__", fields_set)
        set_attribute(line, "__pydantic_extra__", None)
        set_attribute(line, "__pydantic_private__", None)
        lines.append(line)
    return tuple(lines)


# Columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One amount of every line: its wire text, None if not given; the amount, 0 if not given; faults."""

    texts: Sequence[str | None]
    amounts: Sequence[Decimal]
    faults: Sequence[tuple[int, str]] = ()


def read_column(values: Sequence[Decimal | None], exponent: int) -> Column:
    """Read a column in a currency with ``exponent`` decimals; a fault is an index and a message.

    One pattern checks the whole column. A column that does not match is read value by value, which tells what
    is wrong where.
    """
    if set(map(type, values)) == {Decimal}:
        texts = list(map(str, values))
        if _canonical(exponent).fullmatch("\n".join(texts) + "\n"):
            return Column(texts=texts, amounts=cast("Sequence[Decimal]", values))
    return _read_each(values, exponent)


def write_column(amounts: Sequence[Decimal | None]) -> list[str | None]:
    """Write amounts as wire text; None stays None."""
    return [None if each is None else str(each) for each in amounts]


def write_rates(rates: Sequence[Decimal | None]) -> list[object]:
    """Write a column of rates as wire text; what is no rate stays, to be refused later."""
    if set(map(type, rates)) == {Decimal} and "E" not in "".join(texts := list(map(str, rates))):
        return [*texts]
    return [None if rate is None else plain_text(rate) for rate in rates]


def _read_each(values: Sequence[Decimal | None], exponent: int) -> Column:
    texts: list[str | None] = []
    amounts: list[Decimal] = []
    faults: list[tuple[int, str]] = []
    for index, value in enumerate(values):
        try:
            count = 0 if value is None else units_of(value, exponent)
        except InvalidAmount as error:
            faults.append((index, str(error)))
            count = 0
        text = format_units(count, exponent)
        texts.append(None if value is None else text)
        amounts.append(Decimal(text))
    return Column(texts=texts, amounts=amounts, faults=faults)


@cache
def _max_amount(exponent: int) -> Decimal:
    return Decimal(format_units(MAX_UNITS, exponent))


@cache
def _canonical(exponent: int) -> re.Pattern[str]:
    """Return the pattern of a column whose amounts are written as on the wire, one on each line."""
    # Text made of a Decimal has no leading zeros, and possessive repeats try nothing twice.
    fraction = r"\." + "[0-9]" * exponent if exponent else ""
    return re.compile(rf"(?:[0-9]{{1,{MAX_DIGITS - exponent}}}+{fraction}\n)*+")
