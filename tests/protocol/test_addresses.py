"""Addresses: what is mandatory, which codes are right, and that a state lies in its country."""

from __future__ import annotations

import pytest

from tests.protocol.samples import checkout, paths
from wallet_gateway.protocol.checkout import AddressDetails, BillingAddress, ShippingAddress
from wallet_gateway.protocol.errors import InvalidMessage

BILLING = checkout()["addressDetails"]["billingAddress"]


def test_every_field_of_a_shipping_address_is_optional() -> None:
    assert ShippingAddress.from_wire({}).to_wire() == {}


@pytest.mark.parametrize("address", [BillingAddress, ShippingAddress])
def test_a_state_of_another_country_is_refused(address: type[BillingAddress] | type[ShippingAddress]) -> None:
    with pytest.raises(InvalidMessage, match="state: 'DE-BY' does not lie in AUT") as caught:
        address.from_wire(BILLING | {"countryCode": "AUT"})
    assert paths(caught.value) == ["state"]


def test_a_shipping_address_may_have_a_state_and_no_country() -> None:
    assert ShippingAddress.from_wire({"state": "US-CA"}).state == "US-CA"


def test_codes_are_held_in_upper_case() -> None:
    address = BillingAddress.from_wire(BILLING | {"countryCode": "deu", "state": "de-by"})
    assert (address.country_code, address.state) == ("DEU", "DE-BY")


def test_a_fault_in_an_address_is_told_with_its_whole_path() -> None:
    with pytest.raises(InvalidMessage) as caught:
        AddressDetails.from_wire(
            {"billingAddress": {}, "shippingAddress": {"state": "DE-BY", "countryCode": "FRA"}}
        )
    assert paths(caught.value) == [
        "billingAddress.city",
        "billingAddress.countryCode",
        "billingAddress.houseNumber",
        "billingAddress.street",
        "billingAddress.zipPostalCode",
        "shippingAddress.state",
    ]
