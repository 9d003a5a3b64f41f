"""The checkout request, against the tables of the interface: addresses, amount, and the order in it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from tests.protocol.samples import cart, changed, checkout, paths, renamed, without
from tests.tables import every
from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.cart import Shipping, build_cart
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import (
    AddressDetails,
    BillingAddress,
    CheckoutDetails,
    CheckoutRequest,
    CheckoutType,
    OrderContent,
    RedirectDetails,
    ShippingAddress,
)
from wallet_gateway.protocol.errors import InvalidMessage

CART_NAMES = ("shoppingCardDetails", "ShoppingCardDetails", "SHOPPINGCARTDETAILS")


def test_every_fault_is_reported_at_once_in_canonical_names() -> None:
    values = without(changed(checkout(), "amount", "66.78"), "storeId")
    lines = values["shoppingCartDetails"]["itemDetails"]
    values["checkoutDetails"]["cardholderMobilePhone"] = "+49151"
    values["addressDetails"]["billingAddress"]["countryCode"] = "DE"
    values["redirectDetails"]["cancelUrl"] = "/cancel"
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(renamed(values, str.upper))
    expected = [
        "addressDetails.billingAddress.countryCode",
        "checkoutDetails.cardholderMobilePhone",
        "redirectDetails.cancelUrl",
        "shoppingCartDetails",
        "storeId",
    ]
    assert paths(caught.value) == expected
    lines[1]["unitAmount"] = "20,00"
    lines[1]["productQuantity"] = 0
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(renamed(values, str.upper))
    of_lines = [f"shoppingCartDetails.itemDetails[1].{name}" for name in ("productQuantity", "unitAmount")]
    assert paths(caught.value) == [*expected[:3], *of_lines, "storeId"]


def test_the_spellings_of_the_example_are_read_and_two_at_once_are_an_error_that_names_them() -> None:
    for name in CART_NAMES:
        values = without(checkout(), "shoppingCartDetails.totalTaxAmount")
        values[name] = values.pop("shoppingCartDetails") | {"totaltaxAmount": "9.33"}
        assert CheckoutRequest.from_wire(values).to_wire() == checkout()
    with pytest.raises(InvalidMessage, match="'shoppingCartDetails' and 'shoppingCardDetails'") as caught:
        CheckoutRequest.from_wire(checkout() | {"shoppingCardDetails": cart()})
    assert paths(caught.value) == ["shoppingCartDetails"]


# Fields


WRITTEN_BY_CUSTOMERS = [
    "checkoutDetails.cardholderFirstName",
    "checkoutDetails.cardholderHomePhone",
    *(f"addressDetails.billingAddress.{name}" for name in ("houseNumber", "street", "city", "zipPostalCode")),
    *(f"addressDetails.shippingAddress.{name}" for name in ("firstName", "lastName", "street", "city")),
    "shoppingCartDetails.itemDetails[0].productName",
    "shoppingCartDetails.itemDetails[0].productDescription",
]


@every("path", WRITTEN_BY_CUSTOMERS)
def test_what_customers_write_is_taken_without_card_numbers_and_controls_of_direction(path: str) -> None:
    request = CheckoutRequest.from_wire(changed(checkout(), path, "Ada\u202e 4111.1111 1111-1111!"))
    assert request.to_wire() == changed(checkout(), path, "Ada ***1111!")
    assert CheckoutRequest.from_canonical(request.to_wire()) == request


@every("path", ["shoppingCartDetails.itemDetails[0].productId", "providerDiscretionaryData"])
def test_an_identifier_is_taken_as_it_is(path: str) -> None:
    whole = changed(checkout(), path, "4111111111111111")
    assert CheckoutRequest.from_wire(whole).to_wire() == whole


@every("email", ["ada", "ada@b@c", "ada @shop.example", "4111-1111-1111-1111@shop.example"])
@every("path", ["checkoutDetails.cardholderEmail", "addressDetails.shippingAddress.email"])
def test_what_is_no_email_address_or_holds_a_card_number_is_refused_and_not_quoted(
    path: str, email: str
) -> None:
    with pytest.raises(InvalidMessage, match=f"^{path}: ") as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, email))
    assert "4111" not in str(caught.value)
    words = (
        "holds what has the form of a card number" if "4111" in email else "is no e-mail address; give one"
    )
    assert words in str(caught.value)


def test_the_tables_of_two_sections_spell_one_type_in_two_ways() -> None:
    assert [str(kind) for kind in CheckoutType] == ["ecom.sale", "ecom.preAuthorization"]
    assert [str(kind) for kind in AuthorizationType] == ["ecom.sale", "ecom.preauthorization"]


# Addresses


BILLING = checkout()["addressDetails"]["billingAddress"]


@pytest.mark.parametrize("address", [BillingAddress, ShippingAddress])
def test_a_state_of_another_country_is_refused(address: type[BillingAddress] | type[ShippingAddress]) -> None:
    with pytest.raises(InvalidMessage, match="state: 'DE-BY' does not lie in AUT") as caught:
        address.from_wire(BILLING | {"countryCode": "AUT"})
    assert paths(caught.value) == ["state"]


def test_an_address_for_shipping_needs_no_field_and_codes_are_held_in_upper_case() -> None:
    assert ShippingAddress.from_wire({}).to_wire() == {}
    assert ShippingAddress.from_wire({"state": "US-CA"}).state == "US-CA"
    address = BillingAddress.from_wire(BILLING | {"countryCode": "deu", "state": "de-by"})
    assert (address.country_code, address.state) == ("DEU", "DE-BY")


def test_a_fault_in_an_address_is_told_with_its_whole_path() -> None:
    given = {"billingAddress": {}, "shippingAddress": {"state": "DE-BY", "countryCode": "FRA"}}
    with pytest.raises(InvalidMessage) as caught:
        AddressDetails.from_wire(given)
    mandatory = ("city", "countryCode", "houseNumber", "street", "zipPostalCode")
    assert paths(caught.value) == [*(f"billingAddress.{name}" for name in mandatory), "shippingAddress.state"]


# The amount


def test_the_amount_is_what_the_cart_comes_to_and_more_than_nothing() -> None:
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(checkout(), "amount", "66.78"))
    assert str(caught.value) == (
        "shoppingCartDetails: comes to 66.77, but amount is 66.78; the two must be equal"
    )
    nothing = changed(checkout(), "shoppingCartDetails", {"itemDetails": []}) | {"amount": "0.00"}
    with pytest.raises(InvalidMessage, match="amount: the amount is zero"):
        CheckoutRequest.from_wire(nothing)


# Built in Python


def build(**changes: object) -> CheckoutRequest:
    url = "https://shop.example/back"
    values: dict[str, object] = {
        "merchant_id": "M-1001",
        "store_id": "S-1",
        "user_id": "shop-user",
        "type": CheckoutType.SALE,
        "amount": Decimal("24.90"),
        "currency_code": "EUR",
        "client_system_transaction_id": "ORDER-1",
        "checkout_details": CheckoutDetails.build(payment_method="ExampleWalletV2", redirect_url_timeout=600),
        "redirect_details": RedirectDetails.build(
            return_url=url, success_url=url, pending_url=url, error_url=url, cancel_url=url, refused_url=url
        ),
    }
    return CheckoutRequest.build(**values | changes)


def test_a_request_is_built_of_mappings_and_of_the_cart_of_a_shops_items() -> None:
    address = {"house_number": "1", "street": "S", "city": "C", "zip_postal_code": "1", "country_code": "deu"}
    items = [Item(product_id="A", product_name="Thing", unit_amount=Decimal(10), quantity=2)]
    built = build_cart(currency="EUR", items=items, shipping=Shipping(name="Parcel", amount=Decimal("4.9")))
    request = build(
        checkout_details={"payment_method": "ExampleWalletV2"},
        address_details={"billing_address": address},
        shopping_cart_details=built,
        type="ECOM.PREAUTHORIZATION",
    )
    assert request.type is CheckoutType.PREAUTHORIZATION
    assert request.shopping_cart_details is built
    assert request.to_wire()["addressDetails"]["billingAddress"]["countryCode"] == "DEU"


def test_the_constructor_too_refuses_an_amount_that_is_not_written_as_it_is_sent() -> None:
    for amount, words in (("24.9", r"24\.9 is to be written 24\.90"), ("24.901", "finer")):
        with pytest.raises(ValidationError, match=words):
            CheckoutRequest(**dict(build()) | {"amount": amount})
    details = build().checkout_details
    with pytest.raises(ValidationError, match=r"10 is to be written 10\.00"):
        OrderContent(type="ecom.sale", amount="10", currency_code="EUR", checkout_details=details)


# The order in a request is a message of its own


NOT_OF_THE_ORDER = {"merchantId", "storeId", "userId", "clientSystemTransactionId", "redirectDetails"}


def content() -> dict[str, Any]:
    values = {name: value for name, value in checkout().items() if name not in NOT_OF_THE_ORDER}
    details = {name: value for name, value in values["checkoutDetails"].items() if name != "paymentMethod"}
    return values | {"checkoutDetails": details}


def test_the_order_of_a_checkout_has_its_fields_but_those_of_the_attempt() -> None:
    request, fields = set(CheckoutRequest.wire_names.values()), set(OrderContent.wire_names.values())
    assert (request - fields, fields - request) == (NOT_OF_THE_ORDER, set())
    order = OrderContent.from_wire(content())
    assert order.to_wire() == content()
    assert str(order.money) == "66.77 EUR"


@every(
    ("path", "value"),
    [
        ("type", "ecom.refund"),
        ("amount", "1,00"),
        ("amount", "66.78"),
        ("currencyCode", "EURO"),
        ("checkoutDetails", None),
        ("checkoutDetails.cardholderMobilePhone", "1"),
        ("addressDetails.billingAddress.state", "AT-9"),
        ("shoppingCartDetails.itemDetails[0].totalAmount", "1.00"),
    ],
)
def test_an_order_breaks_the_rules_its_checkout_would_break(path: str, value: object) -> None:
    with pytest.raises(InvalidMessage) as of_order:
        OrderContent.from_wire(changed(content(), path, value))
    with pytest.raises(InvalidMessage) as of_request:
        CheckoutRequest.from_wire(changed(checkout(), path, value))
    assert paths(of_order.value) == paths(of_request.value)
