"""An app with an access token: what it can do without a cookie, and whose token opens nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_django import Settings

from tests.api.app import APP, App
from tests.api.browser import Browser, approve, problem
from tests.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
KINDS = ["checkout", "session", "reference", "price", "event", "result"]
INVALID = problem("invalid_token", 401, "The access to this payment has expired.")


def test_an_app_pays_on_the_gateways_page_without_any_cookie(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    app = App(order)
    opened = app.post("checkout")
    assert opened.status_code == 200
    page = opened.json()
    assert page["redirectUrl"] == order.payments.get().redirect_url
    wallet_sandbox.complete_checkout(order.payments.get().reference, "success")
    status = app.client.get(page["statusUrl"]).json()
    assert (status["state"], status["final"]) == ("PAID", True)
    assert not app.client.cookies


def test_an_app_pays_by_the_wallet_without_any_cookie(
    order: PaymentOrder, wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = App(order)
    session = app.open()
    assert app.post("price", {"reference": session["reference"]}).json()["total"] == "24.90"
    assert app.post("event", {"reference": session["reference"], "event": "READY"}).status_code == 204
    assert app.post("reference", {"after": session["reference"]}).status_code == 200
    detail = approve(wallet_sandbox, session)
    with monkeypatch.context() as later:
        later.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
        assert app.post("result", detail).json() == INVALID
    # A new token continues what the expired one began.
    assert App(order).post("result", detail).json()["outcome"] == "APPROVED"
    assert payments.get_order(order.reference).state == "PAID"
    assert not app.client.cookies


def test_a_session_of_a_browser_is_not_continued_by_a_token_nor_the_other_way(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    browser, app = Browser(), App(order)
    of_browser, of_app = browser.open(order), app.open()
    assert app.post("result", approve(wallet_sandbox, of_browser)).status_code == 404
    assert browser.post("result", order, approve(wallet_sandbox, of_app)).status_code == 404
    assert payments.get_order(order.reference).state == "OPEN"


@every("kind", KINDS)
def test_a_token_of_another_order_opens_nothing(
    order: PaymentOrder, make_order: Callable[..., PaymentOrder], kind: str
) -> None:
    answer = App(make_order()).post(kind, {"reference": "A"}, order=order)
    assert (answer.status_code, answer.json()) == (401, INVALID)
    assert answer["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert answer["Content-Type"] == "application/problem+json"
    assert not order.payments.exists()


@every("kind", KINDS)
def test_a_token_ends_after_the_time_of_the_settings(
    order: PaymentOrder, kind: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"ACCESS_TOKEN_SECONDS": 60}
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0)
    app = App(order)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_061.0)
    assert app.post(kind, {"reference": "A"}).status_code == 401
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_060.0)
    assert app.post(kind, {"reference": "A"}).status_code != 401


@every("kind", KINDS)
def test_a_token_of_the_shops_own_api_changes_nothing(order: PaymentOrder, kind: str) -> None:
    # Nor is the token in the address enough by itself.
    for token in ("", "eyJhbGciOiJIUzI1NiJ9.e30.x", "wallet", order.token):
        answer = App(order, token=token).post(kind, {"reference": "A"})
        assert (answer.status_code, answer.json()["code"]) == (403, "stale_page")
        beside_the_cookie = Browser().post("session", order, HTTP_AUTHORIZATION=f"Bearer {token}")
        assert beside_the_cookie.status_code == 200


def test_a_page_that_no_setting_lists_is_refused_even_with_a_token(
    order: PaymentOrder, settings: Settings
) -> None:
    app = App(order, origin=APP)
    assert app.post("checkout").json()["code"] == "cross_site_request"
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"API_ORIGINS": [APP]}
    assert app.post("checkout").status_code == 200
    assert App(order, origin="https://evil.example").post("checkout").json()["code"] == "cross_site_request"


def test_a_listed_origin_is_no_way_around_the_csrf_token(order: PaymentOrder, settings: Settings) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"API_ORIGINS": [APP]}
    browser = Browser()
    browser.open(order)
    given = {"HTTP_ORIGIN": APP, "HTTP_SEC_FETCH_SITE": "cross-site"}
    for kind in KINDS:
        answer = browser.post(kind, order, {"reference": "A"}, **given)
        assert (answer.status_code, answer.json()["code"]) == (403, "stale_page"), kind


@every(
    "header",
    [
        "Bearer",
        "Bearer ",
        "bearer wg_",
        "BEARER  wg_x",
        "Bearer wg_a b",
        "Bearer wg_:::",
        "Bearer wg_.eJwr:1:x",
        "Bearer wg_\u00e9:\u00e9:\u00e9",
        "Bearer wg_\x00:1:x",
        f"Bearer wg_{'A' * 100_000}",
        "Basic wg_x",
        "wg_x",
    ],
)
def test_a_hostile_header_is_refused(header: str) -> None:
    app = App(PaymentOrder(token="x" * 22), token="")
    app.headers["Authorization"] = header
    assert app.post("session").status_code in {401, 403}
