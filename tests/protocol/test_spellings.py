"""Spellings: each field has one canonical wire name, and each other spelling means that field alone."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import Field

from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.field_types import Amount, OptionalText
from wallet_gateway.protocol.follow_ups import ApmDetails, FollowUpRequest
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.wire import WireModel


class Everything(WireModel):
    some_text: OptionalText | None = None
    an_amount: Amount
    odd_name: OptionalText | None = Field(default=None, alias="oddNAME")

    alternative_names = {"sumTotal": "anAmount"}


@pytest.mark.parametrize("name", ["anAmount", "anamount", "sumtotal"])
def test_a_field_is_found_by_its_canonical_its_folded_and_its_other_name(name: str) -> None:
    assert Everything.spellings[name] == "anAmount"


def test_other_spellings_are_those_of_the_interface() -> None:
    assert set(CheckoutRequest.alternative_names) == {"shoppingCardDetails"}
    assert set(FollowUpRequest.alternative_names) == {"shoppingCardDetails"}
    assert set(ApmDetails.alternative_names) == {"apmProviderName"}
    assert not CheckoutDetails.alternative_names


def messages_in(annotation: object) -> set[type[WireModel]]:
    """The message classes in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        return parts_of(annotation)
    return set().union(*map(messages_in, get_args(annotation)))


def parts_of(model: type[WireModel]) -> set[type[WireModel]]:
    """A message class and every class it is made of."""
    return {model}.union(*(messages_in(field.annotation) for field in model.model_fields.values()))


ALL = sorted(set().union(*map(parts_of, MESSAGES.values())), key=lambda model: model.__name__)


@every("model", ALL, ids=lambda model: model.__name__)
def test_every_spelling_at_every_depth_means_one_field(model: type[WireModel]) -> None:
    canonical = [fold_name(name) for name in model.wire_names.values()]
    others = {fold_name(name) for name in model.alternative_names}
    assert len(set(canonical)) == len(canonical) == len(model.model_fields)
    assert not others & set(canonical)
    for name in model.wire_names.values():
        assert model.spellings[name] == model.spellings[fold_name(name)] == name
