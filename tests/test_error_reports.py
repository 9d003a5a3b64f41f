"""What leaves a decorated function: no variables of any frame, and no row in a database's words."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable, Iterator
from traceback import walk_tb
from types import SimpleNamespace

import pytest
from django.db import DataError, IntegrityError
from django.views.debug import ExceptionReporter

from tests.support.tables import every
from wallet_gateway.error_reports import hide_variables, sensitive_variables

SECRET = "-".join(("hunter2", "and", "more"))
"""Not as it stands here: a report quotes the lines of its frames."""


def fail(secret: str) -> None:
    copy = secret + secret
    raise LookupError(f"no card of {len(copy)} digits")


@sensitive_variables()
def find(number: str, *, digits: int = 16) -> None:
    """Find a card."""
    fail(number[:digits])


@sensitive_variables()
def chained(secret: str, *, because: bool = True) -> None:
    try:
        fail(secret)
    except LookupError as error:
        if because:
            raise ValueError("because") from error
        raise ValueError("meanwhile")  # noqa: B904 - that is the case


@sensitive_variables()
def numbers(secret: str) -> Iterator[int]:
    yield len(secret)
    fail(secret)


@sensitive_variables()
def stopped(secret: str) -> None:
    raise SystemExit(len(secret))


@sensitive_variables()
def grouped(secret: str) -> None:
    failures: list[Exception] = []
    for _ in range(2):
        try:
            fail(secret)
        except LookupError as error:
            failures.append(error)
    raise ExceptionGroup("both", failures)


def failed(work: Callable[[], object]) -> BaseException:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - whatever it is
        return error
    return pytest.fail("it did not fail")


def everything_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception with its causes, contexts and members."""
    if error is not None:
        yield error
        for other in (error.__cause__, error.__context__, *getattr(error, "exceptions", ())):
            yield from everything_of(other)


@every(
    "work",
    [
        lambda: find(SECRET),
        lambda: chained(SECRET),
        lambda: chained(SECRET, because=False),
        lambda: list(numbers(SECRET)),
        lambda: stopped(SECRET),
        lambda: grouped(SECRET),
    ],
)
def test_what_leaves_a_decorated_function_shows_no_variable_of_any_frame(work: Callable[[], object]) -> None:
    for error in everything_of(failed(work)):
        frames = [frame for frame, _ in walk_tb(error.__traceback__)]
        values = [value for frame in frames for value in frame.f_locals.values()]
        assert not [value for value in values if isinstance(value, str) and SECRET[:16] in value]


def test_a_report_still_names_every_frame() -> None:
    try:
        find(SECRET)
    except LookupError:
        kind, error, trace = sys.exc_info()
    assert trace is not None
    # The frame of this test shows its own variables, as the frame of any caller would.
    reporter = ExceptionReporter(None, kind, error, trace.tb_next)
    report = reporter.get_traceback_text() + reporter.get_traceback_html()
    assert "no card of 32 digits" in report
    assert "in fail" in report
    assert SECRET not in report


def test_a_decorated_function_keeps_its_name_its_signature_and_its_value() -> None:
    assert (find.__name__, find.__doc__) == ("find", "Find a card.")
    assert str(inspect.signature(find)) == "(number: 'str', *, digits: 'int' = 16) -> 'None'"
    assert sensitive_variables()(len)("four") == 4


def test_an_exception_that_was_caught_can_be_hidden_before_it_is_logged() -> None:
    error = failed(lambda: fail(SECRET))
    hide_variables(error)
    assert [frame.f_locals for frame, _ in walk_tb(error.__traceback__)][-1] == {}


def test_what_the_caller_was_handling_keeps_its_variables() -> None:
    def handle() -> None:
        try:
            fail(SECRET)
        except LookupError:
            chained(SECRET)

    outer = failed(handle).__cause__
    assert outer is not None
    assert outer.__context__ is not None
    *_, last = [frame for frame, _ in walk_tb(outer.__context__.__traceback__)]
    assert last.f_locals == {"secret": SECRET, "copy": SECRET * 2}


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


# The words of a database

REST = "the rest may quote a row and is left out"
ROW = "(7, ada@example.org, Canary Lane 17, o'brien)"
COLUMN = "wallet_gateway_walletattempt.gateway"
ONCE = "wallet_attempt_account_once"
UNIQUE = {"sqlstate": "23505", "constraint": ONCE}
ON_SQLITE = {"sqlite_errorname": "SQLITE_CONSTRAINT_UNIQUE"}


class _OfDriver(Exception):
    """A driver's error: psycopg and sqlite3 tell a state and, the first, a constraint."""

    def __init__(self, *args: object, constraint: str | None = None, **state: str) -> None:
        super().__init__(*args)
        self.diag = SimpleNamespace(constraint_name=constraint)
        vars(self).update(state)


@every(
    ("args", "driver", "kept"),
    [
        ([f'violates unique constraint "{ONCE}"\nDETAIL:  Key {ROW}.'], UNIQUE, [f"23505, {ONCE} ({REST})"]),
        ([f'null value in column "given"\nDETAIL:  Row {ROW}.'], {"sqlstate": "23502"}, [f"23502 ({REST})"]),
        ([f'no end: "{ROW}'], {"sqlstate": None}, [f"no code ({REST})"]),
        (
            [f"UNIQUE constraint failed: {COLUMN}"],
            ON_SQLITE,
            [f"SQLITE_CONSTRAINT_UNIQUE, {COLUMN} ({REST})"],
        ),
        ([1062, f"Duplicate entry '{ROW}' for key '{ONCE}'"], {}, [1062, f"1062, {ONCE} ({REST})"]),
        ([1366, f"Incorrect string value: '{ROW}' for column `given`"], {}, [1366, f"1366 ({REST})"]),
    ],
)
def test_of_a_database_error_the_code_and_the_constraint_stay(
    args: list[object], driver: dict[str, str], kept: list[object]
) -> None:
    error = IntegrityError(*args)
    error.__cause__ = _OfDriver(*args, **driver)
    hide_variables(error)
    assert list(error.args) == list(error.__cause__.args) == kept


def test_a_chain_that_bites_its_tail_is_emptied_once_and_other_texts_are_left_alone() -> None:
    first, second = IntegrityError("a"), DataError("b")
    first.__cause__, second.__cause__ = second, first
    hide_variables(first)
    assert [str(first), str(second)] == [f"no code ({REST})", f"no code ({REST})"]
    own = ValueError(f"what the shop says of {ROW}")
    hide_variables(own)
    assert ROW in str(own)
