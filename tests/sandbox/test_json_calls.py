"""JSON calls: reading input by name and kind, methods and bodies, results and errors as JSON."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.sandbox.merchant import JSON, Merchant
from tests.tables import every
from wallet_gateway.protocol.strict_json import JsonValue, NumberText
from wallet_gateway.sandbox.json_calls import (
    Input,
    InvalidInput,
    json_response,
    refusal_response,
    write_seconds,
)
from wallet_gateway.sandbox.refusals import CheckoutExpired

READ: dict[str, tuple[Callable[[Input], object], JsonValue, object, tuple[Any, ...]]] = {
    "text": (lambda given: given.optional_text("x"), "abc", "abc", ("", "  ", NumberText("1"), True, [], {})),
    "texts": (lambda given: given.text_list("x"), ["a"], ["a"], ("a", ["a", True], [None], {})),
    "choice": (
        lambda given: given.optional_choice("x", ("One", "two")),
        "ONE",
        "One",
        ("three", "", True, []),
    ),
    "seconds": (
        lambda given: given.optional_seconds("x"),
        NumberText("1.5"),
        timedelta(seconds=1.5),
        ("1.5", NumberText("-1"), NumberText("1e3"), NumberText("9" * 10), NumberText("0.1234567"), True),
    ),
    "whole": (
        lambda given: given.integer("x", minimum=1, maximum=5),
        NumberText("5"),
        5,
        ("5", NumberText("0"), NumberText("6"), NumberText("2.0"), NumberText("-1"), True),
    ),
    "flag": (lambda given: given.boolean("x"), False, False, ("true", NumberText("1"), [], {})),
}


@every("kind", READ)
def test_a_value_of_its_kind_is_read(kind: str) -> None:
    read, given, expected, _ = READ[kind]
    assert read(Input({"x": given})) == expected


@every("kind", READ)
@every("given", [{}, {"x": None}], ids=["absent", "null"])
def test_what_is_not_given_is_none(kind: str, given: dict[str, None]) -> None:
    assert READ[kind][0](Input(given)) is None


@every(
    ("read", "given"),
    [(READ[kind][0], value) for kind in READ for value in READ[kind][3]],
    ids=[f"{kind} {value!r}" for kind in READ for value in READ[kind][3]],
)
def test_a_value_of_another_kind_is_refused_by_name(read: Callable[[Input], object], given: str) -> None:
    with pytest.raises(InvalidInput, match=r"^x "):
        read(Input({"x": given}))


@pytest.mark.parametrize(
    "read",
    [
        lambda given: given.text("x"),
        lambda given: given.choice("x", ("a",)),
        lambda given: given.seconds("x"),
        lambda given: given.text_or_number("x"),
    ],
    ids=["text", "choice", "seconds", "text or number"],
)
def test_what_must_be_given_is_missed_by_name(read: Callable[[Input], object]) -> None:
    with pytest.raises(InvalidInput, match=r"^x is missing\.$"):
        read(Input({}))


@pytest.mark.parametrize("given", ["10.00", NumberText("10.00")], ids=["text", "number"])
def test_text_or_number_gives_what_is_written(given: str) -> None:
    assert Input({"x": given}).text_or_number("x") == "10.00"


@pytest.mark.parametrize("given", [True, [], {}], ids=repr)
def test_text_or_number_is_nothing_else(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="x must be a text or a number"):
        Input({"x": given}).text_or_number("x")


def test_text_has_a_greatest_length() -> None:
    assert Input({"x": "abc"}).text("x", max_length=3) == "abc"
    with pytest.raises(InvalidInput, match="at most 2"):
        Input({"x": "abc"}).text("x", max_length=2)


def test_a_choice_that_is_none_lists_those_that_are() -> None:
    with pytest.raises(InvalidInput, match="one of a, b, not 'c'"):
        Input({"x": "c"}).choice("x", ("a", "b"))


def test_what_nobody_read_is_refused_with_the_names_that_are_known() -> None:
    given = Input({"known": "a", "unknwon": "b"})
    given.text("known")
    given.optional_text("other")
    with pytest.raises(InvalidInput, match=r"no 'unknwon' here; this call knows known, other"):
        given.check_no_unread_fields()


def test_nothing_else_is_fine() -> None:
    given = Input({"known": "a", "nothing": None})
    given.text("known")
    given.check_no_unread_fields()


@every("text", ["0", "5", "0.25", "1.000001", "123456789", "999999999.5"])
def test_seconds_are_written_as_they_are_read(text: str) -> None:
    assert write_seconds(Input({"x": NumberText(text)}).seconds("x")) == text


def test_a_value_is_written_as_json_and_numbers_as_they_are() -> None:
    response = json_response({"a": NumberText("1.50"), "b": [None, True, "\u20ac"]}, status=201)
    assert (response.status_code, response["Content-Type"]) == (201, "application/json")
    assert response.content.decode() == '{"a":1.50,"b":[null,true,"\u20ac"]}'


def test_money_cannot_slip_out_as_a_float() -> None:
    with pytest.raises(TypeError):
        json_response({"amount": 1.5})


def test_a_refusal_is_its_status_and_its_error_body() -> None:
    response = refusal_response(CheckoutExpired("Too late."))
    assert response.status_code == 409
    assert response.content == b'{"code":"4409006","details":{"message":"CheckoutExpired: Too late."}}'


CALLS = {
    "reset": {"POST"},
    "merchants": {"POST"},
    "checkouts/complete": {"POST"},
    "pending/settle": {"POST"},
    "portal": {"POST"},
    "migration-file": {"POST"},
    "clock": {"POST", "PUT", "DELETE"},
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
