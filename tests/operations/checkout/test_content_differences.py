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
        ({}, ()),
        ({"amount": "21.00", "currencyCode": "USD"}, ("amount", "currency")),
        ({"addressDetails": {"billingAddress": {"city": "Berlin"}}}, ("shipping_address",)),
        ({"addressDetails": None}, ("billing_address", "shipping_address")),
        ({"shoppingCartDetails": {"itemDetails": [], "totalTaxAmount": "1.00"}}, ("items",)),
        ({"checkoutDetails": {"language": "de"}}, ("language",)),
        ({"providerDiscretionaryData": "A-2"}, ("order_number",)),
    ],
)
def test_each_argument_that_differs_is_named_once(changes: dict[str, Any], names: tuple[str, ...]) -> None:
    changed = CONTENT | changes
    assert set(different_arguments(CONTENT, changed)) == set(names)
    assert len(different_arguments(changed, CONTENT)) == len(names)


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
