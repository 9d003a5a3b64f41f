"""Which names of a body the interface does not know."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.merchant import checkout_body
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.sandbox.api.request_parser import unknown_fields


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


def test_a_name_of_any_length_and_letters_is_quoted_safely() -> None:
    (path,) = unknown_fields(CheckoutRequest, checkout_body("A", **{"\u202e<b>" + "x" * 500: 1}))
    assert path.isascii()
    assert len(path) <= 60
