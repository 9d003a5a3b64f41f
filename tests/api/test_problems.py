"""Failures become one shape, and a failure nobody foresaw stays one."""

from __future__ import annotations

import pytest
from rest_framework.exceptions import APIException, MethodNotAllowed, ParseError

from wallet_gateway.api.problems import TITLES, ExpiredLink, NotConfigured, UnknownLink, as_problem


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
    assert response.content_type == "application/problem+json"
    assert response.data == {
        "type": f"urn:wallet-gateway:problem:{code}",
        "title": str(TITLES[code]),
        "status": status,
        "detail": str(fault.detail),
        "code": code,
    }
    assert response.data["detail"].endswith(".")


def test_what_nobody_foresaw_is_left_to_fail() -> None:
    assert as_problem(ZeroDivisionError("an accident"), {}) is None
