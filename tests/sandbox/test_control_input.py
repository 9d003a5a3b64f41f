"""Reading control input by name and kind."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.tables import every
from wallet_gateway.protocol.strict_json import JsonValue, NumberText
from wallet_gateway.sandbox.control_input import Input, InvalidInput, write_seconds

READ: dict[str, tuple[Callable[[Input], object], JsonValue, object, tuple[Any, ...]]] = {
    "text": (lambda given: given.optional_text("x"), "abc", "abc", ("", "  ", NumberText("1"), True, [], {})),
    "texts": (lambda given: given.texts("x"), ["a"], ["a"], ("a", ["a", True], [None], {})),
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
        lambda given: given.whole("x", lowest=1, highest=5),
        NumberText("5"),
        5,
        ("5", NumberText("0"), NumberText("6"), NumberText("2.0"), NumberText("-1"), True),
    ),
    "flag": (lambda given: given.flag("x"), False, False, ("true", NumberText("1"), [], {})),
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
    assert Input({"x": "abc"}).text("x", longest=3) == "abc"
    with pytest.raises(InvalidInput, match="at most 2"):
        Input({"x": "abc"}).text("x", longest=2)


def test_a_choice_that_is_none_lists_those_that_are() -> None:
    with pytest.raises(InvalidInput, match="one of a, b, not 'c'"):
        Input({"x": "c"}).choice("x", ("a", "b"))


def test_what_nobody_read_is_refused_with_the_names_that_are_known() -> None:
    given = Input({"known": "a", "unknwon": "b"})
    given.text("known")
    given.optional_text("other")
    with pytest.raises(InvalidInput, match=r"no 'unknwon' here; this call knows known, other"):
        given.check_nothing_else()


def test_nothing_else_is_fine() -> None:
    given = Input({"known": "a", "nothing": None})
    given.text("known")
    given.check_nothing_else()


@every("text", ["0", "5", "0.25", "1.000001", "123456789", "999999999.5"])
def test_seconds_are_written_as_they_are_read(text: str) -> None:
    assert write_seconds(Input({"x": NumberText(text)}).seconds("x")) == text
