"""Failures become one shape, and a failure nobody foresaw tells nothing and is reported."""

from __future__ import annotations

import pytest
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.core.signals import got_request_exception
from django.http import HttpRequest
from django.test import Client

from tests.support.database_faults import meddling, raising
from tests.support.problems import CONTENT_TYPE, PROBLEMS
from tests.support.tables import every
from tests.web.conftest import address
from tests.web.rows import an_attempt, an_order
from wallet_gateway.payments import errors
from wallet_gateway.payments.errors import ErrorCode
from wallet_gateway.return_tokens import ReturnOutcome

pytestmark = pytest.mark.django_db
CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.OperationError)
]


@pytest.fixture
def status(client: Client) -> str:
    """The address of an attempt's status; what the client is answered with is never raised instead."""
    client.raise_request_exception = False
    return address("status", an_attempt(an_order()), ReturnOutcome.SUCCESS)


@every(
    ("fault", "code"),
    [(TooManyFieldsSent("fields"), "invalid_body"), (RequestDataTooBig("bytes"), "too_large")],
)
def test_what_django_refuses_is_the_requests_fault(
    fault: Exception, code: str, status: str, client: Client
) -> None:
    with meddling("SELECT", act=raising(fault)):
        answer = client.get(status)
    assert (answer.status_code, answer.json()["code"]) == (PROBLEMS[code], code)


@every(
    "error",
    [
        *(kind("No.") for kind in CLASSES if kind is not errors.AwaitingApproval),
        errors.InvalidInput("No.", ErrorCode.WALLET_SESSION_UNKNOWN),
        errors.OrderNotPayable("No.", ErrorCode.ORDER_ENDED),
        errors.InvalidState("No.", ErrorCode.TOO_MANY_RESULTS),
        errors.WalletUnavailable("No.", ErrorCode.WALLET_LIMIT_REACHED),
    ],
    ids=repr,
)
def test_each_refusal_is_a_problem_with_a_known_code_and_its_status(
    error: errors.OperationError, status: str, client: Client
) -> None:
    with meddling("SELECT", act=raising(error)):
        answer = client.get(status)
    assert PROBLEMS[answer.json()["code"]] == answer.status_code == answer.json()["status"]
    assert answer.status_code != 500


@every("accident", [ZeroDivisionError("an accident: SECRET"), LookupError("SECRET")])
def test_an_accident_is_a_problem_that_tells_nothing_and_is_reported(
    accident: Exception, status: str, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []

    def listen(request: HttpRequest, **_: object) -> None:
        told.append(request.path)

    got_request_exception.connect(listen)
    with meddling("SELECT", act=raising(accident)):
        answer = client.get(status)
    got_request_exception.disconnect(listen)

    assert answer["Content-Type"] == CONTENT_TYPE
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "SECRET" not in answer.content.decode()
    assert told == [status]
    assert "SECRET" in caplog.text
    assert answer["Cache-Control"] == "no-store"
