"""What a shop reads of a status record: each of the two ways in which the interface writes an address."""

from __future__ import annotations

from typing import Any

from tests.support.tables import every
from wallet_gateway.domain import gateway_records
from wallet_gateway.protocol.status import StatusRecord

Address, Payer = gateway_records.RecordedAddress, gateway_records.Payer
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
OF_FLAT = Address(
    name="Ada Muster", street="Hauptstrasse 7", city="Wien", postal_code="1010", country="AT", phone="0043 1"
)
OF_NESTED = Address(
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


def read(details: object) -> gateway_records.GatewayRecord:
    wire: dict[str, Any] = {
        "id": "g1",
        "state": "Approved",
        "currencyCode": "EUR",
        "transactionAmount": "10.00",
        "clientSystemTransactionId": "REF-1",
        "type": "ecom.preAuthorization",
        "apmDetails": details,
    }
    return gateway_records.as_gateway_record(StatusRecord.from_wire(wire))


@every(
    ("details", "expected"),
    [
        (FLAT, OF_FLAT),
        ({"shippingAddress": NESTED}, OF_NESTED),
        ({**FLAT, "shippingAddress": NESTED}, OF_NESTED),
        ({**FLAT, "shippingAddress": {}}, OF_FLAT),
        ({**FLAT, "shippingAddress": "none"}, OF_FLAT),
        *((none, None) for none in ({"shippingAddress": {"city": ""}}, {}, None)),
    ],
)
def test_a_shipping_address_is_read_from_its_object_or_else_from_single_fields(
    details: object, expected: gateway_records.RecordedAddress | None
) -> None:
    assert read(details).shipping_address == expected


@every(
    ("details", "expected"),
    [
        (
            {"apmPayerBillingName": "A", "apmPayerBillingStreet1": "B 1", "apmPayerBillingCountry": "DE"},
            Address(name="A", street="B 1", country="DE"),
        ),
        (
            {"apmPayerBillingPhone": "1", "billingAddress": {"street": "B", "countryCode": "DEU"}},
            Address(street="B", country="DEU", phone="1"),
        ),
        ({"apmPayerShippingName": "A"}, None),
    ],
)
def test_a_billing_address_is_read_in_the_same_way(
    details: object, expected: gateway_records.RecordedAddress | None
) -> None:
    assert read(details).billing_address == expected


def test_the_payer_is_read_field_by_field_and_what_an_errored_follow_up_lacks_is_empty() -> None:
    details = {
        "apmPayerID": "P-1",
        "apmPayerAccountNumber": "EW-1",
        "apmPayerEmailAddress": "ada@example.com",
        "apmPayerFirstname": "Ada",
        "apmPayerLastname": "Muster",
        "apmPayerStateOrProvince": "AT-9",
        "apmPayerCountryCode": "AUT",
    }
    told = ("P-1", "EW-1", "ada@example.com", "Ada", "Muster", "AT-9", "AUT")
    names = ("payer_id", "account_number", "email", "first_name", "last_name", "state", "country")
    assert read(details).payer == Payer(**dict(zip(names, told, strict=True)))
    bare = read({"apmName": "W", "apmPayerEmailAddress": None})
    assert (bare.provider, bare.provider_transaction_id, bare.payer) == ("W", "", Payer())
    assert bare.transacted_at is None
