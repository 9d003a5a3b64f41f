"""The cart of a message: each condition of the tables kept and broken, each sum right and wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.samples import cart, changed, paths
from tests.tables import every
from wallet_gateway.protocol.cart_messages import ShoppingCart, Sums
from wallet_gateway.protocol.errors import InvalidMessage

LINE = {
    "productId": "A",
    "productName": "Thing",
    "productQuantity": 3,
    "unitAmount": "10.00",
    "totalAmount": "30.00",
}
TAXED = LINE | {"unitTaxAmount": "1.60", "taxRate": "19", "totalTaxAmount": "4.80"}


def one_line(line: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"itemDetails": [line]} | rest


def test_a_cart_knows_what_it_comes_to_in_ten_thousandths() -> None:
    assert ShoppingCart.from_wire(cart()).sums == Sums(total=667700, decimals=frozenset({2}))


def test_an_empty_cart_comes_to_nothing() -> None:
    assert ShoppingCart.from_wire({}).sums == Sums(total=0, decimals=frozenset())
    assert ShoppingCart.from_wire({}).to_wire() == {}


def reduced(line: dict[str, Any], total: str, by: str, **rest: str) -> dict[str, Any]:
    """A line with a discount that has a name."""
    return line | {"totalAmount": total, "discountAmount": by, "discountName": "Sale"} | rest


def off(amount: str, kind: str = "discount") -> list[dict[str, str]]:
    """One discount on the whole order."""
    return [{"discountAmount": amount, "discountType": kind, "discountName": "Card"}]


TAXED_SHIPPING = {"shippingTaxRate": "19", "shippingTaxAmount": "0.78"}

KEPT = {
    "a plain line": one_line(LINE),
    "a taxed line": one_line(TAXED, totalTaxAmount="4.80"),
    "a rate of zero and no tax": one_line(LINE | {"taxRate": "0"}),
    "a rate of zero with decimals": one_line(LINE | {"taxRate": "0.00"}),
    "a rate without tax per unit": one_line(
        LINE | {"taxRate": "19", "totalTaxAmount": "4.79"}, totalTaxAmount="4.79"
    ),
    "a discounted line": one_line(reduced(LINE, "25.00", "5.00")),
    "a discount of nothing needs no name": one_line(LINE | {"discountAmount": "0.00"}),
    "a discounted taxed line": one_line(
        reduced(TAXED, "25.00", "5.00", totalTaxAmount="4.00", discountTaxAmount="0.80"),
        totalTaxAmount="4.00",
    ),
    "a discount as large as the line": one_line(reduced(LINE, "0.00", "30.00")),
    "a free line": one_line(LINE | {"unitAmount": "0.00", "totalAmount": "0.00"}),
    "a total tax without rates": one_line(LINE, totalTaxAmount="0.00"),
    "free shipping needs no name": {"shippingDetails": {"shippingAmount": "0.00"}},
    "shipping with a name": {"shippingDetails": {"shippingName": "Parcel", "shippingAmount": "4.90"}},
    "shipping with a rate of zero": {"shippingDetails": {"shippingTaxRate": "0"}},
    "taxed shipping": {"totalTaxAmount": "0.78", "shippingDetails": TAXED_SHIPPING},
    "empty shipping": {"shippingDetails": {}},
    "an order discount": one_line(LINE, discountDetails=off("1.00", "giftcard")),
    "an order discount of nothing at all": {"discountDetails": [{}]},
    "discounts as large as the order": one_line(LINE, discountDetails=off("30.00")),
    "amounts of a currency without decimals": one_line(LINE | {"unitAmount": "10", "totalAmount": "30"}),
}


@every("values", KEPT.values(), ids=KEPT.keys())
def test_a_cart_that_keeps_the_conditions_is_taken(values: dict[str, Any]) -> None:
    assert ShoppingCart.from_wire(values).to_wire() == values


FORMULA = "unitAmount x productQuantity - discountAmount"

BROKEN = {
    "tax per unit without a rate": (
        one_line(LINE | {"unitTaxAmount": "1.60"}),
        {"itemDetails[0].taxRate": "required where unitTaxAmount is given"},
    ),
    "tax per unit of zero without a rate": (
        one_line(LINE | {"unitTaxAmount": "0.00"}),
        {"itemDetails[0].taxRate": "required where unitTaxAmount is given"},
    ),
    "a rate without tax": (
        one_line(LINE | {"taxRate": "0.1"}),
        {"itemDetails[0].totalTaxAmount": "required where taxRate is above zero"},
    ),
    "a rate without the tax of the order": (
        one_line(TAXED),
        {"totalTaxAmount": "required where any taxRate or shippingTaxRate is above zero"},
    ),
    "a shipping rate without the tax of the order": (
        {"shippingDetails": TAXED_SHIPPING},
        {"totalTaxAmount": "required where any taxRate or shippingTaxRate is above zero"},
    ),
    "a shipping rate without shipping tax": (
        {"shippingDetails": {"shippingTaxRate": "19"}, "totalTaxAmount": "0.00"},
        {"shippingDetails.shippingTaxAmount": "required where shippingTaxRate is above zero"},
    ),
    "shipping without a name": (
        {"shippingDetails": {"shippingAmount": "4.90"}},
        {"shippingDetails.shippingName": "required where shippingAmount is above zero"},
    ),
    "shipping with an empty name": (
        {"shippingDetails": {"shippingAmount": "4.90", "shippingName": ""}},
        {"shippingDetails.shippingName": "required where shippingAmount is above zero"},
    ),
    "a line discount without a name": (
        one_line(LINE | {"discountAmount": "5.00", "totalAmount": "25.00"}),
        {"itemDetails[0].discountName": "required where discountAmount is above zero"},
    ),
    "a line discount with an empty name": (
        one_line(LINE | {"discountAmount": "5.00", "totalAmount": "25.00", "discountName": ""}),
        {"itemDetails[0].discountName": "required where discountAmount is above zero"},
    ),
    "a discount on a taxed line without its tax": (
        one_line(
            TAXED | {"discountAmount": "5.00", "discountName": "Sale", "totalAmount": "25.00"},
            totalTaxAmount="4.80",
        ),
        {"itemDetails[0].discountTaxAmount": "required where taxRate and discountAmount are above zero"},
    ),
    "an order discount without a type": (
        one_line(LINE, discountDetails=[{"discountAmount": "1.00", "discountName": "X"}]),
        {"discountDetails[0].discountType": "required where discountAmount is given"},
    ),
    "an order discount without a name": (
        one_line(LINE, discountDetails=[{}, {"discountAmount": "0.00", "discountType": "discount"}]),
        {"discountDetails[1].discountName": "required where discountAmount is given"},
    ),
    "a wrong line": (
        one_line(LINE | {"totalAmount": "30.01"}),
        {"itemDetails[0].totalAmount": f"is 30.01, but {FORMULA} is 30.00"},
    ),
    "a line that forgets its discount": (
        one_line(LINE | {"discountAmount": "5.00", "discountName": "Sale"}),
        {"itemDetails[0].totalAmount": f"is 30.00, but {FORMULA} is 25.00"},
    ),
    "a discount larger than its line": (
        one_line(LINE | {"discountAmount": "30.01", "discountName": "Sale", "totalAmount": "0.00"}),
        {"itemDetails[0].discountAmount": "exceeds unitAmount x productQuantity"},
    ),
    "a wrong tax": (
        one_line(TAXED, totalTaxAmount="4.81"),
        {"totalTaxAmount": "is 4.81, but the lines' totalTaxAmount + shippingTaxAmount is 4.80"},
    ),
    "a tax that forgets shipping": (
        one_line(TAXED, totalTaxAmount="4.80", shippingDetails={"shippingTaxAmount": "0.78"}),
        {"totalTaxAmount": "is 4.80, but the lines' totalTaxAmount + shippingTaxAmount is 5.58"},
    ),
    "a wrong sum of fine amounts": (
        one_line(LINE | {"unitAmount": "0.0001", "totalAmount": "0.0004"}),
        {"itemDetails[0].totalAmount": f"is 0.0004, but {FORMULA} is 0.0003"},
    ),
    "discounts larger than the order": (
        one_line(
            LINE,
            discountDetails=[{"discountAmount": "30.01", "discountType": "discount", "discountName": "X"}],
        ),
        {"discountDetails": "exceed what the lines and shipping come to"},
    ),
}


@every(("values", "faults"), BROKEN.values(), ids=BROKEN.keys())
def test_a_cart_that_breaks_a_condition_is_told_which(values: dict[str, Any], faults: dict[str, str]) -> None:
    with pytest.raises(InvalidMessage) as caught:
        ShoppingCart.from_wire(values)
    assert paths(caught.value) == sorted(faults)
    for fault in caught.value.errors:
        assert faults[fault.path] in fault.message


@every(
    ("path", "given", "held"),
    [
        ("itemDetails[0].productType", "Physical", "physical"),
        ("itemDetails[0].productType", "DIGITAL", "digital"),
        ("itemDetails[0].productType", "giftCard", "giftcard"),
        ("itemDetails[0].productType", "surcharge", "surcharge"),
        ("discountDetails[0].discountType", "storeCredit", "storecredit"),
        ("discountDetails[0].discountType", "GiftCard", "giftcard"),
        ("discountDetails[0].discountType", "Discount", "discount"),
    ],
)
def test_an_enumeration_is_read_in_any_letter_case(path: str, given: str, held: str) -> None:
    assert ShoppingCart.from_wire(changed(cart(), path, given)).to_wire() == changed(cart(), path, held)


def test_the_sums_are_not_checked_where_an_amount_is_none() -> None:
    values = changed(changed(cart(), "itemDetails[0].unitAmount", "1,00"), "totalTaxAmount", "1.00")
    with pytest.raises(InvalidMessage) as caught:
        ShoppingCart.from_wire(values)
    assert paths(caught.value) == ["itemDetails[0].unitAmount"]


@pytest.mark.parametrize(
    ("unit", "total", "suits"),
    [
        ("10.00", "30.00", {"EUR"}),
        ("10", "30", {"JPY"}),
        ("10.000", "30.000", {"KWD"}),
        ("10.00", "30", set()),
    ],
)
def test_a_cart_knows_which_currencies_it_is_written_for(unit: str, total: str, suits: set[str]) -> None:
    values = one_line(LINE | {"unitAmount": unit, "totalAmount": total})
    found = ShoppingCart.from_wire(values)
    assert {code for code in ("EUR", "JPY", "KWD", "CLF") if found.is_written_for(code)} == suits
    assert found.is_written_for(None)


def test_a_cart_that_skipped_validation_has_no_sums() -> None:
    with pytest.raises(AttributeError, match="never summed"):
        _ = ShoppingCart.model_construct().sums


def test_a_line_that_cannot_be_read_does_not_hide_what_is_wrong_with_another() -> None:
    values = {
        "itemDetails": [LINE | {"unitAmount": "1,00"}, LINE | {"totalAmount": "30.01"}, "no line", LINE]
    }
    with pytest.raises(InvalidMessage) as caught:
        ShoppingCart.from_wire(values)
    assert paths(caught.value) == [
        "itemDetails[0].unitAmount",
        "itemDetails[1].totalAmount",
        "itemDetails[2]",
    ]


def test_a_wrong_part_does_not_hide_the_conditions_of_another() -> None:
    values = one_line(
        LINE | {"discountAmount": "0.00", "taxRate": "19"},
        shippingDetails={"shippingAmount": "4.90"},
        discountDetails=[{"discountAmount": "1,00"}, {"discountAmount": "1.00"}],
    )
    with pytest.raises(InvalidMessage) as caught:
        ShoppingCart.from_wire(values)
    assert paths(caught.value) == [
        "discountDetails[0].discountAmount",
        "discountDetails[1].discountName",
        "discountDetails[1].discountType",
        "itemDetails[0].totalTaxAmount",
        "shippingDetails.shippingName",
    ]
