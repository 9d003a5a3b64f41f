"""The tables of habits: each does what its name says to the answers it names, and nothing to the others."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.stub_gateway import answers
from tests.stub_gateway.answers import Answer, Kind
from tests.stub_gateway.book import REFUND, SALE, Book
from tests.stub_gateway.habits import FREE, PLAIN, free, having, pascal, renamed, without
from tests.stub_gateway.wrong import WRONG
from tests.tables import every


def every_answer() -> dict[Kind, Answer]:
    book = Book()
    sale = book.file("A", SALE, Decimal(20), "EUR")
    codes = {"providerResponseCode": "00", "providerAuthorizationID": "P-1"}
    detached = answers.detached_refund("D", Decimal("5.00"), "EUR")
    given = (
        answers.checkout("https://gateway.example/pages/1"),
        Answer(Kind.FOLLOW_UP, sale.follow_up_answer()),
        Answer(Kind.AUTHORIZATION, sale.follow_up_answer()),
        replace(detached, body={**detached.body, **codes}),
        Answer(Kind.STATUS, [sale.record("A"), book.file("B", REFUND, Decimal("1.50"), "EUR").record("A")]),
        answers.keys("pk", "ek"),
        answers.account("Token"),
        answers.error("4107940", "SchemaValidationError: amount"),
    )
    return {answer.kind: answer for answer in given}


def _sent(answer: Answer) -> tuple[object, ...]:
    """Return what goes over the wire: 20 and 20.0 are equal in Python, and not there."""
    http = (answer.status, answer.content_type, answer.headers, answer.is_chunked, answer.closes)
    return answer.content, *http


EVERY = (*FREE, *WRONG)


@every("habit", EVERY, ids=[habit.name for habit in EVERY])
def test_a_habit_changes_the_answers_that_it_names(habit: object) -> None:
    assert isinstance(habit, type(PLAIN))
    changed = {
        kind for kind, answer in every_answer().items() if _sent(habit.change(answer)) != _sent(answer)
    }
    assert bool(changed) is (habit is not PLAIN)
    assert changed <= (habit.kinds or set(Kind))


def test_every_habit_has_a_name_of_its_own() -> None:
    assert len({habit.name for habit in EVERY}) == len(EVERY) > 150


def test_the_habits_of_a_kind_are_its_own_and_those_of_all() -> None:
    assert PLAIN in free(Kind.KEYS)
    assert "keys: expiresAt null" in {habit.name for habit in free(Kind.KEYS)}
    assert "keys: expiresAt null" not in {habit.name for habit in free(Kind.STATUS)}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without("a.b"), [{"a": {"c": 1}}]),
        (without("x.y"), [{"a": {"b": 2, "c": 1}}]),
        (having("a.b", None), [{"a": {"b": None, "c": 1}}]),
        (having("d", 3), [{"a": {"b": 2, "c": 1}, "d": 3}]),
        (renamed(pascal), [{"A": {"B": 2, "C": 1}}]),
    ],
)
def test_a_change_finds_its_place_in_every_element(change: object, expected: object) -> None:
    assert callable(change)
    value = [{"a": {"b": 2, "c": 1}}]
    assert change(value) == expected
    assert value == [{"a": {"b": 2, "c": 1}}], "the answer that was given stays as it is"
