"""The checkout request and response, against the tables of the interface: what is needed, and its names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.samples import cart, changed, checkout, minimal_checkout, paths, renamed, without
from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.errors import InvalidMessage

if TYPE_CHECKING:
    pass


def test_every_fault_is_reported_at_once_in_canonical_names() -> None:
    values = checkout()
    values["checkoutDetails"]["redirectUrlTimeout"] = 901
    values["checkoutDetails"]["cardholderMobilePhone"] = "+49151"
    values["addressDetails"]["billingAddress"]["countryCode"] = "DE"
    values["redirectDetails"]["cancelUrl"] = "/cancel"
    values["shoppingCartDetails"]["itemDetails"][1]["unitAmount"] = "20,00"
    values["shoppingCartDetails"]["itemDetails"][1]["productQuantity"] = 0
    values["shoppingCartDetails"]["discountDetails"][0]["discountType"] = "rebate"
    del values["storeId"]
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(renamed(values, str.upper))
    assert paths(caught.value) == [
        "addressDetails.billingAddress.countryCode",
        "checkoutDetails.cardholderMobilePhone",
        "checkoutDetails.redirectUrlTimeout",
        "redirectDetails.cancelUrl",
        "shoppingCartDetails.discountDetails[0].discountType",
        "shoppingCartDetails.itemDetails[1].productQuantity",
        "shoppingCartDetails.itemDetails[1].unitAmount",
        "storeId",
    ]


@pytest.mark.parametrize(
    "name", ["shoppingCardDetails", "ShoppingCardDetails", "shoppingcarddetails", "SHOPPINGCARTDETAILS"]
)
def test_both_spellings_of_the_cart_are_read(name: str) -> None:
    values = without(checkout(), "shoppingCartDetails") | {name: cart()}
    assert CheckoutRequest.from_wire(values).to_wire() == checkout()


def test_both_spellings_of_the_cart_at_once_are_an_error_that_names_them() -> None:
    with pytest.raises(InvalidMessage, match="'shoppingCartDetails' and 'shoppingCardDetails'") as caught:
        CheckoutRequest.from_wire(checkout() | {"shoppingCardDetails": cart()})
    assert paths(caught.value) == ["shoppingCartDetails"]


def test_the_examples_spelling_of_the_tax_is_read() -> None:
    values = without(checkout(), "shoppingCartDetails.totalTaxAmount")
    values["shoppingCartDetails"]["totaltaxAmount"] = "9.33"
    assert CheckoutRequest.from_wire(values).to_wire() == checkout()


@pytest.mark.parametrize(
    "values",
    [
        {"redirectUrl": "https://gateway.example/checkout/1"},
        {"RedirectURL": "http://127.0.0.1:8001/c/1", "extra": 1},
    ],
)
def test_a_response_carries_the_url_of_the_page(values: dict[str, Any]) -> None:
    assert CheckoutResponse.from_wire(values).redirect_url == next(iter(values.values()))


@every(
    "path",
    [
        "merchantId",
        "checkoutDetails.cardholderMobilePhone",
        "amount",
        "currencyCode",
        "redirectDetails.returnUrl",
        "type",
    ],
)
def test_a_refusal_quotes_no_more_than_the_beginning_of_a_value(path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(minimal_checkout(), path, ["x" * 100_000]))
    assert len(str(caught.value)) < 300
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(minimal_checkout(), path, "<\n>" * 100_000 + "\ud800"))
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)
