"""What is answered where no view is."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from tests.sandbox.merchant import Merchant
from wallet_gateway.sandbox.views.failures import server_error


@pytest.mark.parametrize("path", ["/nowhere", "/static/nothing.css", "/checkout/", "/static/../settings.py"])
def test_where_nothing_is_people_get_a_sentence_and_no_stack(merchant: Merchant, path: str) -> None:
    answer = merchant.send("GET", path)
    assert answer.status == (400 if ".." in path else 404)
    assert answer.headers["content-type"].startswith("text/")
    assert b"Traceback" not in answer.body


def test_an_unknown_call_is_404_with_the_error_body(merchant: Merchant) -> None:
    answer = merchant.send("POST", "/_sandbox/explode")
    assert (answer.status, answer.code) == (404, "4404000")


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/api/v5/checkout", "application/json"),
        ("/_sandbox/clock", "application/json"),
        ("/", "text/plain; charset=utf-8"),
        ("/checkout/x/", "text/plain; charset=utf-8"),
    ],
)
def test_a_failure_of_the_sandbox_is_said_to_be_one(path: str, content_type: str) -> None:
    response = server_error(RequestFactory().get(path))
    assert (response.status_code, response["Content-Type"]) == (500, content_type)
    assert b"The sandbox itself failed" in response.content
