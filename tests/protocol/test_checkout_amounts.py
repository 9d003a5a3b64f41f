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
    ("amount", "words"),
    [
        ("0", "is zero"),
        ("0.00", "is zero"),
        ("-1.00", "has a sign"),
        ("66,77", "comma"),
        ("66.770", "finer"),
        ("", "is empty"),
        ("1e3", "exponent"),
        (66.77, "floating-point"),
        (True, "True is no amount"),
        ([], "is no amount"),
        ("123456789012345", "too many digits"),
    ],
    ids=repr,
)
def test_an_amount_that_is_none_is_refused_with_its_own_message(amount: object, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words) as caught:
        CheckoutRequest.from_wire(changed(minimal_checkout(), "amount", amount))
    assert paths(caught.value) == ["amount"]


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


@pytest.mark.parametrize("number", ["66.770", "1e2", "66.777"])
def test_a_json_number_that_is_no_amount_of_its_currency_is_refused(number: str) -> None:
    body = json.dumps(minimal_checkout()).replace('"66.77"', number)
    with pytest.raises(InvalidMessage, match="amount: "):
        CheckoutRequest.from_json(body)


@every("code", ["EURO", "XXX", "XAU", "€", "", "978"])
def test_another_currency_is_refused_and_does_not_hide_other_faults(code: str) -> None:
    with pytest.raises(InvalidMessage, match="ISO 4217") as caught:
        CheckoutRequest.from_wire(changed(without(checkout(), "userId"), "currencyCode", code))
    assert paths(caught.value) == ["currencyCode", "userId"]


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
