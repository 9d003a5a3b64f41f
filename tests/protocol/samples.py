"""Messages written out by hand from the tables of the interface, and small ways to change them.

Nothing here is made by the code under test: these are the second opinion.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from wallet_gateway.protocol.errors import InvalidMessage

Value = TypeVar("Value")

# What every request that moves money begins with.
_OURS = {"merchantId": "M-1001", "storeId": "S-1", "userId": "shop-user", "currencyCode": "EUR"}
_PROVIDER = {"apmDetails": {"apmProvider": "ExampleWalletV2"}, "providerDiscretionaryData": "2024-000123"}


def cart() -> dict[str, Any]:
    """A cart whose sums were done with pencil and paper.

    Shirt: 2 x 29.75 - 5.95 = 53.55, tax 2 x 4.75 - 0.95 = 8.55. Voucher: 1 x 20.00, untaxed.
    Shipping 4.90 with 0.78 tax. Discounts 10.00 and 1.68. Order: 53.55 + 20.00 + 4.90 - 11.68 = 66.77.
    Tax: 8.55 + 0.78 = 9.33.
    """
    return _read("""{
      "totalTaxAmount": "9.33",
      "itemDetails": [
        {"productId": "SHIRT-M", "productName": "Shirt", "productDescription": "A blue shirt",
         "productType": "physical", "productQuantity": 2, "unitAmount": "29.75", "unitTaxAmount": "4.75",
         "taxRate": "19", "totalAmount": "53.55", "totalTaxAmount": "8.55", "discountAmount": "5.95",
         "discountName": "Second choice", "discountTaxAmount": "0.95"},
        {"productId": "VOUCHER", "productName": "Voucher", "productType": "giftcard",
         "productQuantity": 1, "unitAmount": "20.00", "totalAmount": "20.00"}
      ],
      "shippingDetails": {"shippingName": "Parcel", "shippingAmount": "4.90",
        "shippingTaxAmount": "0.78", "shippingTaxRate": "19"},
      "discountDetails": [
        {"discountAmount": "10.00", "discountType": "storecredit", "discountName": "Credit"},
        {"discountAmount": "1.68", "discountType": "discount", "discountName": "Friends"}
      ]
    }""")


def checkout() -> dict[str, Any]:
    """Every field of a checkout request, as the tables name it."""
    return _read("""{
      "merchantId": "M-1001", "storeId": "S-1", "userId": "shop-user", "type": "ecom.sale",
      "amount": "66.77", "currencyCode": "EUR", "clientSystemTransactionId": "ORDER-1-a7",
      "providerDiscretionaryData": "2024-000123", "details": {"providerMerchantId": "ACQ-77"},
      "checkoutDetails": {
        "paymentMethod": "ExampleWalletV2", "skinId": "dark", "language": "de", "cardholderId": "C-9",
        "cardholderFirstName": "Erika", "cardholderLastName": "Mustermann",
        "cardholderEmail": "erika@example.org", "cardholderMobilePhone": "49-15112345678",
        "cardholderHomePhone": "030 123456", "cardholderWorkPhone": "030 654321",
        "cardholderNationalIdentificationNumber": "T22000129", "redirectUrlTimeout": 900},
      "addressDetails": {
        "billingAddress": {"houseNumber": "12a", "street": "Hauptstraße", "city": "München",
          "zipPostalCode": "80331", "state": "DE-BY", "countryCode": "DEU"},
        "shippingAddress": {"firstName": "Max", "lastName": "Mustermann", "telephoneNumber": "089 1234",
          "email": "max@example.org", "houseNumber": "3", "street": "Ring", "city": "Wien",
          "zipPostalCode": "1010", "state": "AT-9", "countryCode": "AUT", "deliveryMethod": "express"}},
      "redirectDetails": {
        "returnUrl": "https://shop.example/wallet/return/1",
        "successUrl": "https://shop.example/wallet/return/2",
        "pendingUrl": "https://shop.example/wallet/return/3",
        "errorUrl": "https://shop.example/wallet/return/4",
        "cancelUrl": "https://shop.example/wallet/return/5",
        "refusedUrl": "https://shop.example/wallet/return/6"}
    }""") | {"shoppingCartDetails": cart()}


def follow_up() -> dict[str, Any]:
    """Every field of a follow-up request but the cart."""
    own = {"type": "ecom.capture", "amount": "10.00", "clientSystemTransactionId": "CAPTURE-1"}
    return copy.deepcopy(_OURS | own | {"clientSystemInvoiceId": "ORDER-1-a7"} | _PROVIDER)


def follow_up_response() -> dict[str, Any]:
    """Every field of a follow-up response."""
    return _read("""{
      "id": "8f14e45f", "state": "Approved", "providerStateCode": "CapturedByProvider",
      "currencyCode": "EUR", "clientSystemTransactionId": "CAPTURE-1",
      "apmDetails": {"apmProviderName": "ExampleWalletV2", "apmPaymentMethod": "ExampleWallet"}
    }""")


def detached_refund() -> dict[str, Any]:
    """Every field of a detached refund request."""
    own = {"type": "detached.refund", "amount": "7.50", "clientSystemTransactionId": "REFUND-1"}
    return copy.deepcopy(_OURS | own | {"parentTransactionId": "OLD:2019/0001"} | _PROVIDER)


def detached_refund_response() -> dict[str, Any]:
    """Every field of an approved detached refund."""
    return _read("""{
      "state": "Approved", "providerResponseCode": "", "providerAuthorizationID": "",
      "providerResponseMessage": "Requested 7.50, refunded 5.00", "currencyCode": "EUR",
      "clientSystemTransactionId": "REFUND-1", "responseMessage": "Refunded in part", "amount": "5.00",
      "apmDetails": {"apmProviderName": "Example Wallet"}
    }""")


def record_text() -> str:
    """A status record of a pre-authorization, every field of it, as text: its amount is a number."""
    return """{
      "id": "8f14e45f", "state": "Approved", "currencyCode": "EUR", "transactionAmount": 66.77,
      "clientSystemTransactionId": "ORDER-1-a7", "type": "ecom.preAuthorization",
      "transactionDateTime": "2024-05-01T10:20:30.1234567",
      "apmDetails": {
        "apmName": "ExampleWallet", "apmPayerAccountNumber": "AC-1",
        "apmPayerEmailAddress": "erika@example.org", "apmProviderTransactionId": "PT-1",
        "apmPayerShippingName": "Max Mustermann", "apmPayerShippingStreet1": "Ring 3",
        "apmPayerShippingCityName": "Wien", "apmPayerShippingPostalCode": "1010",
        "apmPayerShippingCountry": "AT", "apmPayerShippingPhone": "089 1234", "apmPayerID": "P-7",
        "apmPayerFirstname": "Erika", "apmPayerLastname": "Mustermann",
        "apmPayerBillingName": "Erika Mustermann", "apmPayerBillingStreet1": "Hauptstr. 12a",
        "apmPayerBillingCityName": "Berlin", "apmPayerBillingCountry": "DE",
        "apmPayerBillingPhone": "030 1", "apmPayerBillingPostalCode": "10115",
        "apmPayerCountryCode": "DE", "apmPayerStateOrProvince": "BE",
        "billingAddress": {"houseNumber": "12a", "street": "Hauptstr.", "city": "Berlin",
          "zipPostalCode": "10115", "state": "DE-BE", "countryCode": "DEU"},
        "shippingAddress": {"firstName": "Max", "lastName": "Mustermann", "telephoneNumber": "089 1234",
          "email": "max@example.org", "houseNumber": "3", "street": "Ring", "city": "Wien",
          "zipPostalCode": "1010", "state": "AT-9", "countryCode": "AUT"}
      }
    }"""


def record() -> dict[str, Any]:
    """The same record with its amount as text, which is read too."""
    values: dict[str, Any] = json.loads(record_text())
    return values | {"transactionAmount": "66.77"}


ADDRESS = """{
  "name": "Erika Mustermann", "phoneNumber": "+49 30 1", "address1": "Hauptstr. 12a", "address2": "Hof",
  "address3": "c/o Max", "locality": "Berlin", "administrativeArea": "BE", "postalCode": "10115",
  "countryCode": "DE", "sortingCode": ""
}"""
"""An address as a wallet gives it."""


def authorization() -> dict[str, Any]:
    """Every field of an authorization, though no one card needs them all."""
    own = _read("""{
      "type": "ecom.preauthorization", "amount": "66.77", "clientSystemTransactionId": "ORDER-1-a8",
      "transactionAccountId": "ACC-8f14e45f", "transactionMethod": "WalletPay",
      "cryptogram": "AAECAwQFBgcICQoLDA0ODxAREhM=", "eciIndicator": "05",
      "threeDSecure": {"version": "2.2.0", "eci": "05",
        "authenticationValue": "AAECAwQFBgcICQoLDA0ODxAREhM=",
        "dsTransactionId": "5a0b51c8-8c4e-4d6a-9d7c-0c3d3c1b9f11",
        "threeDSServerTransactionId": "1f0f7f7e-0d6a-4f5d-8f55-2c4b8c9b7d42", "transactionStatus": "Y"}
    }""")
    return _OURS | own | {"redirectDetails": checkout()["redirectDetails"]}


def _read(text: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(text)
    return values


GOLDEN: dict[str, dict[str, Any]] = {
    "CheckoutRequest": checkout(),
    "CheckoutResponse": {"redirectUrl": "https://gateway.example/checkout/8f14e45f"},
    "FollowUpRequest": follow_up() | {"shoppingCartDetails": cart()},
    "FollowUpResponse": follow_up_response(),
    "DetachedRefundRequest": detached_refund(),
    "DetachedRefundResponse": detached_refund_response(),
    "StatusQuery": {"merchantId": "M-1001", "storeId": "S-1", "clientSystemTransactionId": "ORDER-1-a7"},
    "StatusRecord": record(),
    "PublicKeyRequest": {"merchantId": "M-1001", "storeId": "S-1", "userId": "shop-user"},
    "PublicKeyResponse": _read("""{
      "apiKey": "pk-8f14e45f", "encryptionKey": "ek-8f14e45f", "expiresAt": "2026-05-01T10:20:30Z"
    }"""),
    "PaymentAccountRequest": _read(f"""{{
      "merchantId": "M-1001", "storeId": "S-1", "clientSystemTransactionId": "ORDER-1-a7",
      "paymentData": {{
        "apiVersion": 2, "apiVersionMinor": 0, "email": "erika@example.org", "shippingAddress": {ADDRESS},
        "paymentMethodData": {{"type": "CARD", "description": "Visa 1111",
          "info": {{"cardNetwork": "VISA", "cardDetails": "1111", "cardFundingSource": "CREDIT",
            "billingAddress": {ADDRESS}}},
          "tokenizationData": {{"type": "PAYMENT_GATEWAY", "token": "{{'protocolVersion':'ECv2'}}"}}}}
      }}
    }}"""),
    "PaymentAccountResponse": _read(f"""{{
      "clientSystemTransactionId": "ORDER-1-a7", "transactionAccountId": "ACC-8f14e45f",
      "transactionMethod": "WalletPay", "cryptogram": "AAECAwQFBgcICQoLDA0ODxAREhM=",
      "eciIndicator": "05", "redirectData": "ignored", "billingAddress": {ADDRESS},
      "shippingAddress": {ADDRESS}, "email": "erika@example.org"
    }}"""),
    "PaymentAccountQuery": _read("""{
      "transactionAccountId": "ACC-8f14e45f", "merchantId": "M-1001", "storeId": "S-1",
      "encryptionKeyId": "ek-8f14e45f"
    }"""),
    "PaymentAccount": _read("""{
      "transactionAccountId": "ACC-8f14e45f", "cardType": "Token", "cardNetwork": "VISA",
      "maskedAccountNumber": "************1111", "expirationMonth": 12, "expirationYear": 2030
    }"""),
    "AuthorizationRequest": authorization(),
    "AuthorizationResponse": follow_up_response()
    | {"redirectUrl": "https://gateway.example/three-d-secure/8f14e45f/"},
    "ErrorBody": _read("""{
      "code": "4107940", "description": "GeneralValidationError",
      "details": {"message": "SchemaValidationError: amount is missing"}
    }"""),
    "MigrationRow": _read("""{
      "parentTransactionId": "OLD-1", "transactionDateTime": "2023-04-05T06:07:08.1234567",
      "amount": "100.00", "currencyCode": "EUR", "refundedAmount": "25.50", "providerTransactionId": "P-77"
    }"""),
}
"""Every message with every field the interface gives it."""


def changed(message: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with one field set: ``changed(checkout(), "checkoutDetails.language", "fr")``."""
    copied, place, last = _place(message, path)
    place[last] = value
    return copied


