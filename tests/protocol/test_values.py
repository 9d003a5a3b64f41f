"""The values of fields, by kind: which are right, which are refused, and what may be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.samples import changed, paths, without
from tests.protocol.test_messages import GOLDEN
from tests.tables import every
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.errors import InvalidMessage

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT, FOLLOW_UP, DETACHED = "CheckoutRequest", "FollowUpRequest", "DetachedRefundRequest"
AUTHORIZATION, ACCOUNT = "AuthorizationRequest", "PaymentAccountRequest"
REQUESTS = (CHECKOUT, FOLLOW_UP, DETACHED, AUTHORIZATION)
REDIRECTS = "returnUrl successUrl pendingUrl errorUrl cancelUrl refusedUrl"
LINE = "shoppingCartDetails.itemDetails[0]"
WALLET = "paymentData.paymentMethodData"
BILLING, SHIPPING = "addressDetails.billingAddress", "addressDetails.shippingAddress"


def below(parent: str, names: str) -> str:
    return " ".join(f"{parent}.{name}" for name in names.split())


MANDATORY = {
    CHECKOUT: "merchantId storeId userId type amount currencyCode clientSystemTransactionId checkoutDetails"
    f" checkoutDetails.paymentMethod redirectDetails {below('redirectDetails', REDIRECTS)}"
    f" {below(LINE, 'productId productName productQuantity unitAmount totalAmount')}"
    f" {below(BILLING, 'houseNumber street city zipPostalCode countryCode')}",
    FOLLOW_UP: "merchantId storeId userId type amount currencyCode clientSystemTransactionId"
    " clientSystemInvoiceId apmDetails apmDetails.apmProvider",
    DETACHED: "merchantId storeId userId type amount currencyCode clientSystemTransactionId"
    " parentTransactionId apmDetails apmDetails.apmProvider",
    AUTHORIZATION: "merchantId storeId userId type amount currencyCode clientSystemTransactionId"
    " transactionAccountId",
    ACCOUNT: "merchantId storeId clientSystemTransactionId paymentData paymentData.apiVersion"
    f" paymentData.apiVersionMinor {WALLET} {WALLET}.type {WALLET}.description {WALLET}.info"
    f" {WALLET}.tokenizationData {WALLET}.tokenizationData.type {WALLET}.tokenizationData.token",
    "CheckoutResponse": "redirectUrl",
    "FollowUpResponse": "state",
    "DetachedRefundResponse": "state",
    "AuthorizationResponse": "state",
    "StatusQuery": "merchantId storeId clientSystemTransactionId",
    "StatusRecord": "id state currencyCode transactionAmount clientSystemTransactionId type",
    "PublicKeyRequest": "merchantId storeId userId",
    "PublicKeyResponse": "apiKey encryptionKey",
    "PaymentAccountQuery": "merchantId storeId transactionAccountId encryptionKeyId",
    "PaymentAccount": "cardType",
    "ErrorBody": "code",
    "MigrationRow": "parentTransactionId transactionDateTime amount currencyCode refundedAmount",
}
OPTIONAL = {
    CHECKOUT: "providerDiscretionaryData details details.providerMerchantId addressDetails"
    f" {BILLING} {BILLING}.state {SHIPPING} shoppingCartDetails {LINE}.productDescription {LINE}.productType "
    + below(
        "checkoutDetails",
        "skinId language cardholderId cardholderFirstName cardholderLastName cardholderEmail"
        " cardholderMobilePhone cardholderHomePhone cardholderWorkPhone"
        " cardholderNationalIdentificationNumber redirectUrlTimeout",
    )
    + " "
    + below(
        SHIPPING,
        "firstName lastName telephoneNumber email houseNumber street city zipPostalCode deliveryMethod",
    ),
    FOLLOW_UP: "providerDiscretionaryData shoppingCartDetails",
    DETACHED: "providerDiscretionaryData",
    AUTHORIZATION: "cryptogram eciIndicator threeDSecure redirectDetails",
    ACCOUNT: f"paymentData.email paymentData.shippingAddress {WALLET}.info.billingAddress",
    "FollowUpResponse": "id providerStateCode currencyCode clientSystemTransactionId apmDetails",
    "DetachedRefundResponse": "providerResponseCode providerAuthorizationID providerResponseMessage"
    " currencyCode clientSystemTransactionId responseMessage amount apmDetails",
    "AuthorizationResponse": "id providerStateCode redirectUrl",
    "StatusRecord": "transactionDateTime apmDetails apmDetails.apmName apmDetails.shippingAddress",
    "PublicKeyResponse": "expiresAt",
    "PaymentAccount": "transactionAccountId cardNetwork maskedAccountNumber expirationMonth expirationYear",
    "ErrorBody": "description details details.message",
}


def fields(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(name, path) for name, those in table.items() for path in those.split()]


def faults(name: str, values: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidMessage) as caught:
        MESSAGES[name].from_wire(values)
    return paths(caught.value)


@every(("name", "path"), fields(MANDATORY))
def test_a_mandatory_field_is_neither_missing_nor_null(name: str, path: str) -> None:
    for values in (without(GOLDEN[name], path), changed(GOLDEN[name], path, None)):
        with pytest.raises(InvalidMessage, match="is missing") as caught:
            MESSAGES[name].from_wire(values)
        assert all(found.startswith(path) for found in paths(caught.value))


@every(("name", "path"), fields(OPTIONAL))
def test_an_optional_field_may_be_missing_or_null(name: str, path: str) -> None:
    missing = without(GOLDEN[name], path)
    assert MESSAGES[name].from_wire(missing).to_wire() == missing
    assert MESSAGES[name].from_wire(changed(GOLDEN[name], path, None)).to_wire() == missing


NO_TEXT: list[object] = [5, True, 1.5, [], {}, ["x"]]
BLANK: list[object] = ["", " ", "\t\n", "\u00a0"]
NO_AMOUNT: list[object] = ["-1.00", "1,00", "1.00001", "", "1e3", "9" * 15, 66.77, True, []]
NO_URL: list[object] = [
    "", "/return", "return", "//shop.example/x", "shop.example/x", "ftp://shop.example/x",
    "javascript:alert(1)", "data:text/html,x", "https:/shop.example", "https://", "https:///x", "https://?x",
    "https://:80/x", "http://user:secret@shop.example/", "https://shop.example@evil.example/",
    "https://shop example/x",
    "https://shop.example/a b", "https://shop.example/\n", " https://shop.example/", "https://shop.example\\x",
    "https://shop.example/x\\y", "https://shop.example/\0", "https://shop.example/\x7f", "mailto:a@b.c", 5,
    "https://shop.example/" + "x" * 8172,
]  # fmt: skip
WRONG: dict[str, tuple[list[object], dict[str, str]]] = {
    "an identifier": (
        [*BLANK, *NO_TEXT, "x" * 256],
        dict.fromkeys(REQUESTS, "merchantId storeId userId clientSystemTransactionId")
        | {ACCOUNT: "merchantId storeId clientSystemTransactionId"},
    ),
    "what the provider knows": (
        [*BLANK, *NO_TEXT],
        {
            CHECKOUT: f"checkoutDetails.paymentMethod details.providerMerchantId"
            f" {below(LINE, 'productId productName')} {below(BILLING, 'houseNumber street city')}",
            FOLLOW_UP: "clientSystemInvoiceId apmDetails.apmProvider",
            DETACHED: "apmDetails.apmProvider",
            AUTHORIZATION: "transactionAccountId",
        },
    ),
    "a reference of an earlier provider": (["", "x" * 256, 5], {DETACHED: "parentTransactionId"}),
    "a text": (NO_TEXT, {CHECKOUT: "checkoutDetails.skinId providerDiscretionaryData"}),
    "an e-mail address": (
        ["ada", "ada@", "@shop.example", "ada@b@c", "ada @shop.example", "ada@shop.example\n", 5],
        {CHECKOUT: f"checkoutDetails.cardholderEmail {SHIPPING}.email"},
    ),
    "a mobile number": (
        [
            "",
            "+49-151",
            "49151",
            "-151",
            "49-",
            "49 151",
            "49-\u0661",
            "49-1\n",
            "0049-1",
            "49--1",
            "1-" + "5" * 16,
        ],
        {CHECKOUT: "checkoutDetails.cardholderMobilePhone"},
    ),
    "an address of a page": (
        NO_URL,
        {CHECKOUT: below("redirectDetails", REDIRECTS), "CheckoutResponse": "redirectUrl"},
    ),
    "a number of seconds": (
        [-1, 901, 10**30, "900", 9.5, True, "", [], "1e2"],
        {CHECKOUT: "checkoutDetails.redirectUrlTimeout"},
    ),
    "an amount": (
        [*NO_AMOUNT, "0", "0.00", "66.770"],
        {CHECKOUT: "amount", FOLLOW_UP: "amount", DETACHED: "amount", AUTHORIZATION: "amount"},
    ),
    "an amount of a cart": (
        [*NO_AMOUNT[:4], "9" * 15, True],
        {
            CHECKOUT: "shoppingCartDetails.totalTaxAmount "
            + below(
                LINE,
                "unitAmount unitTaxAmount totalAmount totalTaxAmount discountAmount discountTaxAmount",
            )
            + " "
            + below("shoppingCartDetails.shippingDetails", "shippingAmount shippingTaxAmount")
            + " shoppingCartDetails.discountDetails[0].discountAmount"
        },
    ),
    "an amount of an answer": (
        ["-5.00", "5,00", "5.001", "1e1", "", "five", True, []],
        {"DetachedRefundResponse": "amount", "StatusRecord": "transactionAmount"},
    ),
    "a currency": (
        ["EURO", "XXX", "XAU", "\u20ac", "", "978", 5],
        {CHECKOUT: "currencyCode", FOLLOW_UP: "currencyCode", DETACHED: "currencyCode"},
    ),
    "a country": (
        ["DE", "Germany", "ZZZ", ""],
        {CHECKOUT: below("addressDetails", "billingAddress.countryCode")},
    ),
    "a state": (["BY", "Bayern", "", "AT-9"], {CHECKOUT: f"{BILLING}.state"}),
    "a quantity": ([0, 10000, -1, "3", 3.0, True, ""], {CHECKOUT: f"{LINE}.productQuantity"}),
    "a rate": (
        ["", "19%", "-1", "19,5", "1e1", "0.12345", "1000", "019", " 19", "NaN", ".5"],
        {CHECKOUT: f"{LINE}.taxRate shoppingCartDetails.shippingDetails.shippingTaxRate"},
    ),
    "a word of a cart": (
        ["", "service", "phy\u017fical", "physical ", 5, ["physical"]],
        {CHECKOUT: f"{LINE}.productType shoppingCartDetails.discountDetails[0].discountType"},
    ),
    "a type of a checkout": (
        ["", "sale", "ecom.capture", "ecom.sale ", "detached.refund", "ecom.\u017fale", 5],
        {CHECKOUT: "type", AUTHORIZATION: "type"},
    ),
    "a type of a follow-up": (
        ["", "capture", "ecom.sale", "detached.refund", "ecom.refund ", 1],
        {FOLLOW_UP: "type"},
    ),
    "a type of a detached refund": (["", "refund", "ecom.refund", "detached.capture", 5], {DETACHED: "type"}),
    "an object": (
        ["x", [], True, 5],
        {
            CHECKOUT: f"checkoutDetails redirectDetails addressDetails {BILLING} shoppingCartDetails {LINE}"
            " shoppingCartDetails.shippingDetails",
            FOLLOW_UP: "apmDetails",
            AUTHORIZATION: "threeDSecure redirectDetails",
        },
    ),
    "a list": (
        ["x", {}, 5],
        {CHECKOUT: "shoppingCartDetails.itemDetails shoppingCartDetails.discountDetails"},
    ),
    "a token": (["", " ", *NO_TEXT], {ACCOUNT: f"{WALLET}.tokenizationData.token"}),
    "a kind of token": (["DIRECT", "", 5], {ACCOUNT: f"{WALLET}.tokenizationData.type"}),
    "a cryptogram": (
        ["short", "A" * 27, "A" * 256, "A" * 26 + "=", 7],
        {AUTHORIZATION: "cryptogram threeDSecure.authenticationValue"},
    ),
    "an indicator": (["x", "123", ""], {AUTHORIZATION: "eciIndicator threeDSecure.eci"}),
    "a method": (["Card", ""], {AUTHORIZATION: "transactionMethod"}),
    "a version of 3-D Secure": (["1.0.2", "two"], {AUTHORIZATION: "threeDSecure.version"}),
    "a status of 3-D Secure": (["X", ""], {AUTHORIZATION: "threeDSecure.transactionStatus"}),
    "an id of 3-D Secure": ([""], {AUTHORIZATION: "threeDSecure.dsTransactionId"}),
    "a state of an answer": (BLANK, {"FollowUpResponse": "state", "StatusRecord": "state type"}),
    "a type of a card": (["Cash", "", 5], {"PaymentAccount": "cardType"}),
}


def each(table: dict[str, tuple[list[object], dict[str, str]]]) -> Iterator[tuple[str, str, str, object]]:
    """Return the kind, the message, the path and the value of every row."""
    for kind, (values, where) in table.items():
        for name, path in fields(where):
            yield from ((kind, name, path, value) for value in values)


@every(("kind", "name", "path", "value"), each(WRONG))
def test_a_wrong_value_is_refused_by_its_path_alone(kind: str, name: str, path: str, value: object) -> None:
    assert faults(name, changed(GOLDEN[name], path, value)) == [path], kind


RIGHT: dict[str, tuple[list[object], dict[str, str]]] = {
    "any reference": (
        ["Bestellung #7/\u00fc", "x" * 255],
        dict.fromkeys(REQUESTS, "clientSystemTransactionId")
        | {FOLLOW_UP: "clientSystemInvoiceId", DETACHED: "parentTransactionId"},
    ),
    "an e-mail address": (
        ["", "a@b", "ada@b\u00fccher.example", "ada+x@shop.example"],
        {CHECKOUT: "checkoutDetails.cardholderEmail"},
    ),
    "a mobile number": (
        ["49-15112345678", "1-5551234567", "353-861234567", "1-0"],
        {CHECKOUT: "checkoutDetails.cardholderMobilePhone"},
    ),
    "another number": (
        ["(030) 1234-56 ext. 7"],
        {CHECKOUT: below("checkoutDetails", "cardholderHomePhone cardholderWorkPhone")},
    ),
    "an address of a page": (
        [
            "https://shop.example",
            "http://127.0.0.1:8000/wallet/return/abc",
            "HTTPS://SHOP.EXAMPLE/x?y=1#z",
            "https://[::1]:8443/x",
            "https://l\u00e4den.example/zur\u00fcck",
            "https://shop.example/?next=http://other.example/@x",
        ],
        {CHECKOUT: below("redirectDetails", REDIRECTS)},
    ),
    "a number of seconds": ([0, 1, 900], {CHECKOUT: "checkoutDetails.redirectUrlTimeout"}),
    "a rate": (
        ["7", "19", "7.7", "19.25", "8.8750", "100", "999.9999"],
        {CHECKOUT: f"{LINE}.taxRate"},
    ),
    "any address of a wallet": (["??"], {ACCOUNT: "paymentData.shippingAddress.countryCode"}),
    "any word of an answer": (
        ["Brand-New?"],
        {"FollowUpResponse": "state providerStateCode currencyCode", "StatusRecord": "state type"},
    ),
    "any address of an answer": (
        ["Germany"],
        {"StatusRecord": below("apmDetails.billingAddress", "countryCode state")},
    ),
}


@every(("kind", "name", "path", "value"), each(RIGHT))
def test_a_right_value_goes_through_unchanged(kind: str, name: str, path: str, value: object) -> None:
    whole = changed(GOLDEN[name], path, value)
    assert MESSAGES[name].from_wire(whole).to_wire() == whole, kind
