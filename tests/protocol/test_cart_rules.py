"""The conditions of a line as a truth table, and the arithmetic in every number of decimals."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import pytest

from tests.tables import every
from wallet_gateway.protocol.cart_messages import (
    ItemDetail,
    ShoppingCart,
    is_positive,
    missing_in_line,
    wrong_in_line,
)
from wallet_gateway.protocol.errors import FieldError

GIVEN = Decimal(1)

# unit tax, rate, taxed, total tax, discounted, name, discount tax: what is missing
CONDITIONS = [
    (None, None, False, False, False, None, None, set()),
    (GIVEN, GIVEN, True, True, False, None, None, set()),
    (GIVEN, GIVEN, True, True, True, "Sale", GIVEN, set()),
    (None, GIVEN, False, False, False, None, None, set()),
    (None, None, False, False, True, "Sale", None, set()),
    (GIVEN, GIVEN, False, False, True, "Sale", None, set()),
    (GIVEN, None, False, True, False, None, None, {"taxRate"}),
    (None, GIVEN, True, False, False, None, None, {"totalTaxAmount"}),
    (None, None, False, False, True, None, None, {"discountName"}),
    (None, None, False, False, True, "", None, {"discountName"}),
    (GIVEN, GIVEN, True, True, True, "Sale", None, {"discountTaxAmount"}),
    (None, GIVEN, True, False, True, None, None, {"totalTaxAmount", "discountName", "discountTaxAmount"}),
    (GIVEN, None, False, False, True, None, None, {"taxRate", "discountName"}),
]


@every(("unit_tax", "rate", "taxed", "has_tax", "discounted", "name", "discount_tax", "missing"), CONDITIONS)
def test_a_line_lacks_what_its_other_fields_demand(
    unit_tax: Decimal | None,
    rate: Decimal | None,
    taxed: bool,
    has_tax: bool,
    discounted: bool,
    name: str | None,
    discount_tax: Decimal | None,
    missing: set[str],
) -> None:
    line = SimpleNamespace(
        unit_tax_amount=unit_tax, tax_rate=rate, discount_name=name, discount_tax_amount=discount_tax
    )
    faults = missing_in_line(line, taxed=taxed, discounted=discounted, has_tax=has_tax)
    found = {fault.path: fault.message for fault in faults}
    assert set(found) == missing
    assert all(message.startswith("is missing; it is required where ") for message in found.values())


@every(
    ("text", "positive"),
    [
        (None, False),
        ("0", False),
        ("0.00", False),
        ("0.0000", False),
        ("0.01", True),
        ("10", True),
        ("100.00", True),
    ],
)
def test_an_amount_is_positive_if_any_digit_is(text: str | None, positive: bool) -> None:
    assert is_positive(text) is positive


def test_a_demand_names_its_condition() -> None:
    fault = FieldError("totalTaxAmount", "is missing; it is required where taxRate is above zero")
    assert ItemDetail.missing("totalTaxAmount") == fault


def line(unit: str, quantity: int, total: str, discount: str | None = None) -> ItemDetail:
    return ItemDetail(
        product_id="A",
        product_name="Thing",
        product_quantity=quantity,
        unit_amount=unit,
        total_amount=total,
        discount_amount=discount,
        discount_name="Sale",
    )


@every(
    ("unit", "quantity", "total", "discount"),
    [
        ("0.10", 3, "0.30", None),
        ("19.99", 9999, "199880.01", None),
        ("19.99", 3, "54.97", "5.00"),
        ("1000", 3, "3000", None),
        ("1.234", 2, "2.467", "0.001"),
        ("0.0001", 9999, "0.9999", None),
        ("999999999999.99", 1, "999999999999.99", None),
        ("5.00", 2, "0.00", "10.00"),
    ],
)
def test_a_line_is_unit_times_quantity_less_discount(
    unit: str, quantity: int, total: str, discount: str | None
) -> None:
    assert not list(wrong_in_line(line(unit, quantity, total, discount)))


@pytest.mark.parametrize(
    ("unit", "quantity", "total", "discount", "message"),
    [
        ("0.10", 3, "0.31", None, "is 0.31, but unitAmount x productQuantity - discountAmount is 0.30"),
        (
            "1.234",
            2,
            "2.468",
            "0.001",
            "is 2.4680, but unitAmount x productQuantity - discountAmount is 2.4670",
        ),
        ("1000", 3, "3001", None, "is 3001.00, but unitAmount x productQuantity - discountAmount is 3000.00"),
        ("5.00", 2, "0.00", "10.01", "exceeds unitAmount x productQuantity"),
    ],
)
def test_a_line_that_does_not_add_up_is_told_with_both_sums(
    unit: str, quantity: int, total: str, discount: str | None, message: str
) -> None:
    (fault,) = wrong_in_line(line(unit, quantity, total, discount))
    assert fault.message == message


def test_the_decimals_of_every_amount_are_seen() -> None:
    values = {
        "totalTaxAmount": "0.7",
        "itemDetails": [
            {
                "productId": "A",
                "productName": "Thing",
                "productQuantity": 1,
                "unitAmount": "1",
                "totalAmount": "1.00",
                "totalTaxAmount": "0.000",
            }
        ],
        "shippingDetails": {"shippingTaxAmount": "0.7000"},
    }
    assert ShoppingCart.from_wire(values).sums.decimals == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("rate", ["19", "7.7", "8.8750"])
def test_a_rate_is_no_amount(rate: str) -> None:
    taxed = line("1.00", 1, "1.00").to_wire() | {"taxRate": rate, "totalTaxAmount": "0.10"}
    values = {"itemDetails": [taxed], "totalTaxAmount": "0.10"}
    assert ShoppingCart.from_wire(values).sums.decimals == {2}
