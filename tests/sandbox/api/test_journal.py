"""The journal: every request in its order, what it was answered, and no secrets in it."""

from __future__ import annotations

import json

import pytest

from tests.sandbox.merchant import CHECKOUT, JSON, TRANSACTIONS, Merchant, checkout_body, new_reference
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


def test_a_query_is_part_of_the_path(merchant: Merchant, control: SandboxControl) -> None:
    merchant.status("A b&c")
    assert control.journal()[0]["path"] == (
        f"{TRANSACTIONS}?merchantId=SANDBOX-MERCHANT&storeId=SANDBOX-STORE&clientSystemTransactionId=A+b%26c"
    )


def test_what_could_not_be_understood_has_no_operation(merchant: Merchant, control: SandboxControl) -> None:
    merchant.send("POST", TRANSACTIONS, b"{nonsense", JSON)
    merchant.send("PUT", "/api/v5/nowhere", b"x", {"Content-Type": "text/plain"})
    first, second = control.journal()
    assert (first["operation"], first["body"], first["status"]) == (None, "{nonsense", 400)
    assert (second["operation"], second["method"], second["status"]) == (None, "PUT", 404)


def test_a_wrong_message_still_has_its_operation(merchant: Merchant, control: SandboxControl) -> None:
    merchant.checkout("A", amount="x")
    merchant.refund("B", "A", "x")
    assert [entry["operation"] for entry in control.journal()] == ["checkout", "refund"]


def test_unknown_fields_are_accepted_and_shown_with_their_paths(
    merchant: Merchant, control: SandboxControl
) -> None:
    body = checkout_body("A", colour="red")
    body["checkoutDetails"]["mood"] = {"deep": 1}
    assert merchant.post(CHECKOUT, body).status == 200
    assert control.journal()[0]["unknownFields"] == ["checkoutDetails.mood", "colour"]


def test_pages_and_control_calls_are_not_in_it(merchant: Merchant, control: SandboxControl) -> None:
    merchant.send("GET", "/")
    control.behaviour()
    assert control.journal() == []


def test_numbers_stay_as_they_were_written(merchant: Merchant, control: SandboxControl) -> None:
    body = json.dumps(checkout_body("A")).replace('"10.00"', "10.50").encode()
    merchant.send("POST", CHECKOUT, body, JSON)
    raw = merchant.send("GET", "/_sandbox/journal").body
    assert b'"amount":10.50' in raw


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


def test_a_huge_body_is_cut(merchant: Merchant, control: SandboxControl) -> None:
    merchant.send("POST", CHECKOUT, b"x" * 500_000, JSON)
    assert len(control.journal()[0]["body"]) == 100_000
