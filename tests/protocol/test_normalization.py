"""Normalization: names, numbers and enumerated values become canonical before the types check them."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field, Strict

from tests.protocol.samples import cart, checkout, follow_up
from tests.tables import every
from wallet_gateway.protocol.accounts import SheetChoices
from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_messages import DiscountDetail, ShoppingCart
from wallet_gateway.protocol.checkout import CheckoutRequest, OrderContent, PageDetails
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.field_types import FROM_JSON_NUMBER, Amount, OptionalText, Rate
from wallet_gateway.protocol.follow_ups import FollowUpRequest
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.wire import WireModel


class PricedPart(WireModel):
    unit_amount: Amount | None = None
    a_rate: Rate | None = None


class Priced(WireModel):
    """A request whose currency may be anything, so that only normalization judges the amounts."""

    currency_code: object = None
    amount: Amount | None = None
    a_text: OptionalText | None = None
    a_count: Annotated[int, Strict(), Field(ge=-5), FROM_JSON_NUMBER] | None = None
    part: PricedPart | None = None
    parts: tuple[PricedPart, ...] | None = None


class PricedAnswer(Priced):
    is_answer = True


def read(model: type[WireModel], source: dict[str, Any]) -> tuple[dict[str, Any], list[FieldError]]:
    """Read a wire object: the message's attributes that are given, or the faults."""
    try:
        return dict(model.from_wire(source).model_dump(by_alias=False, exclude_none=True)), []
    except InvalidMessage as error:
        return {}, list(error.errors)


def built(model: type[WireModel], **values: object) -> tuple[dict[str, Any], list[FieldError]]:
    """Build a message: the attributes that are given, or the faults."""
    try:
        return dict(model.build(**values).model_dump(by_alias=False, exclude_none=True)), []
    except InvalidMessage as error:
        return {}, list(error.errors)


def test_names_become_canonical_at_every_depth() -> None:
    line = {name.upper(): value for name, value in cart()["itemDetails"][0].items()}
    source = {name: value for name, value in follow_up().items() if name != "apmDetails"} | {
        "APMDETAILS": {"APMPROVIDERNAME": "X"},
        "shoppingcarddetails": {"ITEMDETAILS": [line], "TOTALTAXAMOUNT": line["TOTALTAXAMOUNT"]},
    }
    wire = FollowUpRequest.from_wire(source).to_wire()
    assert wire["apmDetails"] == {"apmProvider": "X"}
    assert wire["shoppingCartDetails"]["itemDetails"] == [cart()["itemDetails"][0]]


def test_a_list_of_texts_stays_as_it_is_from_the_wire_and_from_python() -> None:
    assert read(SheetChoices, {"OFFERS": ["A", "b"]}) == ({"offers": ("A", "b")}, [])
    for given in (["A", "b"], ("A", "b")):
        assert SheetChoices.build(offers=given).offers == ("A", "b")


@pytest.mark.parametrize("element", [{"code": "A"}, {1: 2}, ["A"], None, 7])
def test_in_a_list_of_texts_anything_else_is_refused_with_its_place(element: object) -> None:
    for _, errors in (
        built(SheetChoices, offers=["A", element]),
        read(SheetChoices, {"offers": ["A", element]}),
    ):
        assert [fault.path for fault in errors] == ["offers[1]"]


@every(
    "name", ["s\u212ainId", "\u017fkinId", "sk\u0131nId", "skinId\u200b", "skinId ", "skinId\0"], ids=ascii
)
def test_a_name_that_only_resembles_one_is_unknown(name: str) -> None:
    assert read(PageDetails, {name: "x"}) == ({}, [])


def test_a_fault_deep_inside_has_its_whole_path() -> None:
    source = checkout()
    lines = source["shoppingCartDetails"]["itemDetails"]
    lines[1]["ProductId"] = lines[1]["productId"]
    _, errors = read(CheckoutRequest, source)
    assert [fault.path for fault in errors] == ["shoppingCartDetails.itemDetails[1].productId"]


@every("value", ["x", {"unitAmount": "1"}, ["x"], None, NumberText("5")], ids=repr)
@every("field", ["amount", "aText", "aCount", "part", "parts"])
def test_a_repeated_field_of_any_type_is_refused_whatever_its_values(field: str, value: object) -> None:
    for model in (Priced, PricedAnswer):
        _, errors = read(model, {field: value, field.upper(): value})
        assert [fault.path for fault in errors] == [field]
        assert f"'{field}' and '{field.upper()}'; send {field} alone" in errors[0].message


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
        values, errors = read(Priced, source)
        assert values.get("amount") == held
        assert type(values.get("amount")) is type(held)
        assert not errors


def test_the_currency_holds_for_the_parts_below() -> None:
    source = {"currencyCode": "KWD", "part": {"unitAmount": "1"}, "parts": [{"unitAmount": "2.5"}]}
    values, errors = read(Priced, source)
    assert (values["part"], values["parts"]) == ({"unit_amount": "1.000"}, ({"unit_amount": "2.500"},))
    assert not errors


@pytest.mark.parametrize("currency", [None, "ZZZ", 5, [], "missing"], ids=repr)
def test_without_a_known_currency_text_stays_as_it_is(currency: object) -> None:
    source = {"amount": "10.000", "currencyCode": currency}
    if currency == "missing":
        del source["currencyCode"]
    values, errors = read(Priced, source)
    assert values["amount"] == "10.000"
    assert not errors


