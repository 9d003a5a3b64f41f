"""The tables of habits: each does what its name says to the answers it names, and nothing to the others."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.stub_gateway import answers
from tests.stub_gateway.answers import Answer, Kind
from tests.stub_gateway.book import REFUND, SALE, Book, Filing
from tests.stub_gateway.habits import FREE, PLAIN, free, having, pascal, renamed, without
from tests.stub_gateway.wrong import WRONG
from tests.tables import every


def every_answer() -> dict[Kind, Answer]:
    book = Book()
    sale = book.file("A", SALE, Decimal("20.50"), "EUR")
    detached = {
        "state": "Approved",
        "amount": "5.00",
        "currencyCode": "EUR",
        "clientSystemTransactionId": "D",
        "apmDetails": {"apmProviderName": "Example Wallet"},
    }
    given = (
        answers.checkout("https://gateway.example/pages/1"),
        Answer(Kind.FOLLOW_UP, sale.follow_up_answer()),
        Answer(Kind.AUTHORIZATION, sale.follow_up_answer()),
        Answer(Kind.DETACHED_REFUND, detached),
        Answer(
            Kind.STATUS,
            [*book.records("A", Filing.OWN), book.file("A", REFUND, Decimal(1), "EUR").record("A")],
        ),
        answers.keys("pk", "ek"),
        answers.account("Token"),
        answers.error("4107940", "SchemaValidationError: amount"),
    )
    return {answer.kind: answer for answer in given}


EVERY = (*FREE, *WRONG)


@every("habit", EVERY, ids=[habit.name for habit in EVERY])
def test_a_habit_changes_the_answers_that_it_names(habit: object) -> None:
    assert isinstance(habit, type(PLAIN))
    changed = {kind for kind, answer in every_answer().items() if habit.change(answer) != answer}
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
