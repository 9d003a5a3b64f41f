"""The checkout request and response, against the tables of the interface: what is needed, and its names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.samples import cart, changed, checkout, minimal_checkout, paths, renamed, without
from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.errors import InvalidMessage, UnreadableBody

if TYPE_CHECKING:
    from collections.abc import Callable

MANDATORY = [
    "merchantId",
    "storeId",
    "userId",
    "type",
    "amount",
    "currencyCode",
    "clientSystemTransactionId",
    "checkoutDetails",
    "checkoutDetails.paymentMethod",
    "redirectDetails",
    "redirectDetails.returnUrl",
    "redirectDetails.successUrl",
    "redirectDetails.pendingUrl",
    "redirectDetails.errorUrl",
    "redirectDetails.cancelUrl",
    "redirectDetails.refusedUrl",
    "shoppingCartDetails.itemDetails[0].productId",
    "shoppingCartDetails.itemDetails[0].productName",
    "shoppingCartDetails.itemDetails[0].productQuantity",
    "shoppingCartDetails.itemDetails[0].unitAmount",
    "shoppingCartDetails.itemDetails[0].totalAmount",
]

OPTIONAL = [
    "providerDiscretionaryData",
    "details",
    "details.providerMerchantId",
    "checkoutDetails.skinId",
    "checkoutDetails.language",
    "checkoutDetails.cardholderId",
    "checkoutDetails.cardholderFirstName",
    "checkoutDetails.cardholderLastName",
    "checkoutDetails.cardholderEmail",
    "checkoutDetails.cardholderMobilePhone",
    "checkoutDetails.cardholderHomePhone",
    "checkoutDetails.cardholderWorkPhone",
    "checkoutDetails.cardholderNationalIdentificationNumber",
    "checkoutDetails.redirectUrlTimeout",
    "addressDetails",
    "addressDetails.billingAddress",
    "addressDetails.shippingAddress",
    "shoppingCartDetails",
    "shoppingCartDetails.itemDetails[0].productDescription",
    "shoppingCartDetails.itemDetails[0].productType",
]


def test_a_whole_request_goes_through_unchanged() -> None:
    request = CheckoutRequest.from_wire(checkout())
    assert request.to_wire() == checkout()
    assert json.loads(request.to_json()) == checkout()


def test_a_request_needs_no_more_than_what_is_mandatory() -> None:
    assert CheckoutRequest.from_wire(minimal_checkout()).to_wire() == minimal_checkout()


@every("path", MANDATORY)
def test_a_mandatory_field_cannot_be_missing(path: str) -> None:
    with pytest.raises(InvalidMessage, match="is missing; it is mandatory") as caught:
        CheckoutRequest.from_wire(without(checkout(), path))
    assert all(found.startswith(path) for found in paths(caught.value))


@every("path", MANDATORY)
def test_a_mandatory_field_cannot_be_null(path: str) -> None:
    with pytest.raises(InvalidMessage, match="is missing; it is mandatory") as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, None))
    assert paths(caught.value) == [path]


@every("path", OPTIONAL)
def test_an_optional_field_may_be_missing_or_null(path: str) -> None:
    missing = without(checkout(), path)
    assert CheckoutRequest.from_wire(missing).to_wire() == missing
    assert CheckoutRequest.from_wire(changed(checkout(), path, None)).to_wire() == missing


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
    "rename",
    [str.upper, str.lower, lambda name: name[0].upper() + name[1:]],
    ids=["upper", "lower", "pascal"],
)
def test_names_are_read_in_any_letter_case(rename: Callable[[str], str]) -> None:
    assert CheckoutRequest.from_wire(renamed(checkout(), rename)).to_wire() == checkout()


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


def test_unknown_fields_are_left_out() -> None:
    values = checkout() | {"somethingNew": {"deep": [1]}}
    values["checkoutDetails"] |= {"theme": "x"}
    assert CheckoutRequest.from_wire(values).to_wire() == checkout()


def test_a_python_attribute_name_is_no_wire_name() -> None:
    values = without(checkout(), "merchantId") | {"merchant_id": "M-1001"}
    with pytest.raises(InvalidMessage, match="merchantId: is missing"):
        CheckoutRequest.from_wire(values)


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"null", b"5"])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidMessage, match="no JSON object"):
        CheckoutRequest.from_json(body)


def test_a_body_that_is_no_json_is_unreadable() -> None:
    with pytest.raises(UnreadableBody):
        CheckoutRequest.from_json(b"{")


@pytest.mark.parametrize(
    "values",
    [
        {"redirectUrl": "https://gateway.example/checkout/1"},
        {"RedirectURL": "http://127.0.0.1:8001/c/1", "extra": 1},
    ],
)
def test_a_response_carries_the_url_of_the_page(values: dict[str, Any]) -> None:
    assert CheckoutResponse.from_wire(values).redirect_url == next(iter(values.values()))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"redirectUrl": None},
        {"redirectUrl": "/checkout/1"},
        {"redirectUrl": "javascript:x"},
        {"redirectUrl": 5},
    ],
)
def test_a_response_without_an_absolute_url_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidMessage, match="redirectUrl: "):
        CheckoutResponse.from_wire(values)


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
