"""The cart: a shop's items become one, sums by hand, and each condition of the tables kept and broken."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.samples import cart, checkout, follow_up, paths
from tests.support.tables import every
from wallet_gateway.protocol.cart import (
    Discount,
    Item,
    Shipping,
    ShoppingCart,
    build_cart,
    cart_total,
)
from wallet_gateway.protocol.checkout import OrderContent
from wallet_gateway.protocol.errors import InvalidAmount, InvalidMessage, UnknownCode
from wallet_gateway.protocol.follow_ups import FollowUpRequest
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


def item(**given: Any) -> Item:
    values: dict[str, Any] = {"product_id": "A", "product_name": "Thing", "unit_amount": Decimal(10)}
    return Item(**values | given)


# Built of a shop's items


def test_the_sums_are_those_of_pencil_and_paper_and_a_built_cart_is_the_same_as_one_read() -> None:
    built = build_cart(currency="EUR", items=iter([SHIRT, VOUCHER]), shipping=PARCEL, discounts=DISCOUNTS)
    read = ShoppingCart.from_wire(cart())
    assert built.to_wire() == cart()
    assert cart_total(built, "EUR") == Money(Decimal("66.77"), "EUR")
    assert (built, built.to_json(), hash(built)) == (read, read.to_json(), hash(read))
    assert built.scaled_total == read.scaled_total == 667700


@every(
    ("currency", "amount", "unit", "total"),
    [
        ("EUR", "0.5", "0.50", "1.50"),
        ("JPY", "1000.00", "1000", "3000"),
        ("KWD", "1.5", "1.500", "4.500"),
        ("CLF", "0.0001", "0.0001", "0.0003"),
        ("eur", "1E+1", "10.00", "30.00"),
    ],
)
def test_amounts_are_written_with_the_currencys_decimals(
    currency: str, amount: str, unit: str, total: str
) -> None:
    built = build_cart(currency=currency, items=[item(unit_amount=Decimal(amount), quantity=3)])
    (line,) = built.to_wire()["itemDetails"]
    assert (line["unitAmount"], line["totalAmount"]) == (unit, total)
    assert cart_total(built, currency).to_wire() == total


def test_sums_are_exact_in_whatever_decimal_context_a_shop_computes() -> None:
    dear = item(unit_amount=Decimal("99999999.01"), quantity=9999)
    with localcontext(prec=3):
        assert cart_total(build_cart(currency="EUR", items=[dear]), "EUR").minor_units == 99_989_999_010_099


@every(
    ("given", "tax"),
    [
        (("1.60", "19", None), "4.80"),
        (("0", "0", None), "0.00"),
        (("1.60", "19", "4.79"), "4.79"),
        ((None, "19.00", "4.79"), "4.79"),
        ((None, None, "4.79"), "4.79"),
        ((None, "2E+1", "1"), "1.00"),
        ((None, "0", None), None),
    ],
)
def test_the_tax_of_a_line_is_what_the_shop_says_or_else_tax_per_unit_times_quantity(
    given: tuple[str | None, ...], tax: str | None
) -> None:
    unit_tax, rate, stated = (None if text is None else Decimal(text) for text in given)
    line = item(quantity=3, unit_tax_amount=unit_tax, tax_rate=rate, total_tax_amount=stated)
    built = build_cart(currency="EUR", items=[line])
    assert built.item_details is not None
    assert built.item_details[0].total_tax_amount == built.total_tax_amount == tax
    assert built.item_details[0].tax_rate == (None if rate is None else f"{rate:f}")


def test_an_order_may_be_nothing_but_shipping_and_come_to_nothing() -> None:
    only = build_cart(currency="EUR", items=(), shipping=Shipping(name="Parcel", amount=Decimal("4.90")))
    assert cart_total(only, "EUR").to_wire() == "4.90"
    gift = build_cart(currency="EUR", items=[VOUCHER], discounts=[Discount(name="Gift", amount=Decimal(20))])
    assert cart_total(gift, "EUR").minor_units == 0


FIVE, DEAR = Decimal(5), Decimal("999999999999.99")
RATED = {"tax_rate": Decimal(19), "unit_tax_amount": Decimal("1.60")}
REDUCED = {"discount_amount": Decimal(1), "discount_name": "Sale"}
WRONG_ITEMS: list[tuple[dict[str, Any], str, str]] = [
    ({"product_name": "\ud800"}, "productName", "surrogate"),
    ({"quantity": 10**5000}, "productQuantity", "the most is 9999"),
    ({"quantity": True}, "productQuantity", "no whole number"),
    ({"unit_amount": None}, "unitAmount", "is missing"),
    ({"unit_amount": DEAR, "quantity": 2}, "totalAmount", "too many digits"),
    ({"unit_tax_amount": DEAR, "tax_rate": FIVE, "quantity": 2}, "totalTaxAmount", "too many digits"),
    ({"tax_rate": "full", "total_tax_amount": FIVE}, "taxRate", "no rate"),
    ({"tax_rate": FIVE}, "totalTaxAmount", "where taxRate is above zero"),
    (REDUCED | RATED, "discountTaxAmount", "where taxRate and discountAmount are above zero"),
    (REDUCED | RATED | {"discount_tax_amount": FIVE}, "discountTaxAmount", "exceeds unitTaxAmount x"),
    (REDUCED | {"discount_amount": -FIVE}, "discountAmount", "is no amount"),
]


@every(("given", "name", "words"), WRONG_ITEMS)
def test_an_item_that_cannot_be_sold_is_told_by_its_path(
    given: dict[str, Any], name: str, words: str
) -> None:
    with pytest.raises(InvalidMessage, match=words) as caught:
        build_cart(currency="EUR", items=[VOUCHER, item(**given)])
    assert f"shoppingCartDetails.itemDetails[1].{name}" in paths(caught.value)


def test_every_fault_of_an_order_is_reported_at_once() -> None:
    shipping = Shipping(name="X", amount=Decimal("0.001"), tax_amount=-FIVE, tax_rate=-FIVE)
    with pytest.raises(InvalidMessage) as caught:
        build_cart(
            currency="EUR",
            items=[item(product_id="", unit_amount=Decimal("0.001"), tax_rate=FIVE), item(quantity=0)],
            shipping=shipping,
            discounts=[Discount(name="", amount=-FIVE, type="rebate")],
        )
    assert paths(caught.value) == [
        f"shoppingCartDetails.{path}"
        for path in (
            "discountDetails[0].discountAmount",
            "discountDetails[0].discountType",
            "itemDetails[0].productId",
            "itemDetails[0].totalTaxAmount",
            "itemDetails[0].unitAmount",
            "itemDetails[1].productQuantity",
            "shippingDetails.shippingAmount",
            "shippingDetails.shippingTaxAmount",
            "shippingDetails.shippingTaxRate",
        )
    ]


def test_a_cart_has_no_total_in_a_currency_that_is_none_or_that_it_is_too_fine_for() -> None:
    with pytest.raises(UnknownCode):
        build_cart(currency="XAU", items=[VOUCHER])
    with pytest.raises(InvalidAmount, match="more decimals than 'JPY' has"):
        cart_total(build_cart(currency="EUR", items=[item(unit_amount=Decimal("0.05"))]), "JPY")


AMOUNT = st.decimals(min_value=0, max_value=5000, places=2)


RATE = st.sampled_from([Decimal(0), Decimal("7.7"), Decimal(19), Decimal("8.875")])


WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(str.strip)


@st.composite
def items(draw: st.DrawFn) -> Item:
    """An item a shop could sell, with or without discount and tax in each way they may be given."""
    quantity = draw(st.integers(min_value=1, max_value=9999))
    unit = draw(AMOUNT)
    taxed, discounted = draw(st.booleans()), draw(st.booleans())
    stated = draw(st.booleans())
    return Item(
        product_id=draw(WORDS),
        product_name=draw(WORDS),
        product_description=draw(st.none() | st.text(st.characters(codec="utf-8"), max_size=5)),
        product_type=draw(st.none() | st.sampled_from(["physical", "Digital", "giftCard", "SURCHARGE"])),
        quantity=quantity,
        unit_amount=unit,
        unit_tax_amount=draw(st.decimals(min_value=0, max_value=unit, places=2)) if taxed else None,
        tax_rate=draw(RATE) if taxed else None,
        total_tax_amount=draw(AMOUNT) if taxed and stated else None,
        discount_amount=draw(st.decimals(min_value=0, max_value=unit, places=2)) if discounted else None,
        discount_name=draw(WORDS) if discounted else None,
        discount_tax_amount=Decimal(0) if taxed and discounted else None,
    )


@given(order=st.lists(items(), max_size=6))
def test_a_built_cart_passes_the_check_of_one_that_was_received(order: list[Item]) -> None:
    built = build_cart(currency="EUR", items=order)
    received = ShoppingCart.from_wire(built.to_wire())
    assert received.to_json() == built.to_json()
    assert received.scaled_total == built.scaled_total


ANYTHING = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text(max_size=3)
    | st.binary(max_size=3)
)


@given(values=st.fixed_dictionaries(dict.fromkeys(Item.__dataclass_fields__, ANYTHING)))
def test_any_item_is_a_right_line_or_an_invalid_message(values: dict[str, Any]) -> None:
    try:
        built = build_cart(currency="EUR", items=[VOUCHER, Item(**values)])
    except InvalidMessage:
        return
    assert ShoppingCart.from_wire(built.to_wire()).to_json() == built.to_json()


# Received


LINE = {
    "productId": "A",
    "productName": "Thing",
    "productQuantity": 3,
    "unitAmount": "10.00",
    "totalAmount": "30.00",
}
TAX = {"unitTaxAmount": "1.60", "taxRate": "19", "totalTaxAmount": "4.80"}
SALE = {"discountAmount": "5.00", "discountName": "Sale", "totalAmount": "25.00"}
PARCEL_TAX = {"shippingTaxRate": "19", "shippingTaxAmount": "0.78"}


def line(**changes: Any) -> dict[str, Any]:
    """A cart of one line."""
    return {"itemDetails": [LINE | changes]}


def off(*discounts: dict[str, str]) -> dict[str, Any]:
    """A cart of one line, and discounts on the whole order."""
    return line() | {"discountDetails": list(discounts)}


def card(amount: str) -> dict[str, str]:
    return {"discountAmount": amount, "discountType": "giftcard", "discountName": "Card"}


def parcel(**given: str) -> dict[str, Any]:
    return {"shippingDetails": given}


def test_an_empty_cart_comes_to_nothing() -> None:
    assert ShoppingCart.from_wire({}).scaled_total == 0
    assert ShoppingCart.from_wire({}).to_wire() == {}


KEPT: list[dict[str, Any]] = [
    line(**TAX) | {"totalTaxAmount": "4.80"},
    line(taxRate="0.00") | {"totalTaxAmount": "0.00"},
    line(taxRate="19", totalTaxAmount="4.79") | {"totalTaxAmount": "4.79"},
    line(**SALE | {"totalAmount": "0.00", "discountAmount": "30.00"}),
    line(discountAmount="0.00"),
    line(**TAX | SALE | {"totalTaxAmount": "4.00", "discountTaxAmount": "0.80"}) | {"totalTaxAmount": "4.00"},
    line(unitAmount="0.00", totalAmount="0.00"),
    line(unitAmount="10", totalAmount="30"),
    off(card("30.00")),
    parcel(shippingAmount="0.00"),
    parcel(shippingName="Parcel", shippingAmount="4.90", shippingTaxRate="0"),
    {"totalTaxAmount": "0.78"} | parcel(**PARCEL_TAX),
    {"shippingDetails": {}, "discountDetails": [{}]},
]


@every("values", KEPT)
def test_a_cart_that_keeps_the_conditions_is_taken(values: dict[str, Any]) -> None:
    assert ShoppingCart.from_wire(values).to_wire() == values


ITEM, DISCOUNT = "itemDetails[0]", "discountDetails"
LINE_TOTAL = "unitAmount x productQuantity - discountAmount"
TAX_TOTAL = "the lines' totalTaxAmount + shippingTaxAmount"
ANY_RATE = "any taxRate or shippingTaxRate is above zero"
BOTH = "taxRate and discountAmount are above zero"
REQUIRED: list[tuple[dict[str, Any], str, str]] = [
    (line(unitTaxAmount="0.00"), f"{ITEM}.taxRate", "unitTaxAmount is given"),
    (line(taxRate="0.1"), f"{ITEM}.totalTaxAmount", "taxRate is above zero"),
    (line(**TAX), "totalTaxAmount", ANY_RATE),
    (parcel(**PARCEL_TAX), "totalTaxAmount", ANY_RATE),
    (
        parcel(shippingTaxRate="19") | {"totalTaxAmount": "0.00"},
        "shippingDetails.shippingTaxAmount",
        "shippingTaxRate is above zero",
    ),
    (parcel(shippingAmount="4.90", shippingName=""), "shippingDetails.shippingName", "Amount is above zero"),
    (line(**SALE | {"discountName": ""}), f"{ITEM}.discountName", "discountAmount is above zero"),
    (line(**TAX | SALE) | {"totalTaxAmount": "4.80"}, f"{ITEM}.discountTaxAmount", BOTH),
    (off({"discountAmount": "1.00", "discountName": "X"}), f"{DISCOUNT}[0].discountType", "Amount is given"),
    (
        off({}, {"discountAmount": "0.00", "discountType": "discount"}),
        f"{DISCOUNT}[1].discountName",
        "discountAmount is given",
    ),
]
BROKEN: list[tuple[dict[str, Any], str, str]] = [
    *REQUIRED,
    (line(totalAmount="30.01"), f"{ITEM}.totalAmount", f"is 30.01, but {LINE_TOTAL} is 30.00"),
    (
        line(unitAmount="0.0001", totalAmount="0.0004"),
        f"{ITEM}.totalAmount",
        f"is 0.0004, but {LINE_TOTAL} is 0.0003",
    ),
    (line(**SALE | {"totalAmount": "30.00"}), f"{ITEM}.totalAmount", "is 25.00"),
    (
        line(**SALE | {"totalAmount": "0.00", "discountAmount": "30.01"}),
        f"{ITEM}.discountAmount",
        "exceeds unitAmount x",
    ),
    (
        line(**TAX) | parcel(shippingTaxAmount="0.78") | {"totalTaxAmount": "4.80"},
        "totalTaxAmount",
        f"is 4.80, but {TAX_TOTAL} is 5.58",
    ),
    (off(card("30.01")), DISCOUNT, "exceed what the lines and shipping"),
]


@every(("values", "path", "words"), BROKEN)
def test_a_cart_that_breaks_a_condition_is_told_which(values: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        ShoppingCart.from_wire(values)
    (fault,) = caught.value.errors
    assert fault.path == path
    assert words in fault.message
    assert ("required where" in fault.message) == ((values, path, words) in REQUIRED)


def test_what_cannot_be_read_hides_no_condition_of_another_part_and_is_not_summed_up() -> None:
    unreadable = LINE | {"unitAmount": "1,00"}
    values = {
        "itemDetails": [unreadable, LINE | {"totalAmount": "30.01"}, "no line", LINE | {"taxRate": "19"}],
        "totalTaxAmount": "1.00",
        "shippingDetails": {"shippingAmount": "4.90"},
        "discountDetails": [{"discountAmount": "1,00"}, {"discountAmount": "1.00"}],
    }
    with pytest.raises(InvalidMessage) as caught:
        ShoppingCart.from_wire(values)
    assert paths(caught.value) == [
        "discountDetails[0].discountAmount",
        "discountDetails[1].discountName",
        "discountDetails[1].discountType",
        "itemDetails[0].unitAmount",
        "itemDetails[1].totalAmount",
        "itemDetails[2]",
        "itemDetails[3].totalTaxAmount",
        "shippingDetails.shippingName",
    ]


# In a request


def test_a_cart_that_suits_the_currency_is_passed_as_it_is() -> None:
    made = build_cart(currency="EUR", items=[])
    values = {name: value for name, value in OrderContent.from_wire(checkout()) if value is not None}
    with pytest.raises(InvalidMessage, match=r"comes to 0\.00"):
        OrderContent.build(**values | {"shopping_cart_details": made})
    request = FollowUpRequest.from_wire(follow_up())
    assert request.model_copy(update={"shopping_cart_details": made}).shopping_cart_details == made


def test_a_cart_read_without_a_currency_is_rewritten_for_it_or_told_by_its_lines() -> None:
    whole = ShoppingCart.from_wire(line(unitAmount="10", totalAmount="30.0"))
    request = FollowUpRequest.from_wire(follow_up() | {"shoppingCartDetails": whole.to_wire()})
    rebuilt = request.model_copy(update={"shopping_cart_details": whole})
    reread = FollowUpRequest.from_wire(follow_up() | {"shoppingCartDetails": whole})
    for each in (request, rebuilt, reread):
        assert each.to_wire()["shoppingCartDetails"] == line()
    with pytest.raises(InvalidMessage, match=r"shoppingCartDetails.itemDetails\[0\].unitAmount: .* finer"):
        request.model_copy(
            update={
                "currency_code": "JPY",
                "amount": 1,
                "shopping_cart_details": ShoppingCart.from_wire(cart()),
            }
        )
