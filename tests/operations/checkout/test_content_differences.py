"""The arguments by which two orders of one reference differ are named, and nothing else of them."""

from __future__ import annotations

from typing import Any

import pytest

from wallet_gateway.models.orders import ERASED
from wallet_gateway.operations.checkout.content_differences import different_arguments

CONTENT: dict[str, Any] = {
    "type": "sale",
    "amount": "20.00",
    "currencyCode": "EUR",
    "shoppingCartDetails": {"itemDetails": [{"productName": "Mug", "unitAmount": "20.00"}]},
    "addressDetails": {"billingAddress": {"city": "Berlin"}, "shippingAddress": {"city": "Bonn"}},
}


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"currencyCode": "USD"}, ("currency",)),
        ({}, ("items", "billing_address", "shipping_address")),
    ],
    ids=["what is left", "what was erased"],
)
def test_of_an_erased_order_what_is_left_is_compared_first(
    changes: dict[str, Any], names: tuple[str, ...]
) -> None:
    erased = {"type": "sale", "amount": "20.00", "currencyCode": "EUR", ERASED: True}
    assert different_arguments(erased, CONTENT | changes) == names