def without(message: dict[str, Any], path: str) -> dict[str, Any]:
    """A copy without one field."""
    copied, place, last = _place(message, path)
    del place[last]
    return copied


def value_at(message: dict[str, Any], path: str) -> Any:  # noqa: ANN401
    """The value of one field."""
    _, place, last = _place(message, path)
    return place[last]


def _place(message: dict[str, Any], path: str) -> tuple[dict[str, Any], Any, str | int]:
    """Return a copy, and where in it ``a.b[0].c`` is: a part and the name in that part."""
    copied = copy.deepcopy(message)
    names = path.replace("[", ".").replace("]", "").split(".")
    *parents, last = [int(name) if name.isdigit() else name for name in names]
    place: Any = copied
    for step in parents:
        place = place[step]
    return copied, place, last


def renamed(value: Value, rename: Callable[[str], str]) -> Value:
    """A copy with every field name changed by a function."""
    if isinstance(value, dict):
        changed: Any = {rename(name): renamed(part, rename) for name, part in value.items()}
    elif isinstance(value, list):
        changed = [renamed(part, rename) for part in value]
    else:
        changed = value
    return changed  # type: ignore[no-any-return]


def paths(error: InvalidMessage) -> list[str]:
    """The paths an InvalidMessage names, sorted."""
    return sorted(fault.path for fault in error.errors)


CRYPTOGRAM_LENGTHS = (8, 12, 16, 18, 19, 20, 21, 24, 28, 32, 40, 64, 189)
"""Bytes: of Visa, Mastercard and American Express, and the least and the most that a field has room for."""


def cryptogram_of(length: int, seed: str = "card") -> str:
    """Return a cryptogram of so many bytes, the same each time."""
    return base64.b64encode(hashlib.shake_256(seed.encode()).digest(length)).decode()
