"""What leaves a decorated function: no variables of any frame, and no row in a database's words."""

from __future__ import annotations

import inspect
import sys
from traceback import walk_tb

import pytest
from django.db import DataError, Error, IntegrityError, OperationalError
from django.views.debug import ExceptionReporter

from tests.tables import every
from wallet_gateway.error_reports import hide_variables, remove_row_values, sensitive_variables

ROW = "(7, ada@example.org, Canary Lane 17, o'brien)"


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


class _OfDriver(Exception):
    def __init__(self, *args: object, state: str | None = None) -> None:
        super().__init__(*args)
        self.sqlstate = state


def raised(kind: type[Error], *args: object, state: str | None = "23505") -> Error:
    """Return an error of Django's with the driver's as its cause, without what their rows hold."""
    error = kind(*args)
    error.__cause__ = _OfDriver(*args, state=state)
    remove_row_values(error)
    assert error.args == error.__cause__.args
    return error


QUOTED = [
    (
        IntegrityError,
        f'null value in column "given" violates not-null constraint\nDETAIL:  Failing row contains {ROW}.',
        'null value in column "given" violates not-null constraint',
    ),
    (
        IntegrityError,
        'duplicate key value violates unique constraint "wallet_attempt_account_once"\nDETAIL:  Key (x).',
        'duplicate key value violates unique constraint "wallet_attempt_account_once"',
    ),
    (
        DataError,
        'bad value for type integer: "ada"',
        "bad value for type integer: [removed]",
    ),
    (DataError, 'no end: "ada', "no end: [removed]"),
    (OperationalError, 'failed for "ada"', "failed for [removed]"),
    (
        IntegrityError,
        "UNIQUE constraint failed: wallet_gateway_walletattempt.gateway",
        "UNIQUE constraint failed: wallet_gateway_walletattempt.gateway",
    ),
]


@every(("kind", "text", "kept"), QUOTED)
def test_of_a_database_error_the_names_stay_and_the_row_goes(kind: type[Error], text: str, kept: str) -> None:
    assert raised(kind, text).args == (kept,)


NUMBERED = [
    (
        IntegrityError,
        1062,
        "Duplicate entry 'default-o'brien \"x' for key 'wallet_attempt_account_once'",
        "Duplicate entry [removed] 'wallet_attempt_account_once'",
    ),
    (
        OperationalError,
        1366,
        "Incorrect string value: '\\xF0' for column `shop`.`wallet_gateway_walletattempt`.`given` at row 1",
        "Incorrect string value: [removed] `given`",
    ),
    (
        OperationalError,
        2003,
        "Can't connect to server on '127.0.0.1' (115)",
        "Can't connect to server on '127.0.0.1' (115)",
    ),
]


@every(("kind", "number", "text", "kept"), NUMBERED)
def test_an_error_with_a_number_keeps_it(kind: type[Error], number: int, text: str, kept: str) -> None:
    assert raised(kind, number, text).args == (number, kept)


@every("state", [None, "57P01", "08006"])
def test_what_is_said_of_a_connection_stays(state: str | None) -> None:
    text = 'connection to server at "127.0.0.1", port 5432 failed\n\tIs the server running?'
    assert raised(OperationalError, text, state=state).args == (text,)


def test_a_long_text_is_cut_and_other_exceptions_are_left_alone() -> None:
    assert len(str(raised(OperationalError, "x" * 9_000, state=None))) == 500
    own = ValueError(f"what the shop says of {ROW}")
    remove_row_values(own)
    assert ROW in str(own)
