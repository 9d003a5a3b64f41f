"""A shop's items become a cart: sums by hand, conditions, and every fault at once."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.protocol.samples import cart, paths
from tests.tables import every
from wallet_gateway.protocol.cart import (
    Discount,
    Shipping,
    build_cart,
    cart_total,
)
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.cart_messages import ShoppingCart
from wallet_gateway.protocol.errors import InvalidAmount, InvalidMessage, UnknownCode
from wallet_gateway.protocol.money import Money

SHIRT = Item(
    product_id="SHIRT-M",
    product_name="Shirt",
    product_description="A blue shirt",
    product_type="physical",
    quantity=2,
    unit_amount=Decimal("29.75"),
    unit_tax_amount=Decimal("4.75"),
    tax_rate=Decimal(19),
    discount_amount=Decimal("5.95"),
    discount_name="Second choice",
    discount_tax_amount=Decimal("0.95"),
)
VOUCHER = Item(product_id="VOUCHER", product_name="Voucher", product_type="giftcard", unit_amount=Decimal(20))
PARCEL = Shipping(name="Parcel", amount=Decimal("4.90"), tax_amount=Decimal("0.78"), tax_rate=Decimal(19))
DISCOUNTS = (
    Discount(name="Credit", amount=Decimal(10), type="storecredit"),
    Discount(name="Friends", amount=Decimal("1.68")),
)


def test_the_sums_are_those_of_pencil_and_paper() -> None:
    built = build_cart(currency="EUR", items=[SHIRT, VOUCHER], shipping=PARCEL, discounts=DISCOUNTS)
    assert built.to_wire() == cart()
    assert cart_total(built, "EUR") == Money(Decimal("66.77"), "EUR")


def test_a_built_cart_is_the_same_as_one_read() -> None:
    built = build_cart(currency="EUR", items=[SHIRT, VOUCHER], shipping=PARCEL, discounts=DISCOUNTS)
    read = ShoppingCart.from_wire(cart())
    assert built == read
    assert built.to_json() == read.to_json()
    assert built.sums == read.sums


@every(
    ("currency", "amount", "unit", "total"),
    [
        ("EUR", "10", "10.00", "30.00"),
        ("EUR", "0.05", "0.05", "0.15"),
        ("EUR", "0.5", "0.50", "1.50"),
        ("JPY", "1000", "1000", "3000"),
        ("JPY", "1000.00", "1000", "3000"),
        ("KWD", "1.5", "1.500", "4.500"),
        ("CLF", "0.0001", "0.0001", "0.0003"),
        ("eur", "1E+1", "10.00", "30.00"),
        ("EUR", "1234567.89", "1234567.89", "3703703.67"),
    ],
)
def test_amounts_are_written_with_the_currencys_decimals(
    currency: str, amount: str, unit: str, total: str
) -> None:
    item = Item(product_id="A", product_name="Thing", unit_amount=Decimal(amount), quantity=3)
    built = build_cart(currency=currency, items=[item])
    assert built.to_wire() == {
        "itemDetails": [
            {
                "productId": "A",
                "productName": "Thing",
                "productQuantity": 3,
                "unitAmount": unit,
                "totalAmount": total,
            }
        ]
    }
    assert cart_total(built, currency).to_wire() == total


def test_an_order_may_be_nothing_but_shipping() -> None:
    built = build_cart(currency="EUR", items=(), shipping=Shipping(name="Parcel", amount=Decimal("4.90")))
    assert cart_total(built, "EUR").to_wire() == "4.90"


def test_items_may_come_from_a_generator() -> None:
    def items() -> Iterator[Item]:
        yield VOUCHER
        yield VOUCHER

    assert cart_total(build_cart(currency="EUR", items=items()), "EUR").to_wire() == "40.00"


@every(
    ("given", "tax"),
    [
        (("1.60", "19", None), "4.80"),
        (("0", "0", None), "0.00"),
        (("1.60", "19", "4.79"), "4.79"),
        ((None, "19", "4.79"), "4.79"),
        ((None, None, "4.79"), "4.79"),
        ((None, "0", None), None),
    ],
    ids=str,
)
def test_the_tax_of_a_line_is_what_the_shop_says_or_else_tax_per_unit_times_quantity(
    given: tuple[str | None, ...], tax: str | None
) -> None:
    unit_tax, rate, stated = (None if text is None else Decimal(text) for text in given)
    line = item(quantity=3, unit_tax_amount=unit_tax, tax_rate=rate, total_tax_amount=stated)
    built = build_cart(currency="EUR", items=[line])
    assert built.item_details is not None
    assert built.item_details[0].total_tax_amount == tax
    assert built.total_tax_amount == tax


def test_the_tax_of_a_discount_is_taken_off() -> None:
    line = item(
        quantity=2,
        unit_tax_amount=Decimal("1.60"),
        tax_rate=Decimal(19),
        discount_amount=Decimal(5),
        discount_name="Sale",
        discount_tax_amount=Decimal("0.80"),
    )
    built = build_cart(currency="EUR", items=[line])
    assert built.total_tax_amount == "2.40"
    assert cart_total(built, "EUR").to_wire() == "15.00"


def item(**given: Any) -> Item:
    values: dict[str, Any] = {"product_id": "A", "product_name": "Thing", "unit_amount": Decimal(10)}
    return Item(**values | given)


BROKEN = {
    "an empty product id": ({"product_id": ""}, "productId", "is empty"),
    "a blank name": ({"product_name": "  "}, "productName", "is empty"),
    "a name that is no text": ({"product_name": 5}, "productName", "is no text"),
    "no name": ({"product_name": None}, "productName", "is missing"),
    "half a character": ({"product_name": "\ud800"}, "productName", "surrogate"),
    "half a character in a description": (
        {"product_description": "\udfff"},
        "productDescription",
        "surrogate",
    ),
    "a description that is no text": ({"product_description": 5}, "productDescription", "is no text"),
    "another product type": ({"product_type": "service"}, "productType", "'physical'"),
    "a product type that is no text": ({"product_type": 5}, "productType", "'physical'"),
    "a quantity of zero": ({"quantity": 0}, "productQuantity", "the least is 1"),
    "a negative quantity": ({"quantity": -2}, "productQuantity", "the least is 1"),
    "a large quantity": ({"quantity": 10000}, "productQuantity", "the most is 9999"),
    "a huge quantity": ({"quantity": 10**5000}, "productQuantity", "the most is 9999"),
    "a fractional quantity": ({"quantity": 1.5}, "productQuantity", "no whole number"),
    "a quantity of text": ({"quantity": "3"}, "productQuantity", "no whole number"),
    "a true quantity": ({"quantity": True}, "productQuantity", "no whole number"),
    "no unit amount": ({"unit_amount": None}, "unitAmount", "is missing"),
    "a float": ({"unit_amount": 10.0}, "unitAmount", "floating-point"),
    "a negative amount": ({"unit_amount": Decimal(-1)}, "unitAmount", "has a sign"),
    "too fine an amount": ({"unit_amount": Decimal("0.001")}, "unitAmount", "finer"),
    "no finite amount": ({"unit_amount": Decimal("NaN")}, "unitAmount", "no finite number"),
    "a huge amount": ({"unit_amount": Decimal("1E+1000000")}, "unitAmount", "too many digits"),
    "a huge total": (
        {"unit_amount": Decimal("999999999999.99"), "quantity": 2},
        "totalAmount",
        "too many digits",
    ),
    "a rate that is none": ({"tax_rate": Decimal(-1), "total_tax_amount": Decimal(1)}, "taxRate", "no rate"),
    "a rate in words": ({"tax_rate": "full", "total_tax_amount": Decimal(1)}, "taxRate", "no rate"),
    "tax per unit without a rate": (
        {"unit_tax_amount": Decimal(1)},
        "taxRate",
        "where unitTaxAmount is given",
    ),
    "a rate without tax": ({"tax_rate": Decimal(19)}, "totalTaxAmount", "where taxRate is above zero"),
    "a discount without a name": ({"discount_amount": Decimal(1)}, "discountName", "where discountAmount"),
    "a discount with an empty name": (
        {"discount_amount": Decimal(1), "discount_name": ""},
        "discountName",
        "where discountAmount is above zero",
    ),
    "a discount name that is no text": (
        {"discount_amount": Decimal(1), "discount_name": 7},
        "discountName",
        "is no text",
    ),
    "a discount without its tax": (
        {
            "discount_amount": Decimal(1),
            "discount_name": "Sale",
            "tax_rate": Decimal(19),
            "unit_tax_amount": Decimal("1.60"),
        },
        "discountTaxAmount",
        "where taxRate and discountAmount are above zero",
    ),
    "a discount larger than its line": (
        {"discount_amount": Decimal("10.01"), "discount_name": "Sale"},
        "discountAmount",
        "exceeds unitAmount x productQuantity",
    ),
    "a discount tax larger than the tax": (
        {
            "discount_amount": Decimal(1),
            "discount_name": "Sale",
            "tax_rate": Decimal(19),
            "unit_tax_amount": Decimal("1.60"),
            "discount_tax_amount": Decimal("1.61"),
        },
        "discountTaxAmount",
        "exceeds unitTaxAmount x productQuantity",
    ),
    "a negative discount": (
        {"discount_amount": Decimal(-1), "discount_name": "X"},
        "discountAmount",
        "has a sign",
    ),
}


@every(("given", "name", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_an_item_that_cannot_be_sold_is_told_by_its_path(
    given: dict[str, Any], name: str, words: str
) -> None:
    with pytest.raises(InvalidMessage, match=words) as caught:
        build_cart(currency="EUR", items=[VOUCHER, item(**given)])
    assert paths(caught.value) == [f"shoppingCartDetails.itemDetails[1].{name}"]


def test_the_tax_of_a_line_has_no_more_digits_than_an_amount() -> None:
    dear = item(quantity=2, unit_tax_amount=Decimal("999999999999.99"), tax_rate=Decimal(1))
    with pytest.raises(
        InvalidMessage, match=r"itemDetails\[0\]\.totalTaxAmount: the amount has too many digits"
    ):
        build_cart(currency="EUR", items=[dear])


@pytest.mark.parametrize(
    ("rate", "text"), [("19", "19"), ("19.00", "19.00"), ("2E+1", "20"), ("8.875", "8.875"), ("0", "0")]
)
def test_a_rate_is_written_as_it_is_given(rate: str, text: str) -> None:
    built = build_cart(currency="EUR", items=[item(tax_rate=Decimal(rate), total_tax_amount=Decimal(0))])
    assert built.item_details is not None
    assert built.item_details[0].tax_rate == text


@every(
    ("shipping", "name", "words"),
    [
        (Shipping(name="", amount=Decimal(5)), "shippingName", "where shippingAmount is above zero"),
        (Shipping(name=5, amount=Decimal(5)), "shippingName", "is no text"),  # type: ignore[arg-type]
        (Shipping(name="X", amount=Decimal(-5)), "shippingAmount", "has a sign"),
        (Shipping(name="X", amount=Decimal("0.001")), "shippingAmount", "finer"),
        (
            Shipping(name="X", amount=Decimal(5), tax_amount=Decimal("NaN")),
            "shippingTaxAmount",
            "no finite number",
        ),
        (
            Shipping(name="X", amount=Decimal(5), tax_rate=Decimal(19)),
            "shippingTaxAmount",
            "shippingTaxRate is above zero",
        ),
        (Shipping(name="X", amount=Decimal(5), tax_rate=Decimal(-1)), "shippingTaxRate", "is no rate"),
    ],
    ids=["no name", "number as name", "negative", "fine", "no number", "rate alone", "negative rate"],
)
def test_shipping_that_is_wrong_is_told_by_its_path(shipping: Shipping, name: str, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words) as caught:
        build_cart(currency="EUR", items=[VOUCHER], shipping=shipping)
    assert paths(caught.value) == [f"shoppingCartDetails.shippingDetails.{name}"]


@pytest.mark.parametrize(
    ("discount", "path", "words"),
    [
        (Discount(name="", amount=Decimal(5)), "[0].discountName", "where discountAmount is given"),
        (Discount(name="X", amount=Decimal(5), type="rebate"), "[0].discountType", "'storecredit'"),
        (Discount(name="X", amount=Decimal(5), type=5), "[0].discountType", "'storecredit'"),  # type: ignore[arg-type]
        (Discount(name="X", amount=Decimal(-5)), "[0].discountAmount", "has a sign"),
        (Discount(name="X", amount=Decimal("20.01")), "", "exceed what the lines and shipping come to"),
    ],
    ids=["no name", "another type", "number as type", "negative", "too large"],
)
def test_an_order_discount_that_is_wrong_is_told_by_its_path(
    discount: Discount, path: str, words: str
) -> None:
    with pytest.raises(InvalidMessage, match=words) as caught:
        build_cart(currency="EUR", items=[VOUCHER], discounts=[discount])
    assert paths(caught.value) == [f"shoppingCartDetails.discountDetails{path}"]


def test_every_fault_of_an_order_is_reported_at_once() -> None:
    with pytest.raises(InvalidMessage) as caught:
        build_cart(
            currency="EUR",
            items=[
                item(product_id="", unit_amount=Decimal("0.001"), unit_tax_amount=Decimal(-1)),
                item(quantity=0),
            ],
            shipping=Shipping(name="", amount=Decimal(5)),
            discounts=[Discount(name="X", amount=Decimal(1), type="rebate")],
        )
    cart_path = "shoppingCartDetails"
    assert paths(caught.value) == [
        f"{cart_path}.discountDetails[0].discountType",
        f"{cart_path}.itemDetails[0].productId",
        f"{cart_path}.itemDetails[0].taxRate",
        f"{cart_path}.itemDetails[0].unitAmount",
        f"{cart_path}.itemDetails[0].unitTaxAmount",
        f"{cart_path}.itemDetails[1].productQuantity",
        f"{cart_path}.shippingDetails.shippingName",
    ]


def test_a_currency_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownCode):
        build_cart(currency="XAU", items=[VOUCHER])


def test_a_cart_has_no_total_in_a_currency_it_is_too_fine_for() -> None:
    built = build_cart(currency="EUR", items=[item(unit_amount=Decimal("0.05"))])
    with pytest.raises(InvalidAmount, match="more decimals than 'JPY' has"):
        cart_total(built, "JPY")


def test_a_total_may_be_zero_until_it_is_to_be_paid() -> None:
    discount = Discount(name="Gift", amount=Decimal(20))
    assert (
        cart_total(build_cart(currency="EUR", items=[VOUCHER], discounts=[discount]), "EUR").minor_units == 0
    )
