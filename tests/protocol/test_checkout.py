"""The checkout request, against the tables of the interface: addresses, amount, and the order in it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.protocol.samples import cart, changed, checkout, paths, renamed, without
from tests.support.tables import every
from wallet_gateway.protocol.cart import Item, Shipping, build_cart
from wallet_gateway.protocol.checkout import (
    CheckoutRequest,
    CheckoutType,
    OrderContent,
)
from wallet_gateway.protocol.errors import InvalidMessage

CARD_NUMBER = "holds what has the form of a card number, which is neither stored nor sent"
ELSEWHERE = "'DE-BY' does not lie in AUT; give a state of that country, or leave it out"
CART_NAMES = ("shoppingCardDetails", "ShoppingCardDetails", "SHOPPINGCARTDETAILS")


def test_every_fault_is_reported_at_once_in_canonical_names() -> None:
    values = without(changed(checkout(), "amount", "66.78"), "storeId")
    values["checkoutDetails"]["cardholderEmail"] = "4111-1111-1111-1111@shop.example"
    values["addressDetails"]["shippingAddress"]["state"] = "DE-BY"
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(renamed(values, str.upper))
    assert [(fault.path, fault.message) for fault in caught.value.errors] == [
        ("storeId", "is missing; it is mandatory"),
        ("checkoutDetails.cardholderEmail", CARD_NUMBER),
        ("addressDetails.shippingAddress.state", ELSEWHERE),
        ("shoppingCartDetails", "comes to 66.77, but amount is 66.78; the two must be equal"),
    ]


def test_the_spellings_of_the_example_are_read_and_two_at_once_are_an_error_that_names_them() -> None:
    for name in CART_NAMES:
        values = without(checkout(), "shoppingCartDetails.totalTaxAmount")
        values[name] = values.pop("shoppingCartDetails") | {"totaltaxAmount": "9.33"}
        assert CheckoutRequest.from_wire(values).to_wire() == checkout()
    with pytest.raises(InvalidMessage, match="'shoppingCartDetails' and 'shoppingCardDetails'") as caught:
        CheckoutRequest.from_wire(checkout() | {"shoppingCardDetails": cart()})
    assert paths(caught.value) == ["shoppingCartDetails"]


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
    assert CheckoutRequest.checked(request.to_wire()) == request


# The amount


def test_an_order_comes_to_more_than_nothing() -> None:
    nothing = changed(checkout(), "shoppingCartDetails", {"itemDetails": []}) | {"amount": "0.00"}
    with pytest.raises(InvalidMessage, match="amount: the amount is zero"):
        CheckoutRequest.from_wire(nothing)


# Built in Python


def test_a_request_is_built_of_mappings_and_of_the_cart_of_a_shops_items() -> None:
    address = {"house_number": "1", "street": "S", "city": "C", "zip_postal_code": "1", "country_code": "deu"}
    items = [Item(product_id="A", product_name="Thing", unit_amount=Decimal(10), quantity=2)]
    built = build_cart(currency="EUR", items=items, shipping=Shipping(name="Parcel", amount=Decimal("4.9")))
    given = dict(CheckoutRequest.from_wire(checkout())) | {
        "type": "ECOM.PREAUTHORIZATION",
        "amount": Decimal("24.9"),
        "checkout_details": {"payment_method": "ExampleWalletV2"},
        "address_details": {"billing_address": address | {"state": "de-by"}},
        "shopping_cart_details": built,
    }
    request = CheckoutRequest.build(**given)
    assert (request.type, request.amount) == (CheckoutType.PREAUTHORIZATION, "24.90")
    assert request.shopping_cart_details == built
    sent = request.to_wire()["addressDetails"]["billingAddress"]
    assert (sent["countryCode"], sent["state"]) == ("DEU", "DE-BY")


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
