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


@pytest.mark.parametrize("network", ["VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB"])
def test_every_network_pays(buyer: Buyer, network: str) -> None:
    assert buyer.authorize(buyer.account(network=network)).json["state"] == "Approved"


def test_an_indicator_of_one_digit_is_that_of_two(buyer: Buyer) -> None:
    result = buyer.account(network="AMEX")
    assert result["eciIndicator"] == "5"
    assert buyer.authorize(result, eciIndicator="05").json["state"] == "Approved"


def test_a_sale_can_be_refunded(buyer: Buyer, merchant: Merchant) -> None:
    buyer.authorize(buyer.account(), clientSystemTransactionId="PAID-1")
    assert merchant.refund(new_reference(), "PAID-1", "4.00").json["state"] == "Approved"
    assert merchant.capture(new_reference(), "PAID-1").code == "4409003"


def test_a_pre_authorization_can_be_captured_and_refunded(buyer: Buyer, merchant: Merchant) -> None:
    kind = {"type": "ecom.preauthorization", "clientSystemTransactionId": "HELD-1"}
    assert buyer.authorize(buyer.account(), **kind).json["providerStateCode"] == "AuthorizedByProvider"
    record = merchant.record("HELD-1")
    assert record["type"] == "ecom.preauthorization"
    assert record["apmDetails"]["billingAddress"]["city"]
    assert merchant.capture(new_reference(), "HELD-1", "6.00").json["state"] == "Approved"
    assert merchant.refund(new_reference(), "HELD-1", "6.00").json["state"] == "Approved"


def test_a_pre_authorization_can_be_reversed(buyer: Buyer, merchant: Merchant) -> None:
    kind = {"type": "ecom.preauthorization", "clientSystemTransactionId": "HELD-1"}
    buyer.authorize(buyer.account(), **kind)
    assert merchant.reverse(new_reference(), "HELD-1").json["providerStateCode"] == "ReversedByProvider"


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


def test_a_token_card_is_sent_nowhere(buyer: Buyer) -> None:
    answer = buyer.authorize(buyer.account(), redirectDetails=REDIRECTS)
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
    ("amount", "state"), [("6660.01", "Errored"), ("6660.02", "Pending"), ("6660.03", "Errored")]
)
def test_special_amounts_do_what_they_always_do(buyer: Buyer, amount: str, state: str) -> None:
    assert buyer.authorize(buyer.account(), amount=amount).json["state"] == state


def test_a_reference_is_used_once(buyer: Buyer, merchant: Merchant) -> None:
    result = buyer.account()
    assert buyer.authorize(result, clientSystemTransactionId="PAID-1").status == 200
    assert buyer.authorize(buyer.account(), clientSystemTransactionId="PAID-1").code == "4409001"
    assert len(merchant.records("PAID-1")) == 1


def test_a_repetition_may_be_answered_as_the_first_time(buyer: Buyer, control: SandboxControl) -> None:
    control.behaviour(duplicates="replay")
    result = buyer.account()
    first = buyer.authorize(result, clientSystemTransactionId="PAID-1")
    assert buyer.authorize(result, clientSystemTransactionId="PAID-1").json == first.json


@pytest.mark.parametrize("name", ["merchantId", "storeId", "userId"])
def test_strangers_are_refused(buyer: Buyer, name: str) -> None:
    answer = buyer.authorize(buyer.account(), **{name: "nobody"})
    assert (answer.status, answer.code) == (403, "4403003")


def test_an_unknown_account_is_not_found(buyer: Buyer) -> None:
    answer = buyer.authorize({"transactionAccountId": "nobody"})
    assert (answer.status, answer.code) == (404, "4404004")


def test_without_a_key_nothing_is_done(buyer: Buyer, merchant: Merchant) -> None:
    result = buyer.account()
    buyer.keys["apiKey"] = "nobody"
    assert buyer.authorize(result, clientSystemTransactionId="PAID-1").status == 401
    assert merchant.records("PAID-1") == []


@pytest.mark.parametrize(
    "changes", [{"amount": "1,00"}, {"type": "ecom.capture"}, {"transactionMethod": "x"}, {"cryptogram": "x"}]
)
def test_a_wrong_body_is_refused_whole(buyer: Buyer, changes: dict[str, Any]) -> None:
    answer = buyer.authorize(buyer.account(), **changes)
    assert (answer.status, answer.code) == (400, "4107940")
    assert next(iter(changes)) in answer.message
