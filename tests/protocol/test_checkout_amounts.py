"""The amount of a checkout request: it is exact, and what the cart comes to."""

from __future__ import annotations

import json

import pytest

from tests.protocol.samples import changed, checkout, minimal_checkout, paths, without
from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.money import Money


@every(
    ("number", "currency", "wire"),
    [
        ("66.77", "EUR", "66.77"),
        ("66.7", "EUR", "66.70"),
        ("66", "EUR", "66.00"),
        ("1000", "JPY", "1000"),
        ("1.5", "KWD", "1.500"),
        ("2", "CLF", "2.0000"),
    ],
)
def test_an_amount_may_be_a_json_number_and_is_held_with_its_currencys_decimals(
    number: str, currency: str, wire: str
) -> None:
    values = minimal_checkout() | {"currencyCode": currency}
    body = json.dumps(values).replace('"66.77"', number)
    request = CheckoutRequest.from_json(body)
    assert request.amount == wire
    assert request.money == Money.parse(number, currency)


def test_the_amount_is_what_the_cart_comes_to() -> None:
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(checkout(), "amount", "66.78"))
    assert str(caught.value) == (
        "shoppingCartDetails: comes to 66.77, but amount is 66.78; the two must be equal"
    )


def test_a_wrong_total_is_told_beside_all_other_faults() -> None:
    values = without(changed(checkout(), "amount", "66.78"), "userId")
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(values)
    assert paths(caught.value) == ["shoppingCartDetails", "userId"]


def test_an_order_of_nothing_is_refused() -> None:
    values = changed(checkout(), "shoppingCartDetails", {"itemDetails": []}) | {"amount": "0.00"}
    with pytest.raises(InvalidMessage, match="amount: the amount is zero"):
        CheckoutRequest.from_wire(values)
