"""Plans: what is read off the annotations of a message, once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import Field

from tests.tables import every
from wallet_gateway.protocol.cart_details import ShoppingCart
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest
from wallet_gateway.protocol.fields import Amount, OptionalText, OwnReference, Rate, Text, WireModel
from wallet_gateway.protocol.follow_ups import ApmDetails
from wallet_gateway.protocol.messages import MESSAGES
from wallet_gateway.protocol.migration_file import MigrationRow
from wallet_gateway.protocol.plans import Kind, choices, plan_of
from wallet_gateway.protocol.strict_json import fold_name


class Colour(StrEnum):
    RED = "Red"
    GREEN = "green"


class Part(WireModel):
    name: Text


class Everything(WireModel):
    some_text: Text
    some_note: OptionalText | None = None
    own_reference: OwnReference
    an_amount: Amount
    another_amount: Amount | None = None
    a_rate: Rate | None = None
    a_count: Annotated[int, Field(ge=0)] | None = None
    a_colour: Colour
    a_size: Literal["Small", "large"] | None = None
    a_part: Part | None = None
    the_parts: tuple[Part, ...] | None = None
    odd_name: OptionalText | None = Field(default=None, alias="oddNAME")

    alternative_names = {"sumTotal": "anAmount"}


@every(
    ("attribute", "wire_name", "kind"),
    [
        ("some_text", "someText", Kind.TEXT),
        ("some_note", "someNote", Kind.TEXT),
        ("own_reference", "ownReference", Kind.REFERENCE),
        ("an_amount", "anAmount", Kind.AMOUNT),
        ("another_amount", "anotherAmount", Kind.AMOUNT),
        ("a_rate", "aRate", Kind.RATE),
        ("a_count", "aCount", Kind.WHOLE_NUMBER),
        ("a_colour", "aColour", Kind.CHOICE),
        ("a_size", "aSize", Kind.CHOICE),
        ("a_part", "aPart", Kind.OBJECT),
        ("the_parts", "theParts", Kind.LIST),
        ("odd_name", "oddNAME", Kind.TEXT),
    ],
)
def test_a_field_is_planned_by_its_annotation(attribute: str, wire_name: str, kind: Kind) -> None:
    slot = plan_of(Everything).by_attribute[attribute]
    assert (slot.wire_name, slot.kind) == (wire_name, kind)


def test_a_part_is_planned_with_its_class() -> None:
    plan = plan_of(Everything)
    assert plan.by_attribute["a_part"].part is Part
    assert plan.by_attribute["the_parts"].part is Part
    assert plan.by_attribute["some_text"].part is None


def test_a_choice_is_planned_with_its_words() -> None:
    plan = plan_of(Everything)
    assert plan.by_attribute["a_colour"].choices == {"red": "Red", "green": "green"}
    assert plan.by_attribute["a_size"].choices == {"small": "Small", "large": "large"}
    assert plan.by_attribute["some_text"].choices is None


@pytest.mark.parametrize("name", ["anAmount", "anamount", "sumtotal"])
def test_a_field_is_found_by_its_canonical_its_folded_and_its_other_name(name: str) -> None:
    plan = plan_of(Everything)
    assert plan.by_name[name] is plan.by_attribute["an_amount"]


def test_a_plan_is_made_once() -> None:
    assert plan_of(CheckoutRequest) is plan_of(CheckoutRequest)


@pytest.mark.parametrize(
    ("message", "attribute"),
    [
        (CheckoutRequest, "currency_code"),
        (MigrationRow, "currency"),
        (ShoppingCart, None),
    ],
)
def test_a_plan_knows_where_the_currency_is(message: type[WireModel], attribute: str | None) -> None:
    assert plan_of(message).currency == attribute


def test_folding_loses_no_field_of_any_message() -> None:
    for message in MESSAGES.values():
        plan = plan_of(message)
        assert len({slot.wire_name.lower() for slot in plan.by_attribute.values()}) == len(
            message.model_fields
        )


def test_other_spellings_are_those_of_the_interface() -> None:
    assert set(CheckoutRequest.alternative_names) == {"shoppingCardDetails"}
    assert set(ApmDetails.alternative_names) == {"apmProviderName"}
    assert not CheckoutDetails.alternative_names


def test_words_are_found_by_their_folded_form() -> None:
    assert choices(["ecom.preAuthorization", "A"]) == {
        "ecom.preauthorization": "ecom.preAuthorization",
        "a": "A",
    }


def parts_of(model: type[WireModel]) -> set[type[WireModel]]:
    """A message class and every class it is made of."""
    found = {model}
    for slot in plan_of(model).by_attribute.values():
        if slot.part is not None:
            found |= parts_of(slot.part)
    return found


ALL = sorted(set().union(*map(parts_of, MESSAGES.values())), key=lambda model: model.__name__)


@every("model", ALL, ids=lambda model: model.__name__)
def test_every_spelling_at_every_depth_means_one_field(model: type[WireModel]) -> None:
    plan = plan_of(model)
    canonical = [fold_name(slot.wire_name) for slot in plan.by_attribute.values()]
    others = {fold_name(name) for name in model.alternative_names}
    assert len(set(canonical)) == len(canonical) == len(model.model_fields)
    assert not others & set(canonical)
    for slot in plan.by_attribute.values():
        assert plan.by_name[slot.wire_name] is plan.by_name[fold_name(slot.wire_name)] is slot
