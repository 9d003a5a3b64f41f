"""Everything that must not come of a hostile request to a shop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import unquote

from django.core.exceptions import SuspiciousOperation
from django.http.multipartparser import MultiPartParserError
from django.urls import Resolver404, resolve

from tests.fuzzing.requests import Request, Sample
from tests.fuzzing.shop import URLCONF
from tests.fuzzing.verdicts import MOST_SECONDS, Outcome, holds_canary, is_bad_input
from tests.support.problems import CONTENT_TYPE, PROBLEMS

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
ASKING = ("wallet/return/", "wallet/result/", "wallet/api/status/")
"""Where a GET asks the gateway how a payment stands and writes down what it says."""
UNREADABLE = (SuspiciousOperation, MultiPartParserError)
"""What Django answers with 400: too many fields, a malformed form."""


def faults_of(sample: Sample, request: Request, outcome: Outcome) -> Iterator[str]:
    """Say everything that must not have come of a request."""
    yield from _failures(request, outcome)
    if is_bad_input(outcome.status):
        yield from _effects_of_refused(sample, request, outcome)
    stranger = "sessionid" not in sample.headers.get("Cookie", "")
    asking = sample.address.route.startswith(ASKING)
    if outcome.written and stranger and request.method in SAFE and not asking:
        yield f"changed {outcome.written} for a stranger"
    if any(map(holds_canary, outcome.logged)):
        yield "logged a card number"
    if any(name.startswith("wallet_gateway") and holds_canary(value) for name, value in outcome.values):
        yield "stored a card number"


def _failures(request: Request, outcome: Outcome) -> Iterator[str]:
    if outcome.seconds > MOST_SECONDS:
        yield f"took {outcome.seconds:.1f} s"
    if _is_djangos_own(request, outcome):
        return
    if not 200 <= outcome.status < 500:
        yield f"answered {outcome.status} {outcome.body[:100]!r}"
    if outcome.faults:
        yield f"raised {outcome.faults!r}"


def _effects_of_refused(sample: Sample, request: Request, outcome: Outcome) -> Iterator[str]:
    if outcome.sent:
        yield f"was refused with {outcome.status}, and asked the gateway"
    if outcome.written:
        yield f"was refused with {outcome.status}, and wrote to {outcome.written}"
    if "wallet/api/" in sample.address.route and _has_view(request) and not _is_problem(outcome):
        yield f"answered {outcome.status} without a code: {outcome.body[:100]!r}"


def _is_djangos_own(request: Request, outcome: Outcome) -> bool:
    """Whether nothing of a project had a part in a failure.

    Django refuses an unreadable form, and reads it once more for the page that says so. Where no view is
    found it reads it there first. Where a type names a `charset`, it reads 1,000 parameters of a query before
    its handlers are there. Its pages of users and groups hand a number of more than 64 bits on to SQLite. Its
    lists filter by a date without a time zone, with a warning.
    """
    fault = outcome.faults[-1] if outcome.faults else None
    if "/admin/" in request.path and isinstance(fault, RuntimeWarning) and "naive datetime" in str(fault):
        return True
    if "/admin/auth/" in request.path and isinstance(fault, OverflowError):
        return True
    is_answered = 400 <= outcome.status < 500 or not _has_view(request) or outcome.status == 0
    return isinstance(fault, UNREADABLE) and is_answered


def _has_view(request: Request) -> bool:
    """Whether a request reaches a view; another host or path is refused by Django."""
    if "Host" in request.headers:
        return False
    try:
        resolve(unquote(request.path), URLCONF)
    except Resolver404:
        return False
    return True


def _is_problem(outcome: Outcome) -> bool:
    if outcome.headers.get("content-type") != CONTENT_TYPE:
        return False
    return not outcome.body or json.loads(outcome.body)["code"] in PROBLEMS
