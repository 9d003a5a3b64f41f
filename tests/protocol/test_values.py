"""The values of fields, by kind: which are right, which are refused, and what may be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.samples import GOLDEN, changed, paths, value_at, without
from tests.support.tables import every
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
    "PaymentAccountResponse": "clientSystemTransactionId transactionAccountId",
    "MigrationRow": "parentTransactionId transactionDateTime amount currencyCode refundedAmount"
    " providerTransactionId",
}
DEPENDENT = ("shoppingCartDetails.", "threeDSecure.", "redirectDetails.", "transactionMethod")
"""What is needed because of another field, or has a value of its own where it is missing."""


def paths_in(value: dict[str, Any], parent: str = "") -> Iterator[str]:
    """Yield the paths of all fields of a message, objects first."""
    for name, part in value.items():
        yield f"{parent}{name}"
        if isinstance(part, dict):
            yield from paths_in(part, f"{parent}{name}.")


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


ALL = [(name, path) for name, values in GOLDEN.items() for path in paths_in(values)]
OPTIONAL = [row for row in ALL if row not in fields(MANDATORY) and not row[1].startswith(DEPENDENT)]


@every(("name", "path"), OPTIONAL)
def test_any_other_field_may_be_missing_or_null(name: str, path: str) -> None:
    missing = without(GOLDEN[name], path)
    assert MESSAGES[name].from_wire(missing).to_wire() == missing
    assert MESSAGES[name].from_wire(changed(GOLDEN[name], path, None)).to_wire() == missing


NO_TEXT: list[object] = [5, True, 1.5, [], {}, ["x"]]
BLANK: list[object] = ["", " ", "\t\n", "\u00a0"]
NO_AMOUNT: list[object] = ["-1.00", "1,00", "1.00001", "", "1e3", "9" * 15, 66.77, True, []]
NO_EMAIL: list[object] = ["ada", "ada@", "@shop.example", "a@b@c", "a @x", "a@x\n", 5]
NO_OBJECT: list[object] = ["x", [], True, 5]
NO_RATE: list[object] = ["", "19%", "-1", "19,5", "1e1", "0.12345", "1000", "019", " 19", "NaN", ".5"]
NO_WORD: list[object] = ["", "service", "phy\u017fical", "physical ", 5, ["physical"]]
URLS: list[object] = [
    "https://shop.example", "http://127.0.0.1:8000/wallet/return/abc", "HTTPS://SHOP.EXAMPLE/x?y=1#z",
    "https://[::1]:8443/x", "https://l\u00e4den.example/zur\u00fcck", "https://x.example/?a=http://y.example/@x",
]  # fmt: skip
NO_URL: list[object] = [
    "", "/return", "//shop.example/x", "shop.example/x", "ftp://shop.example/x", "javascript:alert(1)",
    "https:/shop.example", "https:///x", "https://?x", "https://:80/x", "http://user:secret@shop.example/",
    "https://shop.example@evil.example/", "https://shop example/x", "https://shop.example/a b", 5,
    "https://shop.example/\n", " https://shop.example/", "https://shop.example\\x",
    "https://shop.example/x\\y", "https://shop.example/\0", "https://shop.example/" + "x" * 8172,
]  # fmt: skip
Rows = list[tuple[str, str, list[object]]]
"""Of each row a message, fields of it, and values of each field."""
COMMON = "merchantId storeId userId clientSystemTransactionId"
LINE_AMOUNTS = "unitAmount unitTaxAmount totalAmount totalTaxAmount discountAmount discountTaxAmount"
CART = "shoppingCartDetails"
WRONG: Rows = [
    *((name, COMMON, [*BLANK, *NO_TEXT, "x" * 256]) for name in REQUESTS),
    (ACCOUNT, "merchantId storeId clientSystemTransactionId", [*BLANK, *NO_TEXT, "x" * 256]),
    (CHECKOUT, "checkoutDetails.paymentMethod details.providerMerchantId", [*BLANK, *NO_TEXT]),
    (CHECKOUT, f"{LINE}.productId {LINE}.productName {BILLING}.street", [*BLANK, *NO_TEXT]),
    (FOLLOW_UP, "clientSystemInvoiceId apmDetails.apmProvider", [*BLANK, *NO_TEXT]),
    (DETACHED, "apmDetails.apmProvider parentTransactionId", [*BLANK, *NO_TEXT]),
    (DETACHED, "parentTransactionId", ["x" * 256]),
    (AUTHORIZATION, "transactionAccountId", [*BLANK, *NO_TEXT]),
    (CHECKOUT, "checkoutDetails.skinId providerDiscretionaryData", NO_TEXT),
    (
        CHECKOUT,
        f"checkoutDetails.cardholderEmail {SHIPPING}.email",
        ["ada", "ada@", "@x", "a@b@c", "a @x", "a@x\n", 5],
    ),
    (
        CHECKOUT,
        "checkoutDetails.cardholderMobilePhone",
        ["", "+49-151", "49151", "-151", "49-", "49 151", "49-\u0661", "49-1\n", "0049-1", "1-" + "5" * 16],
    ),
    (CHECKOUT, below("redirectDetails", REDIRECTS), NO_URL),
    ("CheckoutResponse", "redirectUrl", NO_URL),
    (CHECKOUT, "checkoutDetails.redirectUrlTimeout", [-1, 901, 10**30, "900", 9.5, True, "", [], "1e2"]),
    *((name, "amount", [*NO_AMOUNT, "0", "0.00", "66.770"]) for name in REQUESTS),
    (CHECKOUT, below(LINE, LINE_AMOUNTS), [*NO_AMOUNT[:4], "9" * 15, True]),
    (CHECKOUT, f"{CART}.totalTaxAmount {CART}.discountDetails[0].discountAmount", NO_AMOUNT[:4]),
    (CHECKOUT, below(f"{CART}.shippingDetails", "shippingAmount shippingTaxAmount"), NO_AMOUNT[:4]),
    ("DetachedRefundResponse", "amount", ["-5.00", "5,00", "5.001", "1e1", "", "five", True, []]),
    ("StatusRecord", "transactionAmount", ["-5.00", "5,00", "5.001", "1e1", "", "five", True, []]),
    *((name, "currencyCode", ["EURO", "XXX", "XAU", "\u20ac", "", "978", 5]) for name in REQUESTS[:3]),
    (CHECKOUT, f"{BILLING}.countryCode", ["DE", "Germany", "ZZZ", ""]),
    (CHECKOUT, f"{BILLING}.state", ["BY", "Bayern", "", "AT-9"]),
    (CHECKOUT, f"{SHIPPING}.state", ["DE-BY"]),
    (CHECKOUT, f"{LINE}.productQuantity", [0, 10000, -1, "3", 3.0, True, ""]),
    (CHECKOUT, f"{LINE}.taxRate {CART}.shippingDetails.shippingTaxRate", NO_RATE),
    (CHECKOUT, f"{LINE}.productType {CART}.discountDetails[0].discountType", NO_WORD),
    (CHECKOUT, "type", ["", "sale", "ecom.capture", "ecom.sale ", "detached.refund", "ecom.\u017fale", 5]),
    (AUTHORIZATION, "type", ["", "sale", "ecom.capture"]),
    (FOLLOW_UP, "type", ["", "capture", "ecom.sale", "detached.refund", "ecom.refund ", 1]),
    (DETACHED, "type", ["", "refund", "ecom.refund", "detached.capture", 5]),
    (CHECKOUT, f"checkoutDetails redirectDetails addressDetails {BILLING} {CART} {LINE}", NO_OBJECT),
    (FOLLOW_UP, "apmDetails", NO_OBJECT),
    (AUTHORIZATION, "threeDSecure redirectDetails", NO_OBJECT),
    (CHECKOUT, f"{CART}.itemDetails {CART}.discountDetails", ["x", {}, 5]),
    (ACCOUNT, f"{WALLET}.tokenizationData.token", ["", " ", *NO_TEXT]),
    (ACCOUNT, f"{WALLET}.tokenizationData.type", ["DIRECT", "", 5]),
    (AUTHORIZATION, "cryptogram", ["short", "A" * 27, "A" * 256, "A" * 26 + "=", 7]),
    (AUTHORIZATION, "threeDSecure.authenticationValue", ["short", "A" * 256]),
    (AUTHORIZATION, "eciIndicator threeDSecure.eci", ["x", "123", ""]),
    (AUTHORIZATION, "transactionMethod", ["Card", ""]),
    (AUTHORIZATION, "threeDSecure.version threeDSecure.transactionStatus", ["1.0.2", "two", ""]),
    (AUTHORIZATION, "threeDSecure.dsTransactionId", [""]),
    ("FollowUpResponse", "state", BLANK),
    ("StatusRecord", "state type", BLANK),
    ("ErrorBody", "code", ["", ["x"]]),
    ("ErrorBody", "details", ["x"]),
    ("ErrorBody", "details.message description", [["x"], {}]),
    ("PaymentAccount", "cardType", ["Cash", "", 5]),
]


def each(table: Rows) -> Iterator[tuple[str, str, object]]:
    """Yield a message, a field and a value of each row."""
    for name, those, values in table:
        yield from ((name, path, value) for path in those.split() for value in values)


@every(("name", "path", "value"), each(WRONG))
def test_a_wrong_value_is_refused_by_its_path_alone(name: str, path: str, value: object) -> None:
    assert faults(name, changed(GOLDEN[name], path, value)) == [path]


ANY_REFERENCE: list[object] = ["Bestellung #7/\u00fc", "x" * 255]
RIGHT: Rows = [
    *((name, "clientSystemTransactionId", ANY_REFERENCE) for name in REQUESTS),
    (FOLLOW_UP, "clientSystemInvoiceId", ANY_REFERENCE),
    (CHECKOUT, f"{LINE}.productId providerDiscretionaryData", ["4111111111111111"]),
    (DETACHED, "parentTransactionId", ANY_REFERENCE),
    (CHECKOUT, "checkoutDetails.cardholderEmail", ["", "a@b", "ada@b\u00fccher.example", "ada+x@x.example"]),
    (CHECKOUT, "checkoutDetails.cardholderMobilePhone", ["1-5551234567", "353-861234567", "1-0"]),
    (CHECKOUT, "checkoutDetails.cardholderHomePhone", ["(030) 1234-56 ext. 7"]),
    (CHECKOUT, below("redirectDetails", REDIRECTS), URLS),
    (CHECKOUT, "checkoutDetails.redirectUrlTimeout", [0, 1, 900]),
    (CHECKOUT, f"{LINE}.taxRate", ["7", "7.7", "19.25", "8.8750", "100", "999.9999"]),
    ("FollowUpResponse", "state providerStateCode currencyCode", ["Brand-New?"]),
    ("StatusRecord", "state type", ["Brand-New?"]),
    ("StatusRecord", below("apmDetails.billingAddress", "countryCode state"), ["Germany"]),
]


@every(("name", "path", "value"), each(RIGHT))
def test_a_right_value_goes_through_unchanged(name: str, path: str, value: object) -> None:
    whole = changed(GOLDEN[name], path, value)
    assert MESSAGES[name].from_wire(whole).to_wire() == whole


WORDS = {
    CHECKOUT: f"type {LINE}.productType {CART}.discountDetails[0].discountType",
    FOLLOW_UP: "type",
    DETACHED: "type",
    AUTHORIZATION: "type transactionMethod threeDSecure.transactionStatus",
    ACCOUNT: f"{WALLET}.tokenizationData.type",
    "PaymentAccountResponse": "transactionMethod",
    "PaymentAccount": "cardType",
}


@every(("name", "path"), fields(WORDS))
def test_a_word_of_a_table_is_read_in_any_letter_case_and_written_as_the_table_prints_it(
    name: str, path: str
) -> None:
    word = value_at(GOLDEN[name], path)
    for spelt in (word.upper(), word.lower(), word.swapcase()):
        assert MESSAGES[name].from_wire(changed(GOLDEN[name], path, spelt)).to_wire() == GOLDEN[name]
