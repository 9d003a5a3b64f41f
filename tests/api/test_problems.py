"""Failures become one shape, and a failure nobody foresaw tells nothing and is reported."""

from __future__ import annotations

import pytest
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.core.signals import got_request_exception
from django.test import RequestFactory
from rest_framework.request import Request
from rest_framework.response import Response

from tests.support.tables import every
from wallet_gateway.api.base import JSONView
from wallet_gateway.api.problems import PROBLEMS, as_problem
from wallet_gateway.payments import errors
from wallet_gateway.payments.errors import ErrorCode

CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.OperationError)
]


@every(
    ("fault", "status", "code"),
    [(TooManyFieldsSent("fields"), 400, "invalid_body"), (RequestDataTooBig("bytes"), 413, "too_large")],
)
def test_what_django_refuses_is_the_requests_fault(fault: Exception, status: int, code: str) -> None:
    response = as_problem(fault, {})
    assert response is not None
    assert (response.status_code, response.data["code"]) == (status, code)


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
def test_each_refusal_is_a_problem_with_a_known_code_and_its_status(error: errors.OperationError) -> None:
    response = as_problem(error, {})
    assert response is not None
    assert PROBLEMS[response.data["code"]].status == response.status_code == response.data["status"]


@every("accident", [ZeroDivisionError("an accident: SECRET"), LookupError("SECRET")])
def test_an_accident_is_a_problem_that_tells_nothing_and_is_reported(
    accident: Exception, rf: RequestFactory, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(JSONView):
        def get(self, _request: Request) -> Response:
            raise accident

    told: list[object] = []
    got_request_exception.connect(listener := lambda **given: told.append(given["request"]))
    request = rf.get("/")
    response = Broken.as_view()(request)
    got_request_exception.disconnect(listener)

    assert response.render()["Content-Type"] == "application/problem+json"
    assert (response.status_code, response.data["code"]) == (500, "internal_error")
    assert "SECRET" not in response.content.decode()
    assert told == [request]
    assert "SECRET" in caplog.text
    assert response["Cache-Control"] == "no-store"
