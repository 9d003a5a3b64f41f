"""The order in a checkout request is a message of its own: the same fields and the same rules."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.protocol.samples import changed, checkout, paths
from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest, OrderContent
from wallet_gateway.protocol.errors import InvalidMessage

NOT_OF_THE_ORDER = {"merchantId", "storeId", "userId", "clientSystemTransactionId", "redirectDetails"}


def content() -> dict[str, Any]:
    values = {name: value for name, value in checkout().items() if name not in NOT_OF_THE_ORDER}
    details = {name: value for name, value in values["checkoutDetails"].items() if name != "paymentMethod"}
    return values | {"checkoutDetails": details}


def test_a_checkout_request_has_the_orders_fields_and_those_of_the_attempt() -> None:
    request, order = set(CheckoutRequest.wire_names.values()), set(OrderContent.wire_names.values())
    assert request - order == NOT_OF_THE_ORDER
    assert not order - request


def test_the_order_of_a_checkout_is_read_and_written() -> None:
    order = OrderContent.from_wire(content())
    assert order.to_wire() == content()
    assert str(order.money) == "66.77 EUR"


@every(
    ("path", "value"),
    [
        ("type", "ecom.refund"),
        ("amount", "1,00"),
        ("currencyCode", "EURO"),
        ("checkoutDetails", None),
        ("checkoutDetails.cardholderMobilePhone", "1"),
        ("addressDetails.billingAddress.state", "AT-9"),
        ("shoppingCartDetails.itemDetails[0].totalAmount", "1.00"),
        ("shoppingCartDetails.totalTaxAmount", "1.00"),
    ],
)
def test_an_order_breaks_the_rules_its_checkout_would_break(path: str, value: object) -> None:
    with pytest.raises(InvalidMessage) as of_order:
        OrderContent.from_wire(changed(content(), path, value))
    with pytest.raises(InvalidMessage) as of_request:
        CheckoutRequest.from_wire(changed(checkout(), path, value))
    assert paths(of_order.value) == paths(of_request.value)


def test_an_order_comes_to_its_amount() -> None:
    with pytest.raises(InvalidMessage, match=r"comes to 66\.77, but amount is 66\.78"):
        OrderContent.from_wire(content() | {"amount": "66.78"})


def test_the_constructor_refuses_an_amount_without_its_currencys_decimals() -> None:
    details = OrderContent.from_wire(content()).checkout_details
    with pytest.raises(ValidationError, match=r"10 is to be written 10\.00"):
        OrderContent(type="ecom.sale", amount="10", currency_code="EUR", checkout_details=details)
