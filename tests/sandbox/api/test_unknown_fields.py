"""Which names of a body the interface does not know."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.merchant import checkout_body, follow_up_body
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.follow_ups import FollowUpRequest
from wallet_gateway.sandbox.api.request_parser import unknown_fields


@pytest.mark.parametrize(
    "spelling",
    [{}, {"SHOPPINGCARTDETAILS": {}}, {"shoppingCardDetails": {"totaltaxAmount": "0"}}],
    ids=["none", "upper case", "the table's spelling"],
)
def test_known_names_in_any_spelling_are_known(spelling: dict[str, Any]) -> None:
    assert list(unknown_fields(CheckoutRequest, checkout_body("A", **spelling))) == []


def test_the_spelling_of_the_example_is_known() -> None:
    body = follow_up_body("A", "B", apmDetails={"apmProviderName": "X"})
    assert list(unknown_fields(FollowUpRequest, body)) == []


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"colour": 1}, "colour"),
        ({"redirectDetails": {"otherUrl": ""}}, "redirectDetails.otherUrl"),
        ({"shoppingCardDetails": {"gift": 1}}, "shoppingCartDetails.gift"),
        (
            {"shoppingCartDetails": {"ItemDetails": [{}, {"weight": 2}]}},
            "shoppingCartDetails.itemDetails[1].weight",
        ),
    ],
    ids=["top", "in an object", "under the canonical name", "in a list"],
)
def test_an_unknown_name_is_given_with_its_path(changes: dict[str, Any], path: str) -> None:
    assert list(unknown_fields(CheckoutRequest, checkout_body("A", **changes))) == [path]


@pytest.mark.parametrize("value", [1, "text", None, [1, "x"]], ids=repr)
def test_a_part_of_the_wrong_kind_is_not_looked_into(value: object) -> None:
    assert list(unknown_fields(CheckoutRequest, checkout_body("A", addressDetails=value))) == []


def test_a_name_of_any_length_and_letters_is_quoted_safely() -> None:
    (path,) = unknown_fields(CheckoutRequest, checkout_body("A", **{"\u202e<b>" + "x" * 500: 1}))
    assert path.isascii()
    assert len(path) <= 60
