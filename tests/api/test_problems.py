"""Failures become one shape, and a failure nobody foresaw stays one."""

from __future__ import annotations

import pytest
from rest_framework.exceptions import APIException, MethodNotAllowed, ParseError

from wallet_gateway.api.problems import ExpiredLink, NotConfigured, UnknownLink, as_problem


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (UnknownLink(), 404, "unknown_link"),
        (ExpiredLink(), 410, "expired_link"),
        (NotConfigured(), 503, "not_configured"),
        (MethodNotAllowed("POST"), 405, "method_not_allowed"),
        (ParseError(), 400, "parse_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, APIException) else str(value),
)
def test_a_failure_says_its_code_and_one_sentence(fault: APIException, status: int, code: str) -> None:
    response = as_problem(fault, {})
    assert response is not None
    assert response.status_code == status
    assert set(response.data) == {"code", "message"}
    assert response.data["code"] == code
    assert response.data["message"].endswith(".")


def test_what_nobody_foresaw_is_left_to_fail() -> None:
    assert as_problem(ZeroDivisionError("an accident"), {}) is None
