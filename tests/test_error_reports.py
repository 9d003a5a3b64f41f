"""The variables of a decorated function, and of the functions that it calls, stay out of error reports."""

from __future__ import annotations

import inspect
import sys

from django.views.debug import ExceptionReporter

from wallet_gateway.error_reports import sensitive_variables


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
    assert "********************" in report
    assert secret not in report


def test_a_decorated_function_keeps_its_name_and_signature() -> None:
    assert (find.__name__, find.__doc__) == ("find", "Find a card.")
    assert str(inspect.signature(find)) == "(number: 'str', *, digits: 'int' = 16) -> 'None'"
