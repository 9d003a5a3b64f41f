"""Folding: names, numbers and words become canonical; nothing is judged but amounts and numbers for texts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.protocol.samples import cart, checkout, follow_up
from tests.tables import every
from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_details import DiscountDetail, ItemDetail, ShoppingCart
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest
from wallet_gateway.protocol.detached_refunds import DetachedRefundResponse
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.fields import WireModel
from wallet_gateway.protocol.folding import fold, fold_choice, gather
from wallet_gateway.protocol.follow_ups import FollowUpRequest
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.wallet_results import SheetChoices


def folded(model: type[WireModel], source: dict[str, Any]) -> tuple[dict[str, object], list[FieldError]]:
    errors: list[FieldError] = []
    return fold(model, source, errors), errors


def gathered(model: type[WireModel], **values: object) -> tuple[dict[str, object], list[FieldError]]:
    errors: list[FieldError] = []
    return gather(model, values, errors), errors


def test_canonical_values_are_left_as_they_are() -> None:
    values, errors = folded(CheckoutRequest, checkout())
    assert values["checkoutDetails"] == checkout()["checkoutDetails"]
    assert values["amount"] == "66.77"
    assert not errors


def test_names_become_canonical_at_every_depth() -> None:
    values, errors = folded(
        FollowUpRequest,
        {
            "APMDETAILS": {"APMPROVIDERNAME": "X"},
            "shoppingcarddetails": {"ITEMDETAILS": [{"PRODUCTID": "A"}]},
        },
    )
    assert values == {
        "apmDetails": {"apmProvider": "X"},
        "shoppingCartDetails": {"itemDetails": ({"productId": "A"},)},
    }
    assert not errors


def test_unknown_names_are_left_out() -> None:
    assert folded(CheckoutDetails, {"theme": "x", "skin_id": "y", "": 1}) == ({}, [])


def test_a_list_of_texts_stays_as_it_is_from_the_wire_and_from_python() -> None:
    assert folded(SheetChoices, {"OFFERS": ["A", "b"]}) == ({"offers": ("A", "b")}, [])
    for given in (["A", "b"], ("A", "b")):
        assert SheetChoices.build(offers=given).offers == ("A", "b")


@pytest.mark.parametrize("element", [{"code": "A"}, {1: 2}, ["A"], None, 7])
def test_in_a_list_of_texts_anything_else_is_refused_with_its_place(element: object) -> None:
    with pytest.raises(InvalidMessage) as built:
        SheetChoices.build(offers=["A", element])
    with pytest.raises(InvalidMessage) as read:
        SheetChoices.from_wire({"offers": ["A", element]})
    for failure in (built, read):
        assert [fault.path for fault in failure.value.errors] == ["offers[1]"]


@every(
    "name", ["s\u212ainId", "\u017fkinId", "sk\u0131nId", "skinId\u200b", "skinId ", "skinId\0"], ids=ascii
)
def test_a_name_that_only_resembles_one_is_unknown(name: str) -> None:
    assert folded(CheckoutDetails, {name: "x"}) == ({}, [])


def test_three_spellings_of_one_field_are_all_named() -> None:
    _, errors = folded(CheckoutDetails, {"skinId": "a", "SkinID": "b", "SKINID": "c"})
    assert {fault.path for fault in errors} == {"skinId"}
    assert "'skinId' and 'SkinID' and 'SKINID'" in errors[0].message


def test_a_fault_deep_inside_has_its_whole_path() -> None:
    source = {"shoppingCartDetails": {"itemDetails": [{}, {"productId": "a", "ProductId": "b"}]}}
    _, errors = folded(CheckoutRequest, source)
    assert [fault.path for fault in errors] == ["shoppingCartDetails.itemDetails[1].productId"]


@every(
    ("currency", "amount", "held"),
    [
        ("EUR", "10", "10.00"),
        ("EUR", NumberText("10.5"), "10.50"),
        ("eur", "10", "10.00"),
        ("JPY", NumberText("10"), "10"),
        ("KWD", "10", "10.000"),
        ("CLF", 10, "10.0000"),
        ("EUR", Decimal("10.5"), "10.50"),
        ("EUR", None, None),
    ],
)
def test_an_amount_gets_the_decimals_of_the_currency_wherever_that_stands(
    currency: str, amount: object, held: str | None
) -> None:
    for source in (
        {"CurrencyCode": currency, "amount": amount},
        {"amount": amount, "currencyCode": currency},
    ):
        values, errors = folded(FollowUpRequest, source)
        assert values["amount"] == held
        assert not errors


def test_the_currency_holds_for_the_cart_below() -> None:
    source = {
        "currencyCode": "KWD",
        "shoppingCartDetails": {"totalTaxAmount": "1", "itemDetails": [{"unitAmount": "2.5"}]},
    }
    values, errors = folded(FollowUpRequest, source)
    assert values["shoppingCartDetails"] == {
        "totalTaxAmount": "1.000",
        "itemDetails": ({"unitAmount": "2.500"},),
    }
    assert not errors


@pytest.mark.parametrize("currency", [None, "ZZZ", 5, [], "missing"], ids=repr)
def test_without_a_known_currency_text_stays_as_it_is(currency: object) -> None:
    source = {"amount": "10.000", "currencyCode": currency}
    if currency == "missing":
        del source["currencyCode"]
    values, errors = folded(FollowUpRequest, source)
    assert values["amount"] == "10.000"
    assert not errors


@every(
    ("amount", "held"),
    [
        (Decimal("10.50"), "10.50"),
        (Decimal("1E+1"), "10"),
        (10, "10"),
        (Money(Decimal(10), "KWD"), "10.000"),
        ("x", "x"),
        (None, None),
    ],
    ids=str,
)
def test_without_a_currency_numbers_are_written_out(amount: object, held: str | None) -> None:
    assert gathered(ItemDetail, unit_amount=amount) == ({"unitAmount": held}, [])


@every("amount", [1.5, True, [], Decimal(-1), Decimal("0.00001"), Decimal("NaN"), 10**20], ids=repr)
def test_what_is_no_amount_in_any_currency_is_told_without_one(amount: object) -> None:
    _, errors = gathered(ItemDetail, unit_amount=amount)
    assert [fault.path for fault in errors] == ["unitAmount"]


def test_zeros_beyond_the_decimals_are_taken_in_answers_only() -> None:
    answer, errors = folded(DetachedRefundResponse, {"currencyCode": "EUR", "amount": NumberText("5.0000")})
    assert answer["amount"] == "5.00"
    assert not errors
    _, errors = folded(FollowUpRequest, {"currencyCode": "EUR", "amount": NumberText("5.0000")})
    assert "finer" in errors[0].message


@pytest.mark.parametrize(("number", "held"), [("900", 900), ("-1", -1), ("0", 0)])
def test_a_count_is_read_from_a_json_number(number: str, held: int) -> None:
    values, errors = folded(CheckoutDetails, {"redirectUrlTimeout": NumberText(number)})
    assert values["redirectUrlTimeout"] == held
    assert type(values["redirectUrlTimeout"]) is int
    assert not errors


@pytest.mark.parametrize("number", ["1.0", "1e2", "9" * 11, "-0.5"])
def test_a_number_that_is_no_count_is_left_for_the_message_to_refuse(number: str) -> None:
    values, errors = folded(CheckoutDetails, {"redirectUrlTimeout": NumberText(number)})
    assert values["redirectUrlTimeout"] == number
    assert not errors


def test_a_number_for_a_text_is_a_fault_in_a_request_and_text_in_an_answer() -> None:
    _, errors = folded(CheckoutDetails, {"skinId": NumberText("5")})
    assert errors == [FieldError("skinId", "'5' is a number; send text, in quotes")]
    answer, errors = folded(DetachedRefundResponse, {"providerResponseCode": NumberText("00")})
    assert answer == {"providerResponseCode": "00"}
    assert type(answer["providerResponseCode"]) is str
    assert not errors


def test_a_rate_may_be_a_json_number() -> None:
    values, errors = folded(ItemDetail, {"taxRate": NumberText("7.7")})
    assert values["taxRate"] == "7.7"
    assert type(values["taxRate"]) is str
    assert not errors


@every("value", ["x", 5, None, True, [["a"]], {"a": 1}], ids=repr)
def test_what_is_no_object_or_list_is_left_for_the_message_to_refuse(value: object) -> None:
    values, errors = folded(CheckoutRequest, {"checkoutDetails": value if not isinstance(value, dict) else 1})
    assert not errors
    values, errors = folded(ShoppingCart, {"itemDetails": value})
    assert not errors
    assert "itemDetails" in values


def test_a_keyword_no_message_has_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="CheckoutDetails has no field 'skinId'"):
        gathered(CheckoutDetails, skinId="x")
    with pytest.raises(TypeError, match="CheckoutDetails has no field 'theme'"):
        gathered(CheckoutRequest, checkout_details={"theme": "x"})


def test_parts_may_be_messages_mappings_and_lists_of_either() -> None:
    line = {"product_id": "A", "unit_amount": Decimal(1)}
    values, errors = gathered(ShoppingCart, item_details=[line, "x"], shipping_details=None)
    assert values == {"itemDetails": ({"productId": "A", "unitAmount": "1"}, "x"), "shippingDetails": None}
    assert not errors


def test_a_cart_that_suits_the_currency_is_passed_as_it_is() -> None:
    built = build_cart(currency="EUR", items=[])
    values, _ = gathered(CheckoutRequest, currency_code="EUR", shopping_cart_details=built)
    assert values["shoppingCartDetails"] is built


def test_a_cart_read_without_a_currency_is_rewritten_for_it() -> None:
    read = ShoppingCart.from_wire(
        {
            "itemDetails": [
                {
                    "productId": "A",
                    "productName": "B",
                    "productQuantity": 1,
                    "unitAmount": "5",
                    "totalAmount": "5.0",
                }
            ]
        }
    )
    request = FollowUpRequest.from_wire(follow_up() | {"shoppingCartDetails": read.to_wire()})
    assert request.shopping_cart_details is not None
    assert request.shopping_cart_details.item_details is not None
    assert request.shopping_cart_details.item_details[0].total_amount == "5.00"
    values, errors = gathered(CheckoutRequest, currency_code="EUR", shopping_cart_details=read)
    assert values["shoppingCartDetails"]["itemDetails"][0]["unitAmount"] == "5.00"  # type: ignore[index]
    assert not errors


def test_a_cart_too_fine_for_the_currency_is_told_by_its_lines() -> None:
    euros = ShoppingCart.from_wire(cart())
    _, errors = gathered(CheckoutRequest, currency_code="JPY", shopping_cart_details=euros)
    assert "shoppingCartDetails.itemDetails[0].unitAmount" in {fault.path for fault in errors}
    assert all("finer" in fault.message for fault in errors)


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ("StoreCredit", "storecredit"),
        ("rebate", "rebate"),
        (5, 5),
        (None, None),
        ("\u017ftorecredit", "\u017ftorecredit"),
    ],
)
def test_a_word_is_given_in_the_tables_spelling_or_as_it_is(value: object, held: object) -> None:
    assert fold_choice(DiscountDetail, "discount_type", value) == held
