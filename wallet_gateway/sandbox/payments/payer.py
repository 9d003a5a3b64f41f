"""The ``apmDetails`` of a status record, from what the merchant sent about the payer.

A pre-authorization's record has every field of the interface; where the checkout says nothing, the wallet
customer fills the gap, as a real wallet knows more about its customer than the shop does.
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
    """Make an identifier as the provider hands it out."""
    return f"EW{secrets.token_hex(8).upper()}"


def display_name(provider: str) -> str:
    """The provider as people know it, from its constant: ``ExampleWalletV2`` is ``ExampleWallet``."""
    return provider.removesuffix("V2")


def payment_details(request: dict[str, Any], *, provider: str) -> dict[str, Any]:
    """Describe the payer of a checkout, from its request in wire form."""
    cardholder = CUSTOMER | request["checkoutDetails"]
    details = follow_up_details(provider=provider, email=cardholder["cardholderEmail"])
    if request["type"] == CheckoutType.PREAUTHORIZATION:
        details |= _full_details(cardholder, request.get("addressDetails", {}))
    return details


def authorization_details(record_type: str, *, provider: str, account_number: str) -> dict[str, Any]:
    """Describe the payer of an authorization, the wallet's customer; ``account_number`` is masked."""
    details = follow_up_details(provider=provider) | {"apmPayerAccountNumber": account_number}
    if record_type == AuthorizationType.PREAUTHORIZATION:
        details |= _full_details(CUSTOMER, {})
    return details


def follow_up_details(*, provider: str, email: str = CUSTOMER["cardholderEmail"]) -> dict[str, Any]:
    """Describe the payer of a transaction that needs no addresses."""
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
    # Without a shipping address of its own an order goes where the bill goes.
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
