"""Addresses: what is mandatory, which codes are right, and that a state lies in its country."""

from __future__ import annotations

import pytest

from tests.protocol.samples import checkout, paths
from tests.tables import every
from wallet_gateway.protocol.checkout import AddressDetails, BillingAddress, ShippingAddress
from wallet_gateway.protocol.errors import InvalidMessage

BILLING = checkout()["addressDetails"]["billingAddress"]
SHIPPING = checkout()["addressDetails"]["shippingAddress"]


def test_a_billing_address_holds_what_the_table_names() -> None:
    address = BillingAddress.from_wire(BILLING)
    assert (address.house_number, address.street, address.city) == ("12a", "Hauptstraße", "München")
    assert (address.zip_postal_code, address.state, address.country_code) == ("80331", "DE-BY", "DEU")
    assert address.to_wire() == BILLING


def test_a_shipping_address_holds_what_the_table_names_and_the_undescribed_delivery_method() -> None:
    address = ShippingAddress.from_wire(SHIPPING)
    assert address.delivery_method == "express"
    assert address.telephone_number == "089 1234"
    assert address.to_wire() == SHIPPING


@every("name", ["houseNumber", "street", "city", "zipPostalCode", "countryCode"])
@every("value", ["missing", None, "", " "], ids=["missing", "null", "empty", "blank"])
def test_a_billing_address_is_complete_or_refused(name: str, value: str | None) -> None:
    broken = {key: part for key, part in BILLING.items() if key != name}
    if value != "missing":
        broken[name] = value
    with pytest.raises(InvalidMessage) as caught:
        BillingAddress.from_wire(broken)
    assert paths(caught.value) == [name]


def test_the_state_of_a_billing_address_is_optional() -> None:
    without_state = {key: part for key, part in BILLING.items() if key != "state"}
    assert BillingAddress.from_wire(without_state).state is None


def test_every_field_of_a_shipping_address_is_optional() -> None:
    assert ShippingAddress.from_wire({}).to_wire() == {}


@every("address", [BillingAddress, ShippingAddress])
@every(
    ("name", "value"),
    [("countryCode", "DE"), ("countryCode", "Germany"), ("state", "BY"), ("state", "Bayern"), ("state", "")],
)
def test_codes_are_iso_codes(
    address: type[BillingAddress] | type[ShippingAddress], name: str, value: str
) -> None:
    with pytest.raises(InvalidMessage, match="ISO 3166") as caught:
        address.from_wire(BILLING | {name: value})
    assert paths(caught.value) == [name]


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


def test_both_addresses_travel_together_and_either_may_be_absent() -> None:
    both = AddressDetails.from_wire({"billingAddress": BILLING, "shippingAddress": SHIPPING})
    assert both.to_wire() == {"billingAddress": BILLING, "shippingAddress": SHIPPING}
    assert AddressDetails.from_wire({}).billing_address is None


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
