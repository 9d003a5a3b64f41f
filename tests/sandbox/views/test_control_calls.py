"""What all control calls have in common: methods, bodies, and answers in JSON."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.merchant import JSON, Merchant
from tests.tables import every

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


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"advanceSeconds":NaN}', b'{"a":1,"A":2}', b"[" * 5000])
def test_an_unreadable_body_is_400(merchant: Merchant, body: bytes) -> None:
    assert merchant.send("POST", "/_sandbox/clock", body, JSON).status == 400


def test_too_large_a_body_is_413(merchant: Merchant) -> None:
    assert merchant.send("POST", "/_sandbox/migration-file", b"x" * 1_048_577).status == 413


@every("name", CALLS)
@every("method", ["GET", "POST", "PUT", "DELETE"])
def test_another_method_is_405_and_says_which_are_right(merchant: Merchant, name: str, method: str) -> None:
    answer = merchant.send(method, f"/_sandbox/{name}", b"{}")
    if method in CALLS[name]:
        assert answer.status != 405
    else:
        assert answer.status == 405
        assert set(answer.headers["allow"].split(", ")) == CALLS[name]


def test_a_plain_form_header_does_not_matter_to_curl_users(merchant: Merchant) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = merchant.send("POST", "/_sandbox/clock", b'{"advanceSeconds": 1}', headers)
    assert answer.status == 200


def test_every_answer_is_json(merchant: Merchant) -> None:
    answers: list[Any] = [
        merchant.send(method, f"/_sandbox/{name}", b"{}") for name in CALLS for method in ("GET", "POST")
    ]
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}
    assert {answer.status for answer in answers} <= {200, 400, 405}
