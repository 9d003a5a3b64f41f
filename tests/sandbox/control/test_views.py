"""The control interface as it is called over HTTP: every call, its shape, and what it refuses."""

from __future__ import annotations

import json

import pytest

from tests.sandbox.conftest import MIGRATION_HEADER
from tests.sandbox.merchant import JSON, Answer, Merchant

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


def test_a_migration_file_is_any_text_by_its_lines(merchant: Merchant) -> None:
    row = "OLD-1,2024-03-01T09:30:00,50.00,EUR,0.00,P-1"
    text = f"{MIGRATION_HEADER}\r\n{row}\r\n".encode()
    answer = merchant.send("POST", "/_sandbox/migration-file", text, {"Content-Type": "text/csv"})
    assert answer.json == {"accepted": 1, "rejected": []}


@pytest.mark.parametrize("text", [b"\xff\xfea", b"a\xe9b"], ids=["half of UTF-16", "Latin-1"])
def test_a_migration_file_in_another_encoding_has_a_bad_first_row(merchant: Merchant, text: bytes) -> None:
    answer = merchant.send("POST", "/_sandbox/migration-file", text, {"Content-Type": "text/csv"})
    (rejected,) = answer.json["rejected"]
    assert (answer.json["accepted"], rejected["line"]) == (0, 1)
    assert "UTF-8" in rejected["reason"]


def test_a_bad_byte_is_reported_with_its_row_and_the_rows_around_it_are_read(merchant: Merchant) -> None:
    rows = [
        MIGRATION_HEADER.encode(),
        b"OLD-1,2024-03-01T09:30:00,50.00,EUR,0.00,P-1",
        b"OLD-\xe9,2024-03-01T09:30:00,50.00,EUR,0.00,P-2",
        b"OLD-3,2024-03-01T09:30:00,50.00,EUR,0.00,P-3",
    ]
    path = "/_sandbox/migration-file?keepGood=1"
    answer = merchant.send("POST", path, b"\n".join(rows), {"Content-Type": "text/csv"})
    (rejected,) = answer.json["rejected"]
    assert (answer.json["accepted"], rejected["line"]) == (2, 3)
    assert "UTF-8" in rejected["reason"]
