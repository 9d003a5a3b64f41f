"""The control interface as it is called over HTTP: every call, its shape, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox.conftest import MIGRATION_HEADER
from tests.sandbox.merchant import JSON, SHOP, Answer, Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl

CALLS = {
    "reset": {"POST"},
    "merchants": {"POST"},
    "checkouts/complete": {"POST"},
    "pending/settle": {"POST"},
    "portal": {"POST"},
    "migration-file": {"POST"},
    "clock": {"POST"},
    "behaviour": {"POST"},
    "faults": {"GET", "POST", "DELETE"},
    "journal": {"GET"},
}
NAMED = {"clientSystemTransactionId": "ORDER-1"}
WRONG: list[tuple[str, object, str]] = [
    ("checkouts/complete", {}, "outcome"),
    ("checkouts/complete", {"outcome": "success"}, "clientSystemTransactionId"),
    ("checkouts/complete", NAMED | {"outcome": "paid"}, "outcome"),
    ("checkouts/complete", NAMED | {"outcome": "success", "outcom": 1}, "'outcom'"),
    ("pending/settle", NAMED | {"outcome": "cancelled"}, "outcome"),
    ("portal", NAMED | {"type": "ecom.sale", "amount": "1.00"}, "type"),
    ("portal", NAMED | {"type": "ecom.refund"}, "amount"),
    ("clock", {}, "advanceSeconds"),
    ("clock", {"advanceSeconds": "60"}, "advanceSeconds"),
    ("behaviour", {"duplicate": "reject"}, "'duplicate'"),
    ("faults", {"operation": "void", "fault": "empty"}, "operation"),
    ("faults", {"operation": "refund"}, "fault"),
    ("merchants", {"merchantId": "M", "storeId": "S"}, "userId"),
    ("merchants", {"merchantId": "M", "storeId": "S", "userId": "u", "origins": "*"}, "origins"),
    ("merchants", {"merchantId": "M" * 65, "storeId": "S", "userId": "u"}, "merchantId"),
    ("reset", {"hard": True}, "'hard'"),
    ("reset", [], "JSON object"),
]


def call(merchant: Merchant, name: str, body: object = None, method: str = "POST") -> Answer:
    data = None if body is None else json.dumps(body).encode()
    return merchant.send(method, f"/_sandbox/{name}", data, JSON)


@pytest.mark.parametrize(
    ("name", "body", "field"), WRONG, ids=[f"{name} {field}" for name, _, field in WRONG]
)
def test_what_a_call_cannot_mean_is_400_and_named(
    merchant: Merchant, name: str, body: object, field: str
) -> None:
    answer = call(merchant, name, body)
    assert answer.status == 400
    assert field in answer.message


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"advanceSeconds":NaN}', b'{"a":1,"A":2}', b"[" * 5000])
def test_an_unreadable_body_is_400(merchant: Merchant, body: bytes) -> None:
    assert merchant.send("POST", "/_sandbox/clock", body, JSON).status == 400


def test_too_large_a_body_is_413(merchant: Merchant) -> None:
    assert merchant.send("POST", "/_sandbox/migration-file", b"x" * 1_048_577).status == 413


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_another_method_is_405_and_says_which_are_right(merchant: Merchant, name: str, method: str) -> None:
    answer = call(merchant, name, {}, method)
    if method in CALLS[name]:
        assert answer.status != 405
    else:
        assert answer.status == 405
        assert set(answer.headers["allow"].split(", ")) == CALLS[name]


def test_an_unknown_call_is_404_with_the_error_body(merchant: Merchant) -> None:
    answer = call(merchant, "explode")
    assert (answer.status, answer.code) == (404, "4404000")


def test_a_plain_form_header_does_not_matter_to_curl_users(merchant: Merchant) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = merchant.send("POST", "/_sandbox/clock", b'{"advanceSeconds": 1}', headers)
    assert answer.status == 200


def test_words_are_taken_in_any_letter_case(merchant: Merchant, sale: str) -> None:
    body = {"clientSystemTransactionId": sale, "type": "ECOM.REFUND", "amount": 2.5}
    answer = call(merchant, "portal", body)
    assert (answer.status, answer.json["type"]) == (200, "ecom.refund")


def test_null_counts_as_not_given(merchant: Merchant) -> None:
    answer = call(merchant, "faults", {"operation": "*", "fault": "empty", "times": None, "seconds": None})
    assert answer.json == [{"operation": "*", "fault": "empty", "times": 1}]


def test_faults_can_be_listed_and_cleared(merchant: Merchant) -> None:
    call(merchant, "faults", {"operation": "refund", "fault": "late", "seconds": 90})
    waiting = [{"operation": "refund", "fault": "late", "times": 1, "seconds": 90}]
    assert call(merchant, "faults", method="GET").json == waiting
    assert call(merchant, "faults", method="DELETE").json == []
    assert call(merchant, "faults", method="GET").json == []


@pytest.mark.parametrize("amount", ["1,00", "-1", "0", "1.001", "abc", "1e2"])
def test_a_portal_amount_keeps_the_rules_of_amounts(merchant: Merchant, sale: str, amount: str) -> None:
    body = {"clientSystemTransactionId": sale, "type": "ecom.refund", "amount": amount}
    assert call(merchant, "portal", body).status == 400
    assert len(merchant.records(sale)) == 1


def test_a_merchant_is_answered_with_all_it_is(merchant: Merchant) -> None:
    body = {"merchantId": "M", "storeId": "S", "userId": "u"}
    loopback = ["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"]
    expected = body | {"provider": "ExampleWalletV2", "gateway": "examplegateway", "origins": loopback}
    assert call(merchant, "merchants", body).json == expected
    origins = {"provider": "OtherV2", "origins": ["https://shop.example"]}
    assert call(merchant, "merchants", body | origins).json == expected | origins


def test_an_added_merchant_can_use_the_gateway_at_once(merchant: Merchant, control: SandboxControl) -> None:
    ids = {"merchantId": "M", "storeId": "S", "userId": "u"}
    assert merchant.checkout(new_reference(), **ids).status == 403
    control.add_merchant(merchant_id="M", store_id="S", user_id="u", provider="OtherV2")
    details = {"checkoutDetails": {"paymentMethod": "OtherV2"}}
    assert merchant.checkout(new_reference(), **ids, **details).status == 200


def test_adding_a_merchant_again_changes_it_and_keeps_what_it_did(
    merchant: Merchant, control: SandboxControl
) -> None:
    ids = {"merchantId": "M", "storeId": "S"}
    control.add_merchant(merchant_id="M", store_id="S", user_id="old")
    merchant.checkout("ORDER-1", **ids, userId="old")
    control.add_merchant(merchant_id="M", store_id="S", user_id="new")
    assert merchant.checkout("ORDER-2", **ids, userId="old").status == 403
    assert control.complete_checkout("ORDER-1", "success") == f"{SHOP}?to=success"


def test_reset_forgets_everything_but_the_built_in_merchant(
    merchant: Merchant, control: SandboxControl, sale: str, deposit: str
) -> None:
    control.add_merchant(merchant_id="M", store_id="S", user_id="u")
    control.fault("*", "throttled", times=0)
    control.behaviour(duplicates="execute")
    control.reset()
    assert control.journal() == []
    assert call(merchant, "faults", method="GET").json == []
    assert merchant.records(sale) == []
    assert merchant.detached(new_reference(), deposit).status == 404
    assert merchant.checkout(sale).status == 200
    assert merchant.checkout(new_reference(), merchantId="M", storeId="S", userId="u").status == 403


def test_a_migration_file_is_any_text_by_its_lines(merchant: Merchant) -> None:
    row = "OLD-1,2024-03-01T09:30:00,50.00,EUR,0.00,P-1"
    text = f"{MIGRATION_HEADER}\r\n{row}\r\n".encode()
    answer = merchant.send("POST", "/_sandbox/migration-file", text, {"Content-Type": "text/csv"})
    assert answer.json == {"accepted": 1, "rejected": []}


@pytest.mark.parametrize("text", [b"\xff\xfe", b"a\xe9b"], ids=["byte order mark", "Latin-1"])
def test_a_migration_file_in_another_encoding_is_refused(merchant: Merchant, text: bytes) -> None:
    answer = merchant.send("POST", "/_sandbox/migration-file", text, {"Content-Type": "text/csv"})
    assert answer.status == 400
    assert "UTF-8" in answer.message


@pytest.mark.parametrize("name", [name for name, methods in CALLS.items() if "POST" in methods])
def test_a_page_of_another_site_cannot_make_a_browser_call(merchant: Merchant, name: str) -> None:
    answer = merchant.send("POST", f"/_sandbox/{name}", b"{}", {"Origin": "https://evil.example"})
    assert answer.status == 403
    assert "evil.example" in answer.message


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1:1", "http://127.0.0.1"])
def test_nor_can_a_page_that_hides_where_it_is_from(merchant: Merchant, origin: str) -> None:
    assert merchant.send("POST", "/_sandbox/reset", b"", {"Origin": origin}).status == 403


def test_its_own_pages_can(merchant: Merchant) -> None:
    assert merchant.send("POST", "/_sandbox/reset", b"", {"Origin": merchant.base_url}).status == 200


def test_every_answer_is_json(merchant: Merchant) -> None:
    answers: list[Any] = [call(merchant, name, {}, method) for name in CALLS for method in ("GET", "POST")]
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}
    assert {answer.status for answer in answers} <= {200, 400, 405}
