"""The tables of the wire's messages say what the types demand: lengths, limits, formats and conditions."""

from __future__ import annotations

import runpy
from typing import Any

from tests.docs.pages import ROOT
from tests.tables import every
from wallet_gateway.protocol.cart_messages import MAX_QUANTITY
from wallet_gateway.protocol.checkout import MAX_REDIRECT_URL_TIMEOUT
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.money import MAX_DIGITS

EXTENSION: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "_extensions" / "message_rows.py"))


def tables(message: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Give each object of a message by its path, with its fields: when each is required, and its value."""
    parts = EXTENSION["parts_of"](MESSAGES[message])
    return {
        part.path: {name: (when, value) for name, when, value in EXTENSION["rows_of"](part.model)}
        for part in parts
    }


LINE = "shoppingCartDetails.itemDetails[]"
VALUES = [
    ("CheckoutRequest", "", "amount", "amount, above zero"),
    ("CheckoutRequest", "", "currencyCode", "ISO 4217"),
    ("CheckoutRequest", "", "type", "one of ecom.sale, ecom.preAuthorization"),
    ("CheckoutRequest", "", "merchantId", "at most 255 characters"),
    ("CheckoutRequest", "checkoutDetails", "redirectUrlTimeout", f"0 to {MAX_REDIRECT_URL_TIMEOUT}; seconds"),
    ("CheckoutRequest", "checkoutDetails", "cardholderMobilePhone", "such as 49-15112345678"),
    ("CheckoutRequest", "checkoutDetails", "cardholderMobilePhone", "1 to 3 digits"),
    ("CheckoutRequest", "addressDetails.billingAddress", "state", "ISO 3166-2"),
    ("CheckoutRequest", "addressDetails.billingAddress", "countryCode", "ISO 3166 alpha-3"),
    ("CheckoutRequest", "redirectDetails", "errorUrl", "at most 8192 characters"),
    ("CheckoutRequest", LINE, "productQuantity", f"1 to {MAX_QUANTITY}"),
    ("CheckoutRequest", LINE, "totalAmount", "unitAmount x productQuantity - discountAmount"),
    ("CheckoutRequest", LINE, "taxRate", "up to 4 decimals"),
    ("FollowUpRequest", LINE, "productType", "one of physical, digital, giftcard, surcharge"),
    ("FollowUpRequest", "", "clientSystemTransactionId", "1 to 64 of A-Z a-z 0-9 _ -"),
    ("StatusRecord", "", "transactionAmount", "amount as a JSON number"),
    ("StatusRecord", "", "apmDetails", "object, below"),
    ("StatusRecord", "apmDetails", "shippingAddress", "object, below"),
    ("PaymentAccount", "", "expirationMonth", "1 to 12"),
    ("AuthorizationRequest", "", "cryptogram", "12 to 252 characters"),
    ("MigrationRow", "", "parentTransactionId", "text of A-Z"),
]


@every(("message", "path", "name", "words"), VALUES)
def test_the_value_of_a_field_is_described_with_its_rules(
    message: str, path: str, name: str, words: str
) -> None:
    assert words in tables(message)[path][name][1]


def test_each_condition_of_the_interface_is_named_at_its_field() -> None:
    cart = "shoppingCartDetails"
    conditional = {
        (path, name): when
        for path, rows in tables("CheckoutRequest").items()
        for name, (when, _) in rows.items()
        if when.startswith("where ")
    }
    assert conditional == {
        (cart, "totalTaxAmount"): "where any taxRate or shippingTaxRate is above zero",
        (LINE, "taxRate"): "where unitTaxAmount is given",
        (LINE, "totalTaxAmount"): "where taxRate is above zero",
        (LINE, "discountName"): "where discountAmount is above zero",
        (LINE, "discountTaxAmount"): "where taxRate and discountAmount are above zero",
        (f"{cart}.shippingDetails", "shippingName"): "where shippingAmount is above zero",
        (f"{cart}.shippingDetails", "shippingTaxAmount"): "where shippingTaxRate is above zero",
        (f"{cart}.discountDetails[]", "discountType"): "where discountAmount is given",
        (f"{cart}.discountDetails[]", "discountName"): "where discountAmount is given",
    }


def test_mandatory_fields_are_required_and_no_value_is_left_undescribed() -> None:
    address = tables("CheckoutRequest")["addressDetails.billingAddress"]
    assert {name for name, (when, _) in address.items() if when == "yes"} == {
        *("houseNumber", "street", "city", "zipPostalCode", "countryCode")
    }
    for message in MESSAGES:
        for path, rows in tables(message).items():
            assert all(value for _, value in rows.values()), (message, path)


def test_the_page_says_what_an_amount_is() -> None:
    page = (ROOT / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
    assert f"at most {MAX_DIGITS} digits" in page
