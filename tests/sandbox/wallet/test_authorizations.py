"""Authorizations: each kind of card with its proof, used once, and a payment like any other afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from tests.sandbox.wallet_buyer import PROOF, REDIRECTS, Buyer
from wallet_gateway.testing.control import SandboxControl


def test_a_token_card_pays_at_once(buyer: Buyer, merchant: Merchant) -> None:
    answer = buyer.authorize(buyer.account(), clientSystemTransactionId="PAID-1")
    assert answer.status == 200
    record = merchant.record("PAID-1")
    assert answer.json == {
        "id": record["id"],
        "state": "Approved",
        "providerStateCode": "CapturedByProvider",
        "currencyCode": "EUR",
        "clientSystemTransactionId": "PAID-1",
        "apmDetails": {"apmProviderName": "ExampleWallet", "apmPaymentMethod": "ecom.sale"},
    }
    assert (record["type"], record["state"], record["transactionAmount"]) == ("ecom.sale", "Approved", 10.0)
    assert record["apmDetails"]["apmPayerAccountNumber"] == "************1111"


def test_a_pre_authorization_can_be_captured_and_refunded(buyer: Buyer, merchant: Merchant) -> None:
    kind = {"type": "ecom.preauthorization", "clientSystemTransactionId": "HELD-1"}
    assert buyer.authorize(buyer.account(), **kind).json["providerStateCode"] == "AuthorizedByProvider"
    record = merchant.record("HELD-1")
    assert record["type"] == "ecom.preauthorization"
    assert record["apmDetails"]["billingAddress"]["city"]
    assert merchant.capture(new_reference(), "HELD-1", "6.00").json["state"] == "Approved"
    assert merchant.refund(new_reference(), "HELD-1", "6.00").json["state"] == "Approved"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"cryptogram": None}, "4400018"),
        ({"eciIndicator": None}, "4400018"),
        ({"cryptogram": "AAECAwQFBgcICQoLDA0ODxAREhM="}, "4400020"),
        ({"eciIndicator": "07"}, "4400020"),
        ({"threeDSecure": PROOF}, "4400016"),
        ({"cryptogram": None, "eciIndicator": None, "threeDSecure": PROOF}, "4400016"),
    ],
)
def test_a_token_card_has_its_cryptogram_and_nothing_else(
    buyer: Buyer, changes: dict[str, Any], code: str
) -> None:
    result = buyer.account()
    answer = buyer.authorize(result, **changes)
    assert (answer.status, answer.code) == (400, code)
    assert buyer.authorize(result).json["state"] == "Approved"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, "4400015"),
        ({"cryptogram": "AAECAwQFBgcICQoLDA0ODxAREhM=", "threeDSecure": PROOF}, "4400019"),
        ({"eciIndicator": "05", "redirectDetails": REDIRECTS}, "4400019"),
        *[({"threeDSecure": PROOF | {"transactionStatus": status}}, "4400017") for status in "CNRUI"],
    ],
)
def test_a_plain_card_has_its_authentication_and_nothing_else(
    buyer: Buyer, changes: dict[str, Any], code: str
) -> None:
    result = buyer.account("PAN_ONLY")
    answer = buyer.authorize(result, **changes)
    assert (answer.status, answer.code) == (400, code)
    assert buyer.authorize(result, threeDSecure=PROOF).json["state"] == "Approved"


def test_an_authentication_of_the_shops_own_pays_at_once(buyer: Buyer) -> None:
    for status in "YA":
        proof = PROOF | {"transactionStatus": status}
        answer = buyer.authorize(buyer.account("PAN_ONLY"), threeDSecure=proof, redirectDetails=REDIRECTS)
        assert answer.json["state"] == "Approved"
        assert "redirectUrl" not in answer.json


def test_an_account_is_used_once(buyer: Buyer) -> None:
    result = buyer.account()
    assert buyer.authorize(result).status == 200
    answer = buyer.authorize(result)
    assert (answer.status, answer.code) == (409, "4409009")


def test_a_pending_authorization_uses_the_account_and_a_failed_one_does_not(
    buyer: Buyer, control: SandboxControl
) -> None:
    result = buyer.account("PAN_ONLY")
    paying = {"redirectDetails": REDIRECTS, "clientSystemTransactionId": "WAITS"}
    assert buyer.authorize(result, **paying).json["state"] == "Pending"
    assert buyer.authorize(result, threeDSecure=PROOF).code == "4409009"
    control.complete_three_d_secure("WAITS", "failed")
    assert buyer.authorize(result, threeDSecure=PROOF).json["state"] == "Approved"


@pytest.mark.parametrize(
    "changes", [{"amount": "1,00"}, {"type": "ecom.capture"}, {"transactionMethod": "x"}, {"cryptogram": "x"}]
)
def test_a_wrong_body_is_refused_whole(buyer: Buyer, changes: dict[str, Any]) -> None:
    answer = buyer.authorize(buyer.account(), **changes)
    assert (answer.status, answer.code) == (400, "4107940")
    assert next(iter(changes)) in answer.message
