"""The journal: every request in its order, what it was answered, unknown names, and no secrets in it."""

from __future__ import annotations

import json
from typing import Any

from tests.sandbox.merchant import CHECKOUT, JSON, TRANSACTIONS, Merchant, checkout_body, new_reference
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl

VISA = "4111111111111111"
SECRET_NAMES = (
    "apikey",
    "API_KEY",
    "authenticationValue",
    "Authorization",
    "cryptogram",
    "eciIndicator",
    "encryptedMessage",
    "Encryption_Key_Id",
    "paymentData",
    "signedMessage",
    "TOKEN",
)


def raw_journal(merchant: Merchant) -> str:
    return merchant.send("GET", "/_sandbox/journal").body.decode()


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


def test_requests_stand_in_the_order_of_their_arrival_under_the_names_of_their_operations(
    merchant: Merchant, control: SandboxControl
) -> None:
    merchant.checkout("A")
    merchant.refund("B", "A", type="ECOM.Refund")
    merchant.capture("C", "A")
    merchant.reverse("D", "A")
    merchant.detached("E", "OLD")
    merchant.status("A")
    body = {"TYPE": "Ecom.Capture", "merchantId": "M"}
    merchant.post(TRANSACTIONS, body)
    assert [entry["operation"] for entry in control.journal()] == [
        "checkout",
        "refund",
        "capture",
        "reversal",
        "detached_refund",
        "status",
        "capture",
    ]


@every(
    ("changes", "paths"),
    [
        ({"colour": 1}, ["colour"]),
        ({"shoppingCardDetails": {"gift": 1}}, ["shoppingCartDetails.gift"]),
        (
            {"shoppingCartDetails": {"ItemDetails": [{}, {"weight": 2}]}},
            ["shoppingCartDetails.itemDetails[1].weight"],
        ),
    ],
)
def test_unknown_fields_are_shown_with_their_paths(
    merchant: Merchant, control: SandboxControl, changes: dict[str, Any], paths: list[str]
) -> None:
    merchant.checkout(new_reference(), **changes)
    assert control.journal()[-1]["unknownFields"] == paths


def test_an_unknown_name_of_any_length_and_letters_is_accepted_and_quoted_safely(
    merchant: Merchant, control: SandboxControl
) -> None:
    assert merchant.checkout("A", **{"\u202e<b>" + "x" * 500: 1}).status == 200
    (path,) = control.journal()[0]["unknownFields"]
    assert path.isascii()
    assert len(path) <= 60


def test_secrets_are_masked_wherever_they_stand(merchant: Merchant) -> None:
    for name in SECRET_NAMES:
        deep = {name: {"deep": "CANARY"}}
        merchant.checkout(new_reference(), extra={"list": [{name: "CANARY"}, deep]})
        merchant.send("GET", f"/api/v5/apmTransactions?a=1&{name}=CANARY&b=2")
        for broken in (
            f'{{"{name}" : "CANARY", ',
            f'{{"{name}":CANARY}}',
            json.dumps(deep)[:-1],
            f'{{"{name}":"CANARY',
        ):
            merchant.send("POST", CHECKOUT, broken.encode(), JSON)
    raw = raw_journal(merchant)
    assert "CANARY" not in raw
    assert raw.count("[masked]") == len(SECRET_NAMES) * 7
    assert raw.count("&b=2") == len(SECRET_NAMES)


def test_an_object_that_is_a_secret_ends_a_broken_text_and_others_are_read_on(
    merchant: Merchant, control: SandboxControl
) -> None:
    broken = '{"a": {"token": "CANARY", "b": 1}, "paymentData": {"x": "CANARY"}, "c": "CANARY"'
    merchant.send("POST", CHECKOUT, broken.encode(), JSON)
    masked = '{"a": {"token": "[masked]", "b": 1}, "paymentData": "[masked]"'
    assert control.journal()[0]["body"] == masked


@every(
    "number",
    [
        *(VISA, "4111 1111 1111 1111", "4111-1111-1111-1111"),
        *("378282246310005", "6011111111111117", "3530111333300000"),
    ],
)
def test_a_card_number_is_masked_to_its_last_four(merchant: Merchant, number: str) -> None:
    before = raw_journal(merchant).count(f"***{number[-4:]}")
    merchant.checkout(new_reference(), providerDiscretionaryData=f"card {number} please")
    merchant.send("POST", CHECKOUT, f"broken {number} json".encode(), JSON)
    raw = raw_journal(merchant)
    assert number not in raw
    assert raw.count(f"***{number[-4:]}") == before + 2


@every(
    "changes",
    [
        {"clientSystemTransactionId": VISA},
        {"providerDiscretionaryData": "4111111111111112"},
        {"providerDiscretionaryData": "12345678901"},
        {"providerDiscretionaryData": "41111111111111111111"},
        {"more": [1.5, True, None, {"b": "text"}]},
    ],
    ids=["reference", "wrong check digit", "too short", "too long", "other kinds"],
)
def test_what_is_no_secret_is_shown_as_it_was(
    merchant: Merchant, control: SandboxControl, changes: dict[str, Any]
) -> None:
    body = checkout_body(new_reference(), **changes)
    merchant.post(CHECKOUT, body)
    assert control.journal()[-1]["body"] == body
