"""Answers are read in any letter case, exactly, and without showing what is in them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from tests.tables import every
from wallet_gateway.conformance.answers import MISSING, Answer, has, member


def answer(value: Any, status: int = 200) -> Answer:  # noqa: ANN401  (a JSON value)
    return Answer(status, "application/json", json.dumps(value).encode())


def test_members_are_found_in_any_letter_case_and_below_each_other() -> None:
    value = {"Details": {"MESSAGE": "no"}, "id": None}
    assert member(value, "details.message") == "no"
    assert member(value, "details.other.more") is MISSING
    assert member(value, "id") is None
    assert not has(value, "id")
    assert member([], "id") is MISSING


def test_numbers_are_exact() -> None:
    given = Answer(200, "application/json", b'{"a": 0.10, "b": 12345678901234567890}')
    assert member(given.value, "a") == Decimal("0.10")
    assert member(given.value, "b") == 12345678901234567890


@every("body", [b"", b"{", b"NaN", b'{"a": Infinity}', b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_missing(body: bytes) -> None:
    assert not Answer(200, "application/json", body).is_json


@every(
    ("given", "is_success", "is_refusal"),
    [
        (answer({"redirectUrl": "https://x"}), True, False),
        (answer([]), True, False),
        (answer({"code": "1"}), False, True),
        (answer({"code": "1"}, 500), False, True),
        (answer({"code": "1", "state": "Approved"}), True, False),
        (answer({}, 404), False, True),
        (answer({}, 500), False, False),
        (answer("ok"), False, False),
        (Answer(200, "text/html", b"<p>"), False, False),
    ],
)
def test_a_success_a_refusal_or_neither(given: Answer, is_success: bool, is_refusal: bool) -> None:
    assert (given.is_success, given.is_refusal) == (is_success, is_refusal)


@every(
    ("given", "shown"),
    [
        (answer({"apiKey": "pk-secret"}), "HTTP 200 with the members apiKey"),
        (answer([{"id": "secret"}]), "HTTP 200 with an array of 1"),
        (answer({"code": "7", "details": {"message": "No"}}, 400), "HTTP 400 with code 7: No"),
        (answer("secret"), "HTTP 200 with JSON"),
        (Answer(502, "text/html", b"secret"), "HTTP 502 with text/html"),
        (Answer(204, "", b""), "HTTP 204 with an empty body"),
    ],
)
def test_an_answer_is_shown_without_its_values(given: Answer, shown: str) -> None:
    assert str(given) == shown


def test_a_single_record_counts_as_one_and_an_error_as_none() -> None:
    assert answer({"id": "1"}).records == [{"id": "1"}]
    assert answer([{"id": "1"}, None, 7]).records == [{"id": "1"}]
    assert answer({"code": "1"}).records == []
