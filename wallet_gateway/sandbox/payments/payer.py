"""The ``apmDetails`` of a status record, derived from the merchant's data about the payer.

The record of a pre-authorization has every field of the interface. Fields missing in the checkout are filled
from the wallet's customer, because a wallet knows its customer better than the shop does.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType

ACCOUNT_NUMBER: Final = "EW-5520-1783"

CUSTOMER: Final = {
    "cardholderFirstName": "Sam",
    "cardholderLastName": "Sample",
    "cardholderEmail": "sam.sample@example.com",
    "cardholderMobilePhone": "49-1700000000",
    "cardholderId": "EW-CUSTOMER-1783",
}
HOME: Final = {
    "houseNumber": "12",
    "street": "Sample Street",
    "city": "Sampletown",
    "zipPostalCode": "10115",
    "state": "DE-BE",
    "countryCode": "DEU",
}


def new_provider_transaction_id() -> str:
    """Return a new transaction id in the provider's format."""
    return f"EW{secrets.token_hex(8).upper()}"


def display_name(provider: str) -> str:
    """Return the display name of a provider constant: ``ExampleWallet`` for ``ExampleWalletV2``."""
    return provider.removesuffix("V2")


def payment_details(request: dict[str, Any], *, provider: str) -> dict[str, Any]:
    """Return the payer's details for a checkout, from its request in wire form."""
    cardholder = CUSTOMER | request["checkoutDetails"]
    details = follow_up_details(provider=provider, email=cardholder["cardholderEmail"])
    if request["type"] == CheckoutType.PREAUTHORIZATION:
        details |= _full_details(cardholder, request.get("addressDetails", {}))
    return details


def authorization_details(record_type: str, *, provider: str, account_number: str) -> dict[str, Any]:
    """Return the payer's details for an authorization; ``account_number`` is masked."""
    details = follow_up_details(provider=provider) | {"apmPayerAccountNumber": account_number}
    if record_type == AuthorizationType.PREAUTHORIZATION:
        details |= _full_details(CUSTOMER, {})
    return details


def follow_up_details(*, provider: str, email: str = CUSTOMER["cardholderEmail"]) -> dict[str, Any]:
    """Return the payer's details for a transaction without addresses."""
    return {
        "apmName": provider,
        "apmPayerAccountNumber": ACCOUNT_NUMBER,
        "apmPayerEmailAddress": email,
        "apmProviderTransactionId": new_provider_transaction_id(),
    }


def _full_details(cardholder: dict[str, Any], addresses: dict[str, Any]) -> dict[str, Any]:
    name = {"firstName": cardholder["cardholderFirstName"], "lastName": cardholder["cardholderLastName"]}
    contact = {
        "telephoneNumber": cardholder["cardholderMobilePhone"],
        "email": cardholder["cardholderEmail"],
    }
    billing = HOME | addresses.get("billingAddress", {})
    # Without a shipping address the order is shipped to the billing address.
    shipping = (
        name | contact | (HOME | addresses["shippingAddress"] if "shippingAddress" in addresses else billing)
    )
    full_name = " ".join(name.values())
    return {
        "apmPayerID": cardholder["cardholderId"],
        "apmPayerFirstname": name["firstName"],
        "apmPayerLastname": name["lastName"],
        "apmPayerCountryCode": billing["countryCode"],
        "apmPayerStateOrProvince": billing["state"],
        "apmPayerBillingName": full_name,
        "apmPayerBillingStreet1": _street(billing),
        "apmPayerBillingCityName": billing["city"],
        "apmPayerBillingPostalCode": billing["zipPostalCode"],
        "apmPayerBillingCountry": billing["countryCode"],
        "apmPayerBillingPhone": contact["telephoneNumber"],
        "apmPayerShippingName": f"{shipping['firstName']} {shipping['lastName']}",
        "apmPayerShippingStreet1": _street(shipping),
        "apmPayerShippingCityName": shipping["city"],
        "apmPayerShippingPostalCode": shipping["zipPostalCode"],
        "apmPayerShippingCountry": shipping["countryCode"],
        "apmPayerShippingPhone": shipping["telephoneNumber"],
        "billingAddress": billing,
        "shippingAddress": shipping,
    }


def _street(address: dict[str, Any]) -> str:
    return f"{address['street']} {address['houseNumber']}"
