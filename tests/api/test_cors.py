"""CORS: which page may call and read, what a browser is told before it calls, and what nobody is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.api.app import APP, App
from tests.tables import every
from tests.web.conftest import address
from tests.web.rows import an_attempt, an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
KINDS = ["checkout", "session", "reference", "price", "event", "result"]
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
}
LISTED = [APP, "http://localhost:5173"]
ELSEWHERE = [
    "https://evil.example",
    "https://app.shop.example.evil.example",
    "https://evil.app.shop.example",
    "http://app.shop.example",
    "https://app.shop.example:8443",
    "https://app.shop.example/",
    "HTTPS://APP.SHOP.EXAMPLE",
    "null",
    "*",
    "",
]


@pytest.fixture(autouse=True)
def _listed(settings: Settings) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"API_ORIGINS": LISTED}


def path(kind: str) -> str:
    return reverse(f"wallet_gateway:wallet_{kind}", args=["of-any-order"])


def cors_headers(response: object) -> dict[str, str]:
    headers = response.headers  # type: ignore[attr-defined]
    return {name: value for name, value in headers.items() if name.startswith("Access-Control-")}


@every("kind", KINDS)
def test_a_browser_may_call_from_a_listed_origin(client: Client, kind: str) -> None:
    for origin in LISTED:
        answer = client.options(path(kind), headers=PREFLIGHT | {"Origin": origin})
        assert (answer.status_code, answer.content) == (204, b"")
        assert cors_headers(answer) == {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "Authorization, Content-Type",
            "Access-Control-Max-Age": "600",
            "Access-Control-Expose-Headers": "Retry-After, WWW-Authenticate",
        }
        assert "Origin" in answer["Vary"]
    # Without a method it is no preflight.
    assert client.options(path(kind), headers={"Origin": APP}).status_code == 405


@every("kind", KINDS)
def test_a_browser_may_not_call_from_anywhere_else(client: Client, kind: str, settings: Settings) -> None:
    for origins, listed in ((ELSEWHERE, LISTED), ([APP], [])):
        settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"API_ORIGINS": listed}
        for origin in origins:
            answer = client.options(path(kind), headers=PREFLIGHT | {"Origin": origin})
            assert (answer.status_code, cors_headers(answer)) == (405, {})


def test_a_listed_page_reads_success_and_failure(
    wallet_sandbox: SandboxControl, make_order: Callable[..., PaymentOrder]
) -> None:
    order = make_order()
    for app, status in ((App(order, origin=APP), 200), (App(order, origin=APP, token="wg_x"), 401)):
        answer = app.post("session")
        assert answer.status_code == status
        assert answer["Access-Control-Allow-Origin"] == APP
        assert "Origin" in answer["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer


def test_another_page_reads_nothing(
    wallet_sandbox: SandboxControl, make_order: Callable[..., PaymentOrder]
) -> None:
    for origin in filter(None, ELSEWHERE):
        answer = App(make_order(), origin=origin).post("session")
        assert (answer.status_code, cors_headers(answer)) == (403, {})
        assert "Origin" in answer["Vary"]


def test_the_status_is_told_to_a_listed_page_alone_and_a_customers_page_to_no_origin(client: Client) -> None:
    attempt = an_attempt(an_order(OrderState.PAID))
    url = address("status", attempt, ReturnOutcome.RETURN)
    for origin, status, allowed in ((APP, 200, APP), ("https://evil.example", 403, None)):
        answer = client.get(url, headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == status
        assert cors_headers(answer).get("Access-Control-Allow-Origin") == allowed
    page = client.get(address("result", attempt, ReturnOutcome.RETURN), headers={"Origin": APP})
    assert cors_headers(page) == {}
