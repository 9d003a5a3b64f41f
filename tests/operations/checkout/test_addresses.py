"""Addresses as a shop gives them: dicts or their classes, with the names of the protocol's messages."""

from __future__ import annotations

import pytest

from wallet_gateway import payments

HOME = {
    "street": "Main Road",
    "house_number": "1",
    "city": "Berlin",
    "zip_postal_code": "1",
    "country_code": "DEU",
}


@pytest.mark.django_db
def test_an_address_is_the_same_as_a_dict_and_as_its_class() -> None:
    def content(reference: str, **addresses: object) -> object:
        order = payments.create_order(reference=reference, currency="EUR", amount=1, **addresses)  # type: ignore[arg-type]
        return order.content["addressDetails"]

    as_dicts = content("A", billing_address=HOME, shipping_address={"city": "Oslo"})
    billing, shipping = payments.BillingAddress(**HOME), payments.ShippingAddress(city="Oslo")
    assert content("B", billing_address=billing, shipping_address=shipping) == as_dicts


def test_what_an_address_shows_in_a_log_is_nothing_of_the_customer() -> None:
    assert repr(payments.BillingAddress(**HOME)) == "BillingAddress()"
    assert repr(payments.ShippingAddress(city="Oslo")) == "ShippingAddress()"
