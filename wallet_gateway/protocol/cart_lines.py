"""Makes the lines of a cart of a shop's items: values checked, amounts written, sums done.

All of it is done by column. For the hundred lines of a large order, setting up the validation of each line
costs more than its rules do; the same rules over one list per field cost a fraction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from wallet_gateway.protocol.cart_details import (
    MAX_QUANTITY,
    ItemDetail,
    ProductType,
    Quantity,
)
from wallet_gateway.protocol.cart_rules import missing_in_line
from wallet_gateway.protocol.columns import Column, read_column, write_column, write_rates
from wallet_gateway.protocol.complaints import MISSING, complaints_of
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.fields import OptionalText, Rate, Text
from wallet_gateway.protocol.money import MOST_UNITS, TOO_LONG
from wallet_gateway.protocol.plans import choices
from wallet_gateway.protocol.strict_json import fold_name

if TYPE_CHECKING:
    from wallet_gateway.protocol.cart import Item

_PRODUCT_TYPES: Final = choices(get_args(ProductType))


class _Details(BaseModel):
    """All of ItemDetail that is no amount, with its rules: one list per field."""

    model_config = ConfigDict(alias_generator=to_camel)

    product_id: list[Text]
    product_name: list[Text]
    product_description: list[OptionalText | None]
    product_type: list[ProductType | None]
    product_quantity: list[Quantity]
    tax_rate: list[Rate | None]
    discount_name: list[OptionalText | None]


class LineWriter:
    """The lines of one cart while they are made, in a currency with ``exponent`` decimals."""

    def __init__(self, items: Sequence[Item], exponent: int) -> None:
        self.items = items
        self.exponent = exponent
        self.nothing = [None] * len(items)
        self.absent = Column(texts=self.nothing, units=[0] * len(items))
        self.unit = self._read([item.unit_amount for item in items])
        self.unit_tax = self._read([item.unit_tax_amount for item in items])
        self.stated_tax = self._read([item.total_tax_amount for item in items])
        self.discount = self._read([item.discount_amount for item in items])
        self.discount_tax = self._read([item.discount_tax_amount for item in items])
        # A quantity that is none is a fault of its own; here it must only do no harm.
        self.quantities = [
            item.quantity if type(item.quantity) is int and 0 < item.quantity <= MAX_QUANTITY else 0
            for item in items
        ]
        self.totals = self._product(self.unit, self.discount)
        self.taxes = self._taxes()

    @property
    def total(self) -> int:
        """What the lines come to, in minor units."""
        return sum(self.totals)

    @property
    def tax(self) -> int | None:
        """What their taxes come to, in minor units; None where no line says."""
        given = [tax for tax in self.taxes if tax is not None]
        return sum(given) if given else None

    def lines(self, faults: list[FieldError]) -> tuple[ItemDetail, ...]:
        """The lines; none of them, and the faults added, where something is wrong with one."""
        known = len(faults)
        faults += self._amount_faults()
        faults += self._missing_fields()
        try:
            details = _Details.__pydantic_validator__.validate_python(self._details())
        except ValidationError as error:
            faults += (_in_line(fault) for fault in complaints_of(error))
        return ItemDetail.of_checked(self._rows(details)) if len(faults) == known else ()

    def _read(self, values: Sequence[Decimal | None]) -> Column:
        return self.absent if values == self.nothing else read_column(values, self.exponent)

    def _product(self, each: Column, less: Column) -> list[int]:
        """One amount times the quantity, less another."""
        return [
            unit * quantity - part
            for unit, quantity, part in zip(each.units, self.quantities, less.units, strict=True)
        ]

    def _taxes(self) -> Sequence[int | None]:
        """The tax of each line: what the shop says, or else what its tax per unit comes to."""
        if self.unit_tax is self.stated_tax is self.absent:
            return self.nothing
        computed = self._product(self.unit_tax, self.discount_tax)
        return [
            stated if text is not None else tax if unit_text is not None else None
            for text, stated, unit_text, tax in zip(
                self.stated_tax.texts, self.stated_tax.units, self.unit_tax.texts, computed, strict=True
            )
        ]

    def _details(self) -> dict[str, object]:
        items = self.items
        return {
            "productId": [item.product_id for item in items],
            "productName": [item.product_name for item in items],
            "productDescription": [item.product_description for item in items],
            "productType": [item.product_type and _product_type(item.product_type) for item in items],
            "productQuantity": [item.quantity for item in items],
            "taxRate": write_rates([item.tax_rate for item in items]),
            "discountName": [item.discount_name for item in items],
        }

    def _rows(self, details: _Details) -> list[dict[str, Any]]:
        """Every line as the attributes of an ItemDetail. One literal, for nothing else is as fast."""
        columns = zip(
            details.product_id,
            details.product_name,
            details.product_description,
            details.product_type,
            details.product_quantity,
            self.unit.texts,
            self.unit_tax.texts,
            details.tax_rate,
            write_column(self.totals, self.exponent),
            self.nothing if self.taxes is self.nothing else write_column(self.taxes, self.exponent),
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
        if self.taxes is not self.nothing:
            yield from self._out_of_range(self.taxes, "totalTaxAmount", "discountTaxAmount", "unitTaxAmount")

    def _out_of_range(
        self, amounts: Sequence[int | None], name: str, less: str, unit: str
    ) -> Iterator[FieldError]:
        for index, amount in enumerate(amounts):
            if amount is not None and not 0 <= amount <= MOST_UNITS:
                if amount > 0:
                    yield _fault(index, name, TOO_LONG)
                elif self.quantities[index]:
                    yield _fault(index, less, f"exceeds {unit} x productQuantity")

    def _missing_fields(self) -> Iterator[FieldError]:
        for index, (item, tax) in enumerate(zip(self.items, self.taxes, strict=True)):
            # Tax and rate together, and no discount, is the usual line: it lacks nothing.
            if item.discount_amount is None and (tax is None) is (item.tax_rate is None):
                continue
            taxed, discounted = bool(item.tax_rate), bool(item.discount_amount)
            for name, reason in missing_in_line(
                item, taxed=taxed, discounted=discounted, has_tax=tax is not None
            ):
                yield _fault(index, name, reason)


def _product_type(value: object) -> object:
    """A product type in the table's spelling; what is none stays, for the rules to refuse."""
    return _PRODUCT_TYPES.get(fold_name(value), value) if isinstance(value, str) else value


def _fault(index: int, name: str, message: str) -> FieldError:
    return FieldError(f"itemDetails[{index}].{name}", message)


def _in_line(fault: FieldError) -> FieldError:
    """The fault of a column, ``productName[3]``, as that of a line."""
    name, _, index = fault.path.partition("[")
    return FieldError(f"itemDetails[{index}.{name}", fault.message)
