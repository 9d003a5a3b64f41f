"""The journal: every request in its order, what it was answered, and no secrets in it."""

from __future__ import annotations

import json

import pytest

from tests.sandbox.merchant import CHECKOUT, JSON, Merchant, checkout_body, new_reference
from wallet_gateway.testing.control import SandboxControl

VISA = "4111111111111111"


def test_an_entry_says_what_was_asked_and_what_was_answered(
    merchant: Merchant, control: SandboxControl
) -> None:
    reference = new_reference()
    answer = merchant.checkout(reference)
    (entry,) = control.journal()
    assert entry.pop("receivedAt").endswith("+00:00")
    assert entry == {
        "operation": "checkout",
        "method": "POST",
        "path": CHECKOUT,
        "body": checkout_body(reference),
        "status": 200,
        "answer": answer.json,
        "fault": None,
        "unknownFields": [],
    }


def test_requests_stand_in_the_order_of_their_arrival(merchant: Merchant, control: SandboxControl) -> None:
    merchant.checkout("A")
    merchant.refund("B", "A")
    merchant.capture("C", "A")
    merchant.reverse("D", "A")
    merchant.detached("E", "OLD")
    merchant.status("A")
    assert [entry["operation"] for entry in control.journal()] == [
        "checkout",
        "refund",
        "capture",
        "reversal",
        "detached_refund",
        "status",
    ]


def test_unknown_fields_are_accepted_and_shown_with_their_paths(
    merchant: Merchant, control: SandboxControl
) -> None:
    body = checkout_body("A", colour="red")
    body["checkoutDetails"]["mood"] = {"deep": 1}
    assert merchant.post(CHECKOUT, body).status == 200
    assert control.journal()[0]["unknownFields"] == ["checkoutDetails.mood", "colour"]


@pytest.mark.parametrize(
    "shape",
    [
        {"cryptogram": "CANARY"},
        {"threeDSecure": {"authenticationValue": "CANARY"}},
        {"paymentData": {"token": {"deep": "CANARY"}}},
        {"Encryption_Key": "CANARY"},
        {"APIKEY": "CANARY"},
        {"list": [{"signedMessage": "CANARY"}]},
    ],
    ids=lambda shape: next(iter(shape)),
)
def test_secrets_are_masked_wherever_they_stand(
    merchant: Merchant, control: SandboxControl, shape: dict[str, object]
) -> None:
    merchant.checkout("A", extra=shape)
    merchant.send("POST", CHECKOUT, json.dumps(shape).encode()[:-1], JSON)
    raw = merchant.send("GET", "/_sandbox/journal").body
    assert b"CANARY" not in raw
    assert raw.count(b"[masked]") == 2


@pytest.mark.parametrize("number", [VISA, "4111 1111 1111 1111", "4111-1111-1111-1111"])
def test_a_card_number_is_masked_to_its_last_four(
    merchant: Merchant, control: SandboxControl, number: str
) -> None:
    merchant.checkout("A", providerDiscretionaryData=f"card {number} please")
    merchant.send("POST", CHECKOUT, f"broken {number} json".encode(), JSON)
    raw = merchant.send("GET", "/_sandbox/journal").body
    assert number.encode() not in raw
    assert raw.count(b"***1111") == 2


def test_a_reference_that_looks_like_a_card_number_is_kept(
    merchant: Merchant, control: SandboxControl
) -> None:
    merchant.checkout(VISA)
    assert control.journal()[0]["body"]["clientSystemTransactionId"] == VISA
