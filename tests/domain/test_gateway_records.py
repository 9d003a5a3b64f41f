"""What a shop reads of a status record: each of the two ways in which the interface writes an address."""

from __future__ import annotations

from typing import Any

from tests.tables import every
from wallet_gateway.domain.gateway_records import Payer, RecordedAddress, as_gateway_record
from wallet_gateway.protocol.status import StatusRecord

FLAT = {
    "apmPayerShippingName": "Ada Muster",
    "apmPayerShippingStreet1": "Hauptstrasse 7",
    "apmPayerShippingCityName": "Wien",
    "apmPayerShippingPostalCode": "1010",
    "apmPayerShippingCountry": "AT",
    "apmPayerShippingPhone": "0043 1",
}
NESTED = {
    "firstName": "Ada",
    "lastName": "Muster",
    "telephoneNumber": "49-1",
    "email": "ada@example.com",
    "houseNumber": "7",
    "street": "Hauptstrasse",
    "city": "Graz",
    "zipPostalCode": "8010",
    "state": "AT-6",
    "countryCode": "AUT",
}
OF_FLAT = RecordedAddress(
    name="Ada Muster", street="Hauptstrasse 7", city="Wien", postal_code="1010", country="AT", phone="0043 1"
)
OF_NESTED = RecordedAddress(
    name="Ada Muster",
    first_name="Ada",
    last_name="Muster",
    house_number="7",
    street="Hauptstrasse",
    city="Graz",
    postal_code="8010",
    state="AT-6",
    country="AUT",
    phone="49-1",
    email="ada@example.com",
)


def record(details: object) -> StatusRecord:
    wire: dict[str, Any] = {
        "id": "g1",
        "state": "Approved",
        "currencyCode": "EUR",
        "transactionAmount": "10.00",
        "clientSystemTransactionId": "REF-1",
        "type": "ecom.preAuthorization",
        "apmDetails": details,
    }
    return StatusRecord.from_wire(wire)


@every(
    ("details", "expected"),
    [
        (FLAT, OF_FLAT),
        ({"shippingAddress": NESTED}, OF_NESTED),
        ({**FLAT, "shippingAddress": NESTED}, OF_NESTED),
        ({**FLAT, "shippingAddress": {}}, OF_FLAT),
        ({**FLAT, "shippingAddress": "none"}, OF_FLAT),
        ({"shippingAddress": {"city": ""}}, None),
        ({}, None),
        (None, None),
    ],
    ids=["flat", "nested", "both", "empty-object", "no-object", "empty-text", "nothing", "no-details"],
)
def test_a_shipping_address_is_read_from_its_object_or_else_from_single_fields(
    details: object, expected: RecordedAddress | None
) -> None:
    assert as_gateway_record(record(details)).shipping_address == expected


@every(
    ("details", "expected"),
    [
        (
            {"apmPayerBillingName": "A", "apmPayerBillingStreet1": "B 1", "apmPayerBillingCountry": "DE"},
            RecordedAddress(name="A", street="B 1", country="DE"),
        ),
        (
            {"apmPayerBillingPhone": "1", "billingAddress": {"street": "B", "countryCode": "DEU"}},
            RecordedAddress(street="B", country="DEU", phone="1"),
        ),
        ({"apmPayerShippingName": "A"}, None),
    ],
    ids=["flat", "nested", "nothing"],
)
def test_a_billing_address_is_read_in_the_same_way(details: object, expected: RecordedAddress | None) -> None:
    assert as_gateway_record(record(details)).billing_address == expected


def test_what_an_errored_follow_up_lacks_is_empty() -> None:
    read = as_gateway_record(record({"apmName": "W", "apmPayerEmailAddress": None}))
    assert (read.provider, read.provider_transaction_id, read.payer) == ("W", "", Payer())
    assert read.transacted_at is None


def test_the_payer_is_read_field_by_field() -> None:
    details = {
        "apmPayerID": "P-1",
        "apmPayerAccountNumber": "EW-1",
        "apmPayerEmailAddress": "ada@example.com",
        "apmPayerFirstname": "Ada",
        "apmPayerLastname": "Muster",
        "apmPayerStateOrProvince": "AT-9",
        "apmPayerCountryCode": "AUT",
    }
    assert as_gateway_record(record(details)).payer == Payer(
        payer_id="P-1",
        account_number="EW-1",
        email="ada@example.com",
        first_name="Ada",
        last_name="Muster",
        state="AT-9",
        country="AUT",
    )
