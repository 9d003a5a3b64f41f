"""A page of another token or session: it goes on, or hears that nothing was charged."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView
from django.test import Client
from django.urls import include, path
from django.utils.translation import override
from pytest_django import Settings
from rest_framework import exceptions

from tests.api.browser import SECRET, Browser, approve
from tests.tables import every
from tests.web.conftest import state_of
from wallet_gateway.api.problems import OUT_OF_DATE, as_problem
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
KINDS = ["checkout", "session", "reference", "price", "event", "result"]
urlpatterns = [
    path("wallet/", include("wallet_gateway.urls")),
    path("login/", LoginView.as_view(next_page="/")),
    path("logout/", LogoutView.as_view(next_page="/")),
]


@pytest.fixture(autouse=True)
def _addresses(settings: Settings, db: None) -> None:
    settings.ROOT_URLCONF = __name__
    for name in ("ada", "bert"):
        User.objects.create_user(name, password="pw")


def log_in(browser: Browser, name: str = "ada") -> None:
    """Log in in another tab, which gives the browser another CSRF token, as Django does at every login."""
    token = browser.client.cookies["csrftoken"].value
    given = {"username": name, "password": "pw", "csrfmiddlewaretoken": token}
    assert browser.client.post("/login/", given).status_code == 302
    assert browser.client.cookies["csrftoken"].value != token


def log_out(browser: Browser) -> None:
    given = {"csrfmiddlewaretoken": browser.client.cookies["csrftoken"].value}
    assert browser.client.post("/logout/", given).status_code == 302


def renewed(browser: Browser, order: PaymentOrder) -> str:
    """What the page's script learns from a refusal."""
    answer = browser.post("session", order)
    assert (answer.status_code, answer.json()["code"]) == (403, "stale_page")
    token: str = answer.json()["csrfToken"]
    return token


@pytest.mark.parametrize("kind", KINDS)
def test_a_stale_page_hears_in_its_language_that_nothing_was_charged_and_gets_a_token(
    order: PaymentOrder, kind: str
) -> None:
    browser = Browser()
    browser.open(order)
    log_in(browser)
    answer = browser.post(kind, order, {"reference": "A"}, HTTP_ACCEPT_LANGUAGE="de")
    with override("de"):
        assert answer.json()["detail"] == str(OUT_OF_DATE)
    assert (answer.status_code, answer.json()["code"], answer["Cache-Control"]) == (
        403,
        "stale_page",
        "no-store",
    )
    given = {"HTTP_X_CSRFTOKEN": answer.json()["csrfToken"]}
    assert browser.post(kind, order, {"reference": "A"}, **given).status_code != 403


def test_a_sheet_that_was_open_during_a_login_is_paid(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    browser = Browser()
    detail = approve(wallet_sandbox, browser.open(order))
    log_in(browser)
    token = renewed(browser, order)
    answer = browser.post("result", order, detail, HTTP_X_CSRFTOKEN=token)
    assert (answer.json()["outcome"], state_of(order)) == ("APPROVED", "PAID")


def _logs_out(browser: Browser) -> None:
    log_in(browser)
    log_out(browser)


def _changes_user(browser: Browser) -> None:
    log_in(browser)
    log_in(browser, "bert")


def _has_seen_another_button(browser: Browser) -> None:
    browser.client.cookies.clear()


def _loses_the_session_alone(browser: Browser) -> None:
    del browser.client.cookies["sessionid"]


@pytest.mark.parametrize(
    "what_happens", [_logs_out, _changes_user, _has_seen_another_button, _loses_the_session_alone]
)
@pytest.mark.parametrize("sees_button", [False, True])
def test_a_browser_that_did_not_open_the_order_gets_nothing(
    order: PaymentOrder,
    wallet_sandbox: SandboxControl,
    what_happens: Callable[[Browser], None],
    *,
    sees_button: bool,
) -> None:
    browser = Browser()
    session = browser.open(order)
    detail = approve(wallet_sandbox, session)
    what_happens(browser)
    stale = browser.post("session", order)
    given = {"HTTP_X_CSRFTOKEN": stale.json().get("csrfToken", SECRET)}
    if sees_button:
        assert browser.post("session", order, **given).json()["reference"] != session["reference"]
    bodies: dict[str, dict[str, object]] = {
        "result": detail,
        "reference": {"after": session["reference"]},
        "price": {"reference": session["reference"]},
        "event": {"reference": session["reference"], "event": "READY"},
    }
    for kind, body in bodies.items():
        answer = browser.post(kind, order, body, **given)
        assert (answer.status_code, answer.json()["detail"]) == (404, str(OUT_OF_DATE)), kind
    assert not WalletAttempt.objects.exclude(results_count=0).exists()
    assert state_of(order) == "OPEN"


@pytest.mark.parametrize("keeps_token_in_session", [False, True])
def test_a_browser_without_any_cookie_is_given_one(
    order: PaymentOrder, settings: Settings, *, keeps_token_in_session: bool
) -> None:
    settings.CSRF_USE_SESSIONS = keeps_token_in_session
    browser = Browser()
    browser.client = Client(enforce_csrf_checks=True)
    assert browser.post("session", order, HTTP_X_CSRFTOKEN=renewed(browser, order)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"HTTP_SEC_FETCH_SITE": "cross-site"},
        {"HTTP_SEC_FETCH_SITE": "same-site"},
        {"HTTP_ORIGIN": "https://app.example"},
    ],
    ids=str,
)
def test_no_other_origin_is_given_a_token(
    order: PaymentOrder, settings: Settings, headers: dict[str, str]
) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"API_ORIGINS": ["https://app.example"]}
    answer = Browser().post("session", order, HTTP_X_CSRFTOKEN="", **headers)
    assert answer.status_code == 403
    assert "csrfToken" not in answer.json()
    assert "Access-Control-Allow-Credentials" not in answer


@every(
    "fault",
    [
        exceptions.MethodNotAllowed("TRACE"),
        exceptions.NotAcceptable(),
        exceptions.ParseError(),
        exceptions.UnsupportedMediaType("text/html"),
        exceptions.Throttled(wait=3),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_no_customer_reads_the_words_of_rest_framework(fault: exceptions.APIException) -> None:
    response = as_problem(fault, {})
    assert response is not None
    assert response.data["detail"] != str(fault.detail)
