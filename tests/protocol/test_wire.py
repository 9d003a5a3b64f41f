"""The base of every message: names, numbers and amounts become canonical before the types check them."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

import pytest
from pydantic import Field, Strict, ValidationError
from pydantic_core import SchemaError

from tests.protocol import samples
from tests.protocol.samples import changed, checkout
from tests.tables import every
from wallet_gateway.protocol.accounts import SheetChoices
from wallet_gateway.protocol.checkout import CheckoutRequest, PageDetails
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.field_types import (
    ANY_CASE,
    FROM_JSON_NUMBER,
    Amount,
    OptionalText,
    OwnReference,
    Rate,
    Text,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.wire import BuiltOnFirstUse, WireModel, field_errors

if TYPE_CHECKING:
    from collections.abc import Callable


class Colour(StrEnum):
    RED = "Red"
    GREEN = "green"


class PricedPart(WireModel):
    unit_amount: Amount | None = None
    a_rate: Rate | None = None


class Priced(WireModel):
    """A request whose currency may be anything, so that only normalization judges the amounts."""

    currency_code: object = None
    amount: Amount | None = None
    a_text: OptionalText | None = None
    a_count: Annotated[int, Strict(), Field(ge=-5), FROM_JSON_NUMBER] | None = None
    a_colour: Annotated[Colour, ANY_CASE] | None = None
    a_size: Annotated[Literal["Small", "large"], ANY_CASE] | None = None
    own_reference: OwnReference | None = None
    odd_name: OptionalText | None = Field(default=None, alias="oddNAME")
    part: PricedPart | None = None
    parts: tuple[PricedPart, ...] | None = None

    alternative_names = {"caption": "aText"}


class PricedAnswer(Priced):
    is_answer = True


def fault_of(read: Callable[..., object], *given: object, **values: object) -> FieldError:
    """Return the only fault of a message."""
    with pytest.raises(InvalidMessage) as caught:
        read(*given, **values)
    (fault,) = caught.value.errors
    return fault


# Names


@every("name", ["aText", "atext", "ATEXT", "Caption", "caption"])
def test_a_field_is_found_by_its_canonical_its_folded_and_its_other_name(name: str) -> None:
    assert Priced.from_wire({name: "x", "ODDname": "y"}).to_wire() == {"aText": "x", "oddNAME": "y"}


@every(
    "name", ["s\u212ainId", "\u017fkinId", "sk\u0131nId", "skinId\u200b", "skinId ", "skinId\0", "skin_id"]
)
def test_a_name_that_only_resembles_one_is_unknown(name: str) -> None:
    assert PageDetails.from_wire({name: "x"}).to_wire() == {}


@every("value", ["x", {"unitAmount": "1"}, ["x"], None, NumberText("5")])
@every("field", ["amount", "aText", "aCount", "part", "parts"])
def test_a_repeated_field_of_any_type_is_refused_whatever_its_values(field: str, value: object) -> None:
    for model in (Priced, PricedAnswer):
        fault = fault_of(model.from_wire, {field: value, field.upper(): value})
        assert fault.path == field
        assert f"'{field}' and '{field.upper()}'; send {field} alone" in fault.message


def test_a_fault_deep_inside_has_its_whole_path() -> None:
    source = checkout()
    lines = source["shoppingCartDetails"]["itemDetails"]
    lines[1]["ProductId"] = lines[1]["productId"]
    fault = fault_of(CheckoutRequest.from_wire, source)
    assert fault.path == "shoppingCartDetails.itemDetails[1].productId"


# Values

NO_CURRENCY: tuple[object, ...] = (None, "ZZZ", 5, [])
NO_AMOUNT: tuple[object, ...] = (1.5, True, [], Decimal(-1), Decimal("NaN"), 10**20)


@every(
    ("currency", "amount", "held"),
    [
        ("EUR", "10", "10.00"),
        ("eur", NumberText("10.5"), "10.50"),
        ("JPY", NumberText("10"), "10"),
        ("KWD", "10", "10.000"),
        ("CLF", 10, "10.0000"),
        ("EUR", Decimal("10.5"), "10.50"),
        *((unknown, "10.000", "10.000") for unknown in NO_CURRENCY),
    ],
)
def test_an_amount_gets_the_decimals_of_the_currency_wherever_that_stands(
    currency: object, amount: object, held: str
) -> None:
    part = {"unitAmount": amount}
    above = {"CurrencyCode": currency, "amount": amount, "part": part, "parts": [part]}
    for source in (above, {"amount": amount, "currencyCode": currency}):
        read = Priced.from_wire(source)
        assert (read.amount, type(read.amount)) == (held, str)
        assert read.part is None or read.part.unit_amount == held
        assert read.parts is None or read.parts[0].unit_amount == held


@every(
    ("field", "value", "held"),
    [
        ("aCount", NumberText("-1"), -1),
        ("aCount", NumberText("900"), 900),
        ("part", {"aRate": NumberText("7.7")}, {"a_rate": "7.7"}),
        ("aColour", "RED", Colour.RED),
        ("aSize", "SMALL", "Small"),
        ("ownReference", "any thing", "any thing"),
    ],
)
def test_each_type_takes_what_the_other_party_may_send(field: str, value: object, held: object) -> None:
    for model in (Priced, PricedAnswer):
        (read,) = model.from_wire({field: value}).model_dump(by_alias=False, exclude_none=True).values()
        assert (read, type(read)) == (held, type(held))


@every(
    ("attribute", "value", "held"),
    [
        ("own_reference", "A-1_b", "A-1_b"),
        ("amount", Decimal("1E+1"), "10"),
        ("amount", Money(Decimal(10), "KWD"), "10.000"),
        ("part", {"a_rate": Decimal("1E+1"), "unit_amount": 19}, {"a_rate": "10", "unit_amount": "19"}),
        ("a_count", 3, 3),
        ("a_colour", Colour.RED, Colour.RED),
        ("a_colour", "red", Colour.RED),
        ("a_size", "LARGE", "large"),
        (
            "parts",
            [{"unit_amount": 1}, PricedPart(unit_amount="2")],
            ({"unit_amount": "1"}, {"unit_amount": "2"}),
        ),
    ],
)
def test_each_type_takes_what_python_code_passes(attribute: str, value: object, held: object) -> None:
    built = Priced.build(**{attribute: value})
    assert built.model_dump(by_alias=False, exclude_none=True) == {attribute: held}


@every(
    ("read", "given", "path", "words"),
    [
        (Priced.from_wire, {"aText": NumberText("5")}, "aText", "'5' is a number; send text, in quotes"),
        *(
            (Priced.from_wire, {"aCount": NumberText(number)}, "aCount", f"'{number}' is no whole number")
            for number in ("1.0", "1e2", "9" * 11, "-0.5")
        ),
        (PricedAnswer.from_wire, {"aCount": NumberText("1.0")}, "aCount", "'1.0' is no whole number"),
        (Priced.from_wire, {"currencyCode": "EUR", "amount": NumberText("5.0000")}, "amount", "finer"),
        (SheetChoices.from_wire, {"offers": ["A", ["B"]]}, "offers[1]", "no text"),
        (SheetChoices.from_wire, {"offers": ["A", None]}, "offers[1]", "is missing"),
    ],
)
def test_what_the_other_party_may_not_send_is_told_by_its_path(
    read: Callable[..., object], given: dict[str, object], path: str, words: str
) -> None:
    fault = fault_of(read, given)
    assert fault.path == path
    assert words in fault.message


@every(
    ("attribute", "value", "path"),
    [
        *(("amount", value, "amount") for value in NO_AMOUNT),
        ("amount", Decimal("0.00001"), "amount"),
        ("a_count", NumberText("3"), "aCount"),
        *(("own_reference", text, "ownReference") for text in ("a b", "", "x" * 65, "\u00e4", "a/b", "a\n")),
        ("parts", [{"unit_amount": "1,0"}], "parts[0].unitAmount"),
    ],
)
def test_what_python_code_may_not_pass_is_told_by_its_path(attribute: str, value: object, path: str) -> None:
    assert fault_of(Priced.build, **{attribute: value}).path == path


def test_zeros_beyond_the_decimals_and_numbers_for_a_text_are_taken_in_answers() -> None:
    answer = PricedAnswer.from_wire(
        {"currencyCode": "EUR", "amount": NumberText("5.0000"), "aText": NumberText("00")}
    )
    assert (answer.amount, answer.a_text, type(answer.a_text)) == ("5.00", "00", str)


def test_the_constructor_normalizes_nothing_and_raises_pydantics_own_error() -> None:
    assert PricedPart(unit_amount="1.00") == PricedPart.build(unit_amount="1.00")
    for values in ({"unit_amount": Decimal(1)}, {"unit_amount": 1}, {"a_rate": 19}):
        with pytest.raises(ValidationError, match="string_type"):
            PricedPart.model_validate(values)
    with pytest.raises(ValidationError, match="literal_error"):
        Priced.model_validate({"a_size": "LARGE"})


def test_a_copy_with_changes_is_checked() -> None:
    original = Priced(a_text="x", part=PricedPart(unit_amount="1.00"))
    assert original.model_copy(update={"a_text": "y"}).a_text == "y"
    copied, deep = original.model_copy(), original.model_copy(deep=True)
    assert copied == deep == original
    assert copied.part is original.part
    assert deep.part is not original.part
    assert fault_of(original.model_copy, update={"a_text": 5}).path == "aText"
    with pytest.raises(TypeError, match="third"):
        original.model_copy(update={"third": "z"})


# The sentences


def complaints(path: str, value: object) -> list[FieldError]:
    """Return what is said when pydantic alone sees the value: nothing is folded before."""
    try:
        CheckoutRequest.model_validate(changed(checkout(), path, value))
    except ValidationError as error:
        return list(field_errors(error))
    return []


TIMEOUT, TYPE = "checkoutDetails.redirectUrlTimeout", "shoppingCartDetails.itemDetails[0].productType"
SENTENCES: list[tuple[str, object, str]] = [
    ("merchantId", None, "is missing; it is mandatory"),
    ("merchantId", 5, "5 is no text; give text"),
    ("merchantId", [1], "a value of type list is no text; give text"),
    ("merchantId", " ", "is empty; give a text"),
    ("merchantId", "x" * 256, "is too long; at most 255 characters are allowed"),
    ("checkoutDetails.skinId", "\ud800", "holds half of a surrogate pair, which is no character"),
    (
        "checkoutDetails.cardholderMobilePhone",
        "1",
        "'1' is no mobile number; give calling code, hyphen and number, such as 49-15112345678",
    ),
    (TIMEOUT, "9", "'9' is no whole number; give one, without quotes"),
    (TIMEOUT, 9.0, "9.0 is no whole number; give one, without quotes"),
    (TIMEOUT, -1, "-1 is too small; the least is 0"),
    (TIMEOUT, 901, "901 is too large; the most is 900"),
    ("type", "x", "'x' is not known; give 'ecom.sale' or 'ecom.preAuthorization'"),
    (TYPE, "x", "'x' is not known; give 'physical', 'digital', 'giftcard' or 'surcharge'"),
    ("redirectDetails", "x", "'x' is no object; give one"),
    ("shoppingCartDetails.discountDetails", "x", "'x' is no list; give one"),
    ("currencyCode", "x", "'x' is no currency; give a three-letter ISO 4217 code such as EUR"),
    (
        "shoppingCartDetails.totalTaxAmount",
        "1,00",
        "'1,00' contains a comma; the decimal separator is a period, as in 1234.50",
    ),
    (
        "shoppingCartDetails.shippingDetails.shippingTaxRate",
        "19%",
        "'19%' is no rate; give a percentage with up to 4 decimals, such as 19 or 7.7",
    ),
    (
        "redirectDetails.errorUrl",
        "/x",
        "'/x' is no absolute http or https address, such as https://shop.example/back",
    ),
]


@every(("path", "value", "message"), SENTENCES)
def test_each_kind_of_fault_has_its_sentence(path: str, value: object, message: str) -> None:
    assert complaints(path, value) == [FieldError(path, message)]


@every("path", sorted({path for path, _, _ in SENTENCES}))
@every("value", ["<\n\x1b>" * 100_000, ["x" * 100_000], {"x": "y" * 100_000}], ids=range(3))
def test_a_sentence_is_short_and_printable_whatever_was_sent(path: str, value: object) -> None:
    faults = complaints(path, value)
    assert faults or (path == "checkoutDetails.skinId" and isinstance(value, str))
    for fault in faults:
        assert len(fault.message) < 200
        assert fault.message.isprintable()


def test_a_fault_that_nobody_foresaw_is_told_in_the_words_of_pydantic() -> None:
    class Flag(WireModel):
        flag: Annotated[bool, Strict()]

    assert fault_of(Flag.build, flag="yes") == FieldError("flag", "Input should be a valid boolean")


# Making the validators


def test_threads_that_need_a_message_first_all_read_it_by_its_own_rules() -> None:
    for _ in range(20):

        class Longer(WireModel):
            first: Text
            third: Text

        started = threading.Barrier(8)

        def faults(
            _: int, message: type[WireModel] = Longer, start: threading.Barrier = started
        ) -> list[str]:
            start.wait()
            with pytest.raises(InvalidMessage) as caught:
                message.build(first="")
            return samples.paths(caught.value)

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(faults, range(8))) == [["first", "third"]] * 8


def test_what_every_message_is_read_with_can_be_built_before_it_is_needed() -> None:
    class Wrong(BuiltOnFirstUse):
        second: Annotated[str, Field(pattern="(")]

    try:
        with pytest.raises(SchemaError, match="unclosed group"):
            BuiltOnFirstUse.build_all()
    finally:
        del Wrong
        gc.collect()
    BuiltOnFirstUse.build_all()
