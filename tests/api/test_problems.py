"""Failures become one shape, and a failure nobody foresaw stays one."""

from __future__ import annotations

import pytest
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.core.signals import got_request_exception
from django.test import RequestFactory
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from tests.operations.test_errors import CLASSES
from tests.tables import every
from wallet_gateway.api.base import JSONView
from wallet_gateway.api.problems import PROBLEMS, ExpiredLink, NotConfigured, UnknownLink, as_problem
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operations.errors import (
    AwaitingApproval,
    InvalidInput,
    InvalidState,
    OperationError,
    OrderNotPayable,
    WalletUnavailable,
)


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (UnknownLink(), 404, "unknown_link"),
        (ExpiredLink(), 410, "expired_link"),
        (NotConfigured(), 503, "not_configured"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, APIException) else str(value),
)
def test_a_failure_says_its_code_and_one_sentence(fault: APIException, status: int, code: str) -> None:
    response = as_problem(fault, {})
    assert response is not None
    assert response.status_code == status
    assert response.content_type == "application/problem+json"
    assert response.data == {
        "type": f"urn:wallet-gateway:problem:{code}",
        "title": str(PROBLEMS[code].title),
        "status": status,
        "detail": str(fault.detail),
        "code": code,
    }
    assert response.data["detail"].endswith(".")


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [(TooManyFieldsSent("fields"), 400, "invalid_body"), (RequestDataTooBig("bytes"), 413, "too_large")],
)
def test_what_django_refuses_is_the_requests_fault(fault: Exception, status: int, code: str) -> None:
    response = as_problem(fault, {})
    assert response is not None
    assert (response.status_code, response.data["code"]) == (status, code)


def test_what_nobody_foresaw_is_left_to_fail() -> None:
    assert as_problem(ZeroDivisionError("an accident"), {}) is None


@every(
    "error",
    [
        *(kind("No.") for kind in CLASSES.values() if kind is not AwaitingApproval),
        InvalidInput("No.", ErrorCode.WALLET_SESSION_UNKNOWN),
        OrderNotPayable("No.", ErrorCode.ORDER_ENDED),
        InvalidState("No.", ErrorCode.TOO_MANY_RESULTS),
        WalletUnavailable("No.", ErrorCode.WALLET_LIMIT_REACHED),
    ],
    ids=repr,
)
def test_each_refusal_is_a_problem_with_a_known_code_and_its_status(error: OperationError) -> None:
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
    assert "accident" in caplog.text or "SECRET" in caplog.text
    assert response["Cache-Control"] == "no-store"
