"""Gateways that are wrong about checkout requests and their response."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Wrong,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    filling,
    forgetting,
    refusing,
    renamed,
    setting,
    spoiling,
    with_member,
    wrong,
)
from tests.tables import every


def _timeout_is(seconds: object) -> Any:  # noqa: ANN401  (a predicate of any value)
    return lambda value: value == seconds


def _is_example(body: dict[str, Any]) -> bool:
    return "totaltaxAmount" in body.get("shoppingCartDetails", {})


TIMEOUT = "checkoutDetails.redirectUrlTimeout"
URLS = "redirectDetails"
WRONG = [
    wrong(
        "calls redirectUrl otherwise",
        "checkout.response.redirectUrl",
        spoil=spoiling("checkout", renamed("redirectUrl", "redirect_url")),
    ),
    wrong(
        "answers a path in place of a URL",
        "checkout.response.redirectUrl",
        "checkout.page",
        spoil=spoiling("checkout", with_member("redirectUrl", "/checkout/1")),
    ),
    wrong(
        "sends customers to a page that is not there",
        "checkout.page",
        spoil=spoiling("checkout", lambda value: {"redirectUrl": value["redirectUrl"][:-2] + "0x/"}),
    ),
    wrong(
        "takes no pre-authorization",
        "checkout.pre-authorization",
        mend=refusing("checkout", lambda body: body.get("type") == "ecom.preAuthorization"),
    ),
    wrong(
        "refuses an optional field",
        "checkout.full",
        "checkout.example",
        mend=refusing("checkout", lambda body: "providerDiscretionaryData" in body),
    ),
    wrong("refuses the document's example", "checkout.example", mend=refusing("checkout", _is_example)),
    *(
        wrong(
            f"accepts a checkout without {path}",
            f"checkout.mandatory.{path}",
            mend=filling("checkout", path, value),
        )
        for path, value in {
            "merchantId": "SANDBOX-MERCHANT",
            "storeId": "SANDBOX-STORE",
            "userId": "sandbox-user",
            "type": "ecom.sale",
            "amount": "1.00",
            "currencyCode": "EUR",
            "clientSystemTransactionId": None,
            f"{URLS}.cancelUrl": "https://shop.example/cancel",
        }.items()
    ),
    wrong(
        "accepts a checkout without a provider",
        "checkout.mandatory.checkoutDetails",
        "checkout.mandatory.checkoutDetails.paymentMethod",
        mend=filling("checkout", "checkoutDetails.paymentMethod", "ExampleWalletV2"),
    ),
    wrong(
        "reads an object as a text",
        "checkout.text.merchantId",
        mend=setting("checkout", "merchantId", "SANDBOX-MERCHANT", lambda value: isinstance(value, dict)),
    ),
    wrong(
        "accepts an unknown type",
        "checkout.type.unknown",
        mend=setting("checkout", "type", "ecom.sale", lambda value: value == "ecom.nothing"),
    ),
    wrong(
        "accepts another provider",
        "checkout.provider.other",
        mend=setting(
            "checkout",
            "checkoutDetails.paymentMethod",
            "ExampleWalletV2",
            lambda value: value == "NoWalletV2",
        ),
    ),
    wrong(
        "refuses an amount that is a number",
        "checkout.amount.number",
        mend=refusing("checkout", lambda body: isinstance(body.get("amount"), float)),
    ),
    wrong(
        "reads a comma as a period",
        "checkout.amount.comma",
        mend=setting("checkout", "amount", "1.00", lambda value: value == "1,00"),
    ),
    wrong(
        "reads separators of thousands",
        "checkout.amount.thousands",
        mend=setting("checkout", "amount", "1000.00", lambda value: value == "1,000.00"),
    ),
    wrong(
        "accepts an amount below zero",
        "checkout.amount.negative",
        mend=setting("checkout", "amount", "1.00", lambda value: value == "-1.00"),
    ),
    wrong(
        "accepts a currency that there is not",
        "checkout.currency.unknown",
        mend=setting("checkout", "currencyCode", "EUR", lambda value: value == "XQZ"),
    ),
    wrong(
        "accepts a timeout of 901",
        "checkout.timeout.901",
        mend=setting("checkout", TIMEOUT, 900, _timeout_is(901)),
    ),
    wrong(
        "accepts a timeout of -1",
        "checkout.timeout.-1",
        mend=setting("checkout", TIMEOUT, 0, _timeout_is(-1)),
    ),
    wrong(
        "accepts a timeout of a fraction",
        "checkout.timeout.fraction",
        mend=setting("checkout", TIMEOUT, 60, _timeout_is(60.5)),
    ),
    wrong(
        "refuses a timeout of 0",
        "checkout.timeout.0",
        mend=refusing(
            "checkout", lambda body: body.get("checkoutDetails", {}).get("redirectUrlTimeout") == 0
        ),
    ),
    wrong(
        "accepts a mobile number of any format",
        "checkout.phone.international",
        "checkout.phone.no-hyphen",
        "checkout.phone.long-code",
        mend=forgetting("checkoutDetails.cardholderMobilePhone", lambda phone: phone != "49-15112345678"),
    ),
    wrong(
        "wants six different URLs",
        "checkout.same-urls",
        mend=refusing(
            "checkout", lambda body: len(set(body.get(URLS, {}).values())) < len(body.get(URLS, {}))
        ),
    ),
]


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
