"""What leaves a decorated function: no variables of any frame, and no row in a database's words."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterator
from traceback import walk_tb
from types import SimpleNamespace

import pytest
from django.db import DataError, IntegrityError
from django.views.debug import ExceptionReporter

from wallet_gateway.error_reports import hide_variables, sensitive_variables


def called(number: str) -> None:
    copy = number * 2
    raise LookupError(f"no card of {len(copy)} digits")


@sensitive_variables()
def find(number: str, *, digits: int = 16) -> None:
    """Find a card."""
    called(number[:digits])


def test_no_frame_of_a_decorated_function_shows_its_variables() -> None:
    secret = "4111" * 4
    try:
        find(secret)
    except LookupError:
        kind, error, trace = sys.exc_info()
    assert trace is not None
    # The frame of this test shows its own variables, as the frame of any caller would.
    reporter = ExceptionReporter(None, kind, error, trace.tb_next)
    report = reporter.get_traceback_text() + reporter.get_traceback_html()
    assert "no card of 32 digits" in report
    assert "in called" in report
    assert secret not in report


def test_a_decorated_function_keeps_its_name_and_signature() -> None:
    assert (find.__name__, find.__doc__) == ("find", "Find a card.")
    assert str(inspect.signature(find)) == "(number: 'str', *, digits: 'int' = 16) -> 'None'"


def test_an_exception_that_was_caught_can_be_hidden_before_it_is_logged() -> None:
    with pytest.raises(LookupError) as failure:
        called("4111")
    hide_variables(failure.value)
    assert [frame.f_locals for frame, _ in walk_tb(failure.value.__traceback__)][1:] == [{}]


SECRET = "hunter2-and-more"


def variables(error: BaseException | None) -> list[object]:
    """Return the values of all frames but the first, which is the caller's."""
    frames = [] if error is None else [frame for frame, _ in walk_tb(error.__traceback__)]
    return [value for frame in frames[1:] for value in frame.f_locals.values() if isinstance(value, str)]


def fail(secret: str) -> None:
    copy = secret + secret
    raise LookupError(len(copy))


@sensitive_variables()
def chained(secret: str, *, because: bool) -> None:
    try:
        fail(secret)
    except LookupError as error:
        if because:
            raise ValueError("because") from error
        raise ValueError("meanwhile")  # noqa: B904 - that is the case


@pytest.mark.parametrize("because", [True, False])
def test_a_chain_is_emptied_to_its_end(because: bool) -> None:
    with pytest.raises(ValueError, match=r"because|meanwhile") as failure:
        chained(SECRET, because=because)
    before = failure.value.__context__
    assert variables(failure.value) == variables(before) == []
    assert before is not None
    assert [frame.f_locals for frame, _ in walk_tb(before.__traceback__)] == [{}, {}]


def test_what_the_caller_was_handling_keeps_its_variables() -> None:
    def handle() -> None:
        try:
            fail(SECRET)
        except LookupError:
            chained(SECRET, because=True)

    with pytest.raises(ValueError, match="because") as failure:
        handle()
    outer = failure.value.__cause__
    assert outer is not None
    assert variables(outer.__context__) == [SECRET, SECRET * 2]


@sensitive_variables()
def numbers(secret: str) -> Iterator[int]:
    yield len(secret)
    fail(secret)


def test_a_generator_is_emptied_when_it_fails_later() -> None:
    given = numbers(SECRET)
    assert next(given) == len(SECRET)
    with pytest.raises(LookupError) as failure:
        next(given)
    assert variables(failure.value) == []


@sensitive_variables()
def groups(secret: str) -> None:
    failures: list[Exception] = []
    for _ in range(2):
        try:
            fail(secret)
        except LookupError as error:
            failures.append(error)
    raise ExceptionGroup("both", failures)


def test_each_member_of_a_group_is_emptied() -> None:
    with pytest.raises(ExceptionGroup) as group:
        groups(SECRET)
    for member in group.value.exceptions:
        assert [frame.f_locals for frame, _ in walk_tb(member.__traceback__)] == [{}, {}]


def test_a_request_to_stop_is_emptied_and_goes_on() -> None:
    @sensitive_variables()
    def stopped(secret: str) -> None:
        raise SystemExit(len(secret))

    with pytest.raises(SystemExit) as stop:
        stopped(SECRET)
    assert variables(stop.value) == []


def test_a_chain_that_bites_its_tail_is_emptied_once() -> None:
    first, second = IntegrityError("a"), DataError("b")
    first.__cause__, second.__cause__ = second, first
    hide_variables(first)
    assert [str(first), str(second)] == [f"no code ({REST})", f"no code ({REST})"]


def test_a_returned_value_passes_through() -> None:
    assert sensitive_variables()(len)("four") == 4


def test_a_coroutine_that_waits_in_a_handler_goes_on() -> None:
    caught: list[LookupError] = []

    async def wait() -> str:
        try:
            fail(SECRET)
        except LookupError as error:
            caught.append(error)
            await asyncio.sleep(0)
        return "done"

    @sensitive_variables()
    def leave() -> None:
        raise ValueError("later") from caught[0]

    waiting = wait()
    waiting.send(None)
    with pytest.raises(ValueError, match="later"):
        leave()
    with pytest.raises(StopIteration, match="done"):
        waiting.send(None)


REST = "the rest may quote a row and is left out"
ROW = "(7, ada@example.org, Canary Lane 17, o'brien)"
COLUMN = "wallet_gateway_walletattempt.gateway"


class _OfDriver(Exception):
    """A driver's error: psycopg and sqlite3 tell a state and, the first, a constraint."""

    def __init__(self, *args: object, constraint: str | None = None, **state: str) -> None:
        super().__init__(*args)
        self.diag = SimpleNamespace(constraint_name=constraint)
        vars(self).update(state)


ONCE = "wallet_attempt_account_once"


@pytest.mark.parametrize(
    ("args", "driver", "kept"),
    [
        (
            [f'duplicate key value violates unique constraint "{ONCE}"\nDETAIL:  Key {ROW}.'],
            {"sqlstate": "23505", "constraint": ONCE},
            [f"23505, {ONCE} ({REST})"],
        ),
        (
            [f'null value in column "given"\nDETAIL:  Failing row contains {ROW}.'],
            {"sqlstate": "23502"},
            [f"23502 ({REST})"],
        ),
        ([f'no end: "{ROW}'], {"sqlstate": None}, [f"no code ({REST})"]),
        (
            [f"UNIQUE constraint failed: {COLUMN}"],
            {"sqlite_errorname": "SQLITE_CONSTRAINT_UNIQUE"},
            [f"SQLITE_CONSTRAINT_UNIQUE, {COLUMN} ({REST})"],
        ),
        ([1062, f"Duplicate entry '{ROW}' for key '{ONCE}'"], {}, [1062, f"1062, {ONCE} ({REST})"]),
        (
            [1366, f"Incorrect string value: '{ROW}' for column `given` at row 1"],
            {},
            [1366, f"1366 ({REST})"],
        ),
    ],
)
def test_of_a_database_error_the_code_and_the_constraint_stay(
    args: list[object], driver: dict[str, str], kept: list[object]
) -> None:
    error = IntegrityError(*args)
    error.__cause__ = _OfDriver(*args, **driver)
    hide_variables(error)
    assert list(error.args) == list(error.__cause__.args) == kept


def test_the_text_of_other_exceptions_is_left_alone() -> None:
    own = ValueError(f"what the shop says of {ROW}")
    hide_variables(own)
    assert ROW in str(own)
