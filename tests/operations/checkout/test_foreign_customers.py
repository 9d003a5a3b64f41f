"""Phones, countries and states as customers of the whole world have them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.protocol.codes import alpha_3_country

pytestmark = pytest.mark.django_db

HOME = {"street": "Road", "house_number": "1", "city": "Town", "zip_postal_code": "00000"}


def create(**given: Any) -> PaymentOrder:
    return payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("10.00"), **given)


def phone_of(order: PaymentOrder) -> str:
    return str(order.content["checkoutDetails"]["cardholderMobilePhone"])


@pytest.mark.parametrize(
    ("phone", "addresses", "sent"),
    [
        ("+49 171 1234567", {}, "49-1711234567"),
        ("+44 (0)20 7946 0958", {}, "44-2079460958"),
        ("0171 1234567", {"billing_address": HOME | {"country_code": "DEU"}}, "49-1711234567"),
        ("06 12 34 56 78", {"shipping_address": {"country_code": "FRA"}}, "33-612345678"),
        (
            "0664 1234567",
            {"billing_address": HOME | {"country_code": "AUT"}, "shipping_address": {"country_code": "DEU"}},
            "43-6641234567",
        ),
    ],
)
def test_a_phone_is_sent_in_the_form_of_the_interface(
    phone: str, addresses: dict[str, Any], sent: str
) -> None:
    assert phone_of(create(cardholder_mobile_phone=phone, **addresses)) == sent


@pytest.mark.parametrize("phone", ["0171 1234567", "030-1234567", "491711234567", "5" * 40, "+999 1234567"])
def test_a_doubtful_phone_is_refused_with_an_example(phone: str) -> None:
    with pytest.raises(InvalidInput, match="such as 49-15112345678"):
        create(cardholder_mobile_phone=phone)
    assert not PaymentOrder.objects.exists()


@pytest.mark.parametrize(("three", "two"), [("XKX", "XK"), ("ASC", "AC"), ("TAA", "TA")])
def test_a_place_that_wallets_give_and_iso_3166_does_not_list_is_a_country(three: str, two: str) -> None:
    order = create(billing_address=HOME | {"country_code": three})
    assert order.content["addressDetails"]["billingAddress"]["countryCode"] == three
    assert alpha_3_country(two) == three


@pytest.mark.parametrize(
    ("country", "state"),
    [
        ("USA", "US-AE"),
        ("USA", "AP"),
        ("IND", "IN-OR-OLD"),
        ("FRA", "FR-A"),
        ("DEU", "Bavaria"),
        ("XKX", "XK-01"),
        ("GUM", "US-GU"),
        ("HKG", "cn-hk"),
    ],
)
@pytest.mark.parametrize("name", ["billing_address", "shipping_address"])
def test_a_state_that_no_list_knows_stops_no_checkout(
    name: str, country: str, state: str, caplog: pytest.LogCaptureFixture
) -> None:
    order = create(**{name: HOME | {"country_code": country, "state": state}})
    (address,) = order.content["addressDetails"].values()
    assert "state" not in address
    assert address["countryCode"] == country
    assert f"the state of a {name} is left out" in caplog.text


def test_a_state_of_the_list_is_sent() -> None:
    order = create(billing_address=HOME | {"country_code": "USA", "state": "us-ca"})
    assert order.content["addressDetails"]["billingAddress"]["state"] == "US-CA"
