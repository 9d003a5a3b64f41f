"""Complaints: every kind of fault pydantic can find is said in our words, with a canonical path."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Strict, ValidationError

from tests.protocol.samples import changed, checkout
from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.field_types import PATTERN_MESSAGES
from wallet_gateway.protocol.wire import field_errors


def complaint(path: str, value: object) -> tuple[str, str]:
    """What is said when pydantic alone sees the value: nothing is folded before."""
    try:
        CheckoutRequest.model_validate(changed(checkout(), path, value))
    except ValidationError as error:
        (fault,) = field_errors(error)
        return fault.path, fault.message
    raise AssertionError("nothing was wrong")


KINDS: dict[str, tuple[str, Any, str]] = {
    "missing": ("merchantId", None, "is missing; it is mandatory"),
    "no text": ("merchantId", 5, "5 is no text; give text"),
    "no text but a list": ("merchantId", [1], "a value of type list is no text; give text"),
    "empty": ("merchantId", " ", "is empty; give a text"),
    "too long": ("merchantId", "x" * 256, "is too long; at most 255 characters are allowed"),
    "half a character": (
        "checkoutDetails.skinId",
        "\ud800",
        "holds half of a surrogate pair, which is no character",
    ),
    "a pattern": (
        "checkoutDetails.cardholderMobilePhone",
        "1",
        "'1' is no mobile number; give calling code, hyphen and number, such as 49-15112345678",
    ),
    "no number": (
        "checkoutDetails.redirectUrlTimeout",
        "9",
        "'9' is no whole number; give one, without quotes",
    ),
    "no whole number": (
        "checkoutDetails.redirectUrlTimeout",
        9.0,
        "9.0 is no whole number; give one, without quotes",
    ),
    "too small": ("checkoutDetails.redirectUrlTimeout", -1, "-1 is too small; the least is 0"),
    "too large": ("checkoutDetails.redirectUrlTimeout", 901, "901 is too large; the most is 900"),
    "another enumerated value": (
        "type",
        "x",
        "'x' is not known; give 'ecom.sale' or 'ecom.preAuthorization'",
    ),
    "another literal": (
        "shoppingCartDetails.itemDetails[0].productType",
        "x",
        "'x' is not known; give 'physical', 'digital', 'giftcard' or 'surcharge'",
    ),
    "no object": ("redirectDetails", "x", "'x' is no object; give one"),
    "no list": ("shoppingCartDetails.discountDetails", "x", "'x' is no list; give one"),
    "no code": ("currencyCode", "x", "'x' is no currency; give a three-letter ISO 4217 code such as EUR"),
    "no amount": (
        "shoppingCartDetails.totalTaxAmount",
        "1,00",
        "'1,00' contains a comma; the decimal separator is a period, as in 1234.50",
    ),
    "no rate": (
        "shoppingCartDetails.shippingDetails.shippingTaxRate",
        "19%",
        "'19%' is no rate; give a percentage with up to 4 decimals, such as 19 or 7.7",
    ),
    "no address": (
        "redirectDetails.errorUrl",
        "/x",
        "'/x' is no absolute http or https address, such as https://shop.example/back",
    ),
}


@every(("path", "value", "message"), KINDS.values(), ids=KINDS.keys())
def test_each_kind_of_fault_has_its_sentence(path: str, value: object, message: str) -> None:
    assert complaint(path, value) == (path, message)


def patterns_of(schema: object) -> set[str]:
    """Every pattern in a JSON Schema."""
    if isinstance(schema, dict):
        found = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
        return found.union(*map(patterns_of, schema.values()))
    return set().union(*map(patterns_of, schema)) if isinstance(schema, list) else set()


@every("name", MESSAGES)
def test_every_pattern_of_every_message_has_its_sentence(name: str) -> None:
    assert patterns_of(MESSAGES[name].model_json_schema()) <= PATTERN_MESSAGES.keys()


def refuse(word: str) -> str:
    """Refuse as a message does, with several faults, or as a function does, with a sentence."""
    if word == "part":
        raise InvalidMessage([FieldError("inner[0].x", "is odd"), FieldError("", "is odd as a whole")])
    raise ValueError("is not liked")


class Stranger(BaseModel):
    """A model with faults of kinds no message has."""

    flag: Annotated[bool, Strict()] = True
    judged: Annotated[str, AfterValidator(refuse)] = "x"


@pytest.mark.parametrize(
    ("values", "faults"),
    [
        ({"judged": "whole"}, [("judged", "is not liked")]),
        ({"judged": "part"}, [("judged.inner[0].x", "is odd"), ("judged", "is odd as a whole")]),
        ({"flag": "yes"}, [("flag", "Input should be a valid boolean")]),
    ],
    ids=["a sentence", "several faults", "unforeseen"],
)
def test_what_a_validator_raises_or_nobody_foresaw_is_told_too(
    values: dict[str, object], faults: list[tuple[str, str]]
) -> None:
    with pytest.raises(ValidationError) as caught:
        Stranger.model_validate(values)
    assert [(fault.path, fault.message) for fault in field_errors(caught.value)] == faults


@every(("path", "sent", "message"), KINDS.values(), ids=KINDS.keys())
@every("value", ["<\n\x1b>" * 100_000, ["x" * 100_000], {"x": "y" * 100_000}], ids=type)
def test_a_sentence_is_short_and_printable_whatever_was_sent(
    path: str, sent: object, message: str, value: object
) -> None:
    try:
        CheckoutRequest.model_validate(changed(checkout(), path, value))
    except ValidationError as error:
        for fault in field_errors(error):
            assert len(fault.message) < 200
            assert fault.message.isprintable()
    else:
        assert path == "checkoutDetails.skinId"
        assert isinstance(value, str)
