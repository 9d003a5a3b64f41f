"""The types of fields: what each takes from the wire, from Python and in a constructor."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum, StrEnum
from typing import Annotated, Literal, get_args, get_origin

import pytest
from pydantic import Field, Strict

from tests.protocol.test_spellings import ALL
from tests.tables import every
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.field_types import (
    ANY_CASE,
    FROM_JSON_NUMBER,
    Amount,
    Identifier,
    OwnReference,
    PositiveAmount,
    Rate,
    Text,
    Url,
)
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.wire import WireModel


class Colour(StrEnum):
    RED = "Red"
    GREEN = "green"


class Everything(WireModel):
    own_reference: OwnReference | None = None
    identifier: Identifier | None = None
    a_text: Text | None = None
    an_amount: Amount | None = None
    a_rate: Rate | None = None
    a_count: Annotated[int, Strict(), Field(ge=0), FROM_JSON_NUMBER] | None = None
    a_colour: Annotated[Colour, ANY_CASE] | None = None
    a_size: Annotated[Literal["Small", "large"], ANY_CASE] | None = None
    a_url: Url | None = None


@every(
    ("wire_name", "value", "held"),
    [
        ("ownReference", "any thing", "any thing"),
        ("anAmount", NumberText("10.5"), "10.5"),
        ("aRate", NumberText("7.7"), "7.7"),
        ("aCount", NumberText("3"), 3),
        ("aColour", "RED", Colour.RED),
        ("aSize", "SMALL", "Small"),
        ("aUrl", "HTTPS://shop.example", "HTTPS://shop.example"),
    ],
)
def test_each_type_takes_what_the_other_party_may_send(wire_name: str, value: object, held: object) -> None:
    message = Everything.from_wire({wire_name: value})
    attribute = next(name for name, wire in Everything.wire_names.items() if wire == wire_name)
    assert getattr(message, attribute) == held
    assert type(getattr(message, attribute)) is type(held)


@every(
    ("attribute", "value", "held"),
    [
        ("own_reference", "A-1_b", "A-1_b"),
        ("an_amount", Decimal("10.5"), "10.5"),
        ("a_rate", Decimal("1E+1"), "10"),
        ("a_rate", 19, "19"),
        ("a_count", 3, 3),
        ("a_colour", Colour.RED, Colour.RED),
        ("a_colour", "red", Colour.RED),
        ("a_size", "LARGE", "large"),
    ],
)
def test_each_type_takes_what_python_code_passes(attribute: str, value: object, held: object) -> None:
    assert getattr(Everything.build(**{attribute: value}), attribute) == held


@every("reference", ["a b", "", "x" * 65, "\u00e4", "a/b"])
def test_a_reference_of_our_own_is_checked_when_we_write_it(reference: str) -> None:
    with pytest.raises(InvalidMessage, match=r"^ownReference: .* is no reference of ours"):
        Everything.build(own_reference=reference)


def test_a_json_number_is_no_count_in_python_code() -> None:
    with pytest.raises(InvalidMessage, match=r"^aCount: '3' is no whole number"):
        Everything.build(a_count=NumberText("3"))


class Coin(WireModel):
    worth: PositiveAmount


@pytest.mark.parametrize("worth", ["0", "0.00", "0.0000"])
def test_a_positive_amount_is_not_zero(worth: str) -> None:
    with pytest.raises(InvalidMessage, match="worth: the amount is zero"):
        Coin.build(worth=worth)


@pytest.mark.parametrize("worth", ["999999999999999", "9999999999999.99", "99999999999.9999", "1.00000"])
def test_an_amount_has_at_most_14_digits_in_all(worth: str) -> None:
    with pytest.raises(InvalidMessage, match=r"too many digits|finer"):
        Coin.build(worth=worth)


def is_enumerated(annotation: object) -> bool:
    is_enum = isinstance(annotation, type) and issubclass(annotation, Enum)
    return is_enum or get_origin(annotation) is Literal


@every("model", ALL, ids=lambda model: model.__name__)
def test_every_enumerated_field_takes_any_case_and_every_count_a_json_number(model: type[WireModel]) -> None:
    for name, field in model.model_fields.items():
        marks, annotation = list(field.metadata), field.annotation
        for inner in get_args(annotation):
            if get_origin(inner) is Annotated:
                annotation, *more = get_args(inner)
                marks += more
        if is_enumerated(annotation):
            assert ANY_CASE in marks, name
        if annotation is int:
            assert FROM_JSON_NUMBER in marks, name
