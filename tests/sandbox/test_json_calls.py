"""JSON calls: reading input by name and kind, methods and bodies, results and errors as JSON."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.tables import every
from wallet_gateway.protocol.strict_json import JsonValue, NumberText
from wallet_gateway.sandbox.json_calls import (
    Input,
    InvalidInput,
    json_response,
)

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


def test_what_nobody_read_is_refused_with_the_names_that_are_known() -> None:
    given = Input({"known": "a", "unknwon": "b"})
    given.text("known")
    given.optional_text("other")
    with pytest.raises(InvalidInput, match=r"no 'unknwon' here; this call knows known, other"):
        given.check_no_unread_fields()


def test_money_cannot_slip_out_as_a_float() -> None:
    with pytest.raises(TypeError):
        json_response({"amount": 1.5})
