"""Apps with an access token: what they can do without a cookie, and from which origins."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.api.app import APP, App
from tests.api.browser import Browser
from tests.api.test_refusals import INVALID, KINDS
from tests.money.wallet.customers import detail_for
from tests.support.gateway import record
from tests.support.shop import Shop
from tests.support.tables import every
from tests.web.conftest import address
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome

pytestmark = pytest.mark.django_db


# Without a cookie


def test_an_app_pays_on_the_gateways_page_without_any_cookie(order: PaymentOrder, shop: Shop) -> None:
    app = App(order)
    opened = app.post("checkout")
    assert opened.status_code == 200
    attempt, page = order.payments.get(), opened.json()
    assert page["redirectUrl"] == attempt.redirect_url
    shop.report(attempt, record(attempt.reference, transactionAmount=24.90))
    status = app.client.get(page["statusUrl"]).json()
    assert (status["state"], status["final"]) == ("PAID", True)
    assert not app.client.cookies


def test_an_app_pays_by_the_wallet_without_any_cookie(
    order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = App(order)
    reference = app.open()["reference"]
    assert app.post("price", {"reference": reference}).json()["total"] == "24.90"
    assert app.post("event", {"reference": reference, "event": "READY"}).status_code == 204
    assert app.post("reference", {"after": reference}).status_code == 200
    with monkeypatch.context() as later:
        later.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
        assert app.post("result", detail_for(reference)).json() == INVALID
    # A new token continues what the expired one began.
    assert App(order).post("result", detail_for(reference)).json()["outcome"] == "APPROVED"
    assert payments.get_order(order.reference).state == "PAID"
    assert not app.client.cookies


def test_a_session_of_a_browser_is_not_continued_by_a_token_nor_the_other_way(order: PaymentOrder) -> None:
    browser, app = Browser(), App(order)
    of_browser, of_app = browser.open(order)["reference"], app.open()["reference"]
    assert app.post("result", detail_for(of_browser)).status_code == 404
    assert browser.post("result", order, detail_for(of_app)).status_code == 404
    assert payments.get_order(order.reference).state == "OPEN"


# From another origin


LISTED = [APP, "http://localhost:5173"]
ELSEWHERE = [
    *("https://evil.example", "https://app.shop.example.evil.example", "https://evil.app.shop.example"),
    *("http://app.shop.example", "https://app.shop.example:8443", "https://app.shop.example/"),
    *("HTTPS://APP.SHOP.EXAMPLE", "null", "*", ""),
]
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
}


@pytest.fixture(autouse=True)
def _listed(settings: Settings, shop: Shop) -> None:
    shop.set(API_ORIGINS=LISTED)


def path(kind: str) -> str:
    return reverse(f"wallet_gateway:wallet_{kind}", args=["of-any-order"])


def cors_headers(response: object) -> dict[str, str]:
    headers = response.headers  # type: ignore[attr-defined]
    return {name: value for name, value in headers.items() if name.startswith("Access-Control-")}


@every("kind", KINDS)
def test_a_browser_may_call_from_a_listed_origin_and_from_nowhere_else(
    kind: str, client: Client, settings: Settings
) -> None:
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
    for origin in ELSEWHERE:
        answer = client.options(path(kind), headers=PREFLIGHT | {"Origin": origin})
        assert (answer.status_code, cors_headers(answer)) == (405, {})


def test_where_no_origin_is_listed_none_may_call(client: Client, shop: Shop) -> None:
    shop.set(API_ORIGINS=[])
    answer = client.options(path("session"), headers=PREFLIGHT | {"Origin": APP})
    assert (answer.status_code, cors_headers(answer)) == (405, {})


def test_a_listed_page_reads_success_and_failure_and_another_one_nothing(order: PaymentOrder) -> None:
    for app, status in ((App(order, origin=APP), 200), (App(order, origin=APP, token="wg_x"), 401)):
        answer = app.post("session")
        assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (status, APP)
        assert "Origin" in answer["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer
    for origin in filter(None, ELSEWHERE):
        answer = App(order, origin=origin).post("session")
        assert (answer.json()["code"], cors_headers(answer)) == ("cross_site_request", {})
        assert "Origin" in answer["Vary"]


def test_the_status_is_told_to_a_listed_page_alone_and_a_customers_page_to_no_origin(
    client: Client, shop: Shop
) -> None:
    attempt = shop.pay()
    url = address("status", attempt, ReturnOutcome.RETURN)
    for origin, status, allowed in ((APP, 200, APP), ("https://evil.example", 403, None)):
        answer = client.get(url, headers={"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == status
        assert cors_headers(answer).get("Access-Control-Allow-Origin") == allowed
    page = client.get(address("result", attempt, ReturnOutcome.RETURN), headers={"Origin": APP})
    assert cors_headers(page) == {}