@every(
    ("amount", "held"),
    [
        (Decimal("10.50"), "10.50"),
        (Decimal("1E+1"), "10"),
        (10, "10"),
        (Money(Decimal(10), "KWD"), "10.000"),
        (None, None),
    ],
    ids=str,
)
def test_without_a_currency_numbers_are_written_out(amount: object, held: str | None) -> None:
    values, errors = built(PricedPart, unit_amount=amount)
    assert values.get("unit_amount") == held
    assert not errors


@every("amount", [1.5, True, [], Decimal(-1), Decimal("0.00001"), Decimal("NaN"), 10**20], ids=repr)
def test_what_is_no_amount_in_any_currency_is_told_without_one(amount: object) -> None:
    _, errors = built(PricedPart, unit_amount=amount)
    assert [fault.path for fault in errors] == ["unitAmount"]


def test_zeros_beyond_the_decimals_are_taken_in_answers_only() -> None:
    source = {"currencyCode": "EUR", "amount": NumberText("5.0000")}
    answer, errors = read(PricedAnswer, source)
    assert answer["amount"] == "5.00"
    assert not errors
    _, errors = read(Priced, source)
    assert "finer" in errors[0].message


@pytest.mark.parametrize(("number", "held"), [("900", 900), ("-1", -1), ("0", 0)])
def test_a_count_is_read_from_a_json_number(number: str, held: int) -> None:
    for model in (Priced, PricedAnswer):
        values, errors = read(model, {"aCount": NumberText(number)})
        assert values["a_count"] == held
        assert type(values["a_count"]) is int
        assert not errors


@pytest.mark.parametrize("number", ["1.0", "1e2", "9" * 11, "-0.5"])
def test_a_number_that_is_no_count_is_refused_by_its_type(number: str) -> None:
    for model in (Priced, PricedAnswer):
        _, errors = read(model, {"aCount": NumberText(number)})
        message = f"'{number}' is no whole number; give one, without quotes"
        assert errors == [FieldError("aCount", message)]


def test_a_number_for_a_text_is_a_fault_in_a_request_and_text_in_an_answer() -> None:
    _, errors = read(Priced, {"aText": NumberText("5")})
    assert errors == [FieldError("aText", "'5' is a number; send text, in quotes")]
    answer, errors = read(PricedAnswer, {"aText": NumberText("00")})
    assert answer == {"a_text": "00"}
    assert type(answer["a_text"]) is str
    assert not errors


def test_a_rate_may_be_a_json_number() -> None:
    for model in (Priced, PricedAnswer):
        values, errors = read(model, {"part": {"aRate": NumberText("7.7")}})
        assert values["part"]["a_rate"] == "7.7"
        assert type(values["part"]["a_rate"]) is str
        assert not errors


def test_parts_may_be_messages_mappings_and_lists_of_either() -> None:
    part = {"unit_amount": Decimal(1)}
    values, errors = built(Priced, parts=[part, PricedPart(unit_amount="2")], part=None)
    assert values == {"parts": ({"unit_amount": "1"}, {"unit_amount": "2"})}
    assert not errors


def test_a_cart_that_suits_the_currency_is_passed_as_it_is() -> None:
    made = build_cart(currency="EUR", items=[])
    values = {name: value for name, value in OrderContent.from_wire(checkout()) if value is not None}
    with pytest.raises(InvalidMessage, match=r"comes to 0\.00"):
        OrderContent.build(**values | {"shopping_cart_details": made})
    request = FollowUpRequest.from_wire(follow_up())
    assert request.model_copy(update={"shopping_cart_details": made}).shopping_cart_details is made


def test_a_cart_read_without_a_currency_is_rewritten_for_it() -> None:
    whole = ShoppingCart.from_wire(
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
    request = FollowUpRequest.from_wire(follow_up() | {"shoppingCartDetails": whole.to_wire()})
    rebuilt = request.model_copy(update={"shopping_cart_details": whole})
    reread = FollowUpRequest.from_wire(follow_up() | {"shoppingCartDetails": whole})
    for each in (request, rebuilt, reread):
        assert each.shopping_cart_details is not None
        assert each.shopping_cart_details.item_details is not None
        assert each.shopping_cart_details.item_details[0].unit_amount == "5.00"
        assert each.shopping_cart_details.item_details[0].total_amount == "5.00"


def test_a_cart_too_fine_for_the_currency_is_told_by_its_lines() -> None:
    euros = ShoppingCart.from_wire(cart())
    _, errors = built(OrderContent, currency_code="JPY", shopping_cart_details=euros)
    finer = [fault for fault in errors if fault.path.startswith("shoppingCartDetails.")]
    assert "shoppingCartDetails.itemDetails[0].unitAmount" in {fault.path for fault in finer}
    assert all("finer" in fault.message for fault in finer)


@pytest.mark.parametrize("value", ["StoreCredit", "storecredit", "STORECREDIT"])
def test_an_enumerated_value_is_held_in_the_tables_spelling(value: str) -> None:
    values = {"discount_amount": "1.00", "discount_type": value, "discount_name": "x"}
    assert DiscountDetail.build(**values).discount_type == "storecredit"


def test_the_constructor_normalizes_nothing() -> None:
    for values in ({"unit_amount": Decimal(1)}, {"unit_amount": 1}, {"a_rate": 19}):
        with pytest.raises(ValueError, match="string_type"):
            PricedPart.model_validate(values)
    with pytest.raises(ValueError, match="literal_error"):
        DiscountDetail.model_validate({"discount_type": "StoreCredit"})
