"""What ties a payment to one browser: over logins, stale pages, and a store of sessions that is away."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView
from django.test import Client
from django.urls import include, path, reverse
from django.utils.translation import gettext, override
from pytest_django import Settings

from tests.api.app import App
from tests.api.browser import OUT_OF_DATE, SECRET, Browser, problem
from tests.api.failing_cache import PLACE
from tests.api.wallet.test_button import body_of, state_of
from tests.money.wallet.customers import WalletGateway, detail_for
from tests.support.gateway import record
from tests.support.shop import Shop
from tests.web.conftest import PAID_HEADING, address
from wallet_gateway.models import Payment, PaymentOrder, WalletAttempt
from wallet_gateway.return_tokens import ReturnOutcome

pytestmark = pytest.mark.django_db
KINDS = ["checkout", "session", "reference", "price", "event", "result"]
urlpatterns = [
    path("wallet/", include("wallet_gateway.urls")),
    path("login/", LoginView.as_view(next_page="/")),
    path("logout/", LogoutView.as_view(next_page="/")),
]


@pytest.fixture
def accounts(settings: Settings, db: None) -> None:
    """Let customers log in and out."""
    settings.ROOT_URLCONF = __name__
    for name in ("ada", "bert"):
        User.objects.create_user(name, password="pw")


def log_in(browser: Browser, name: str = "ada") -> None:
    """Log in in another tab, which gives the browser another CSRF token, as Django does at every login."""
    token = browser.client.cookies["csrftoken"].value
    given = {"username": name, "password": "pw", "csrfmiddlewaretoken": token}
    assert browser.client.post("/login/", given).status_code == 302
    assert browser.client.cookies["csrftoken"].value != token


def renewed(browser: Browser, order: PaymentOrder) -> str:
    """What the page's script learns from a refusal."""
    answer = browser.post("session", order)
    assert (answer.status_code, answer.json()["code"]) == (403, "stale_page")
    token: str = answer.json()["csrfToken"]
    return token


# The binding


def test_two_tabs_with_a_session_come_to_the_same_attempt_and_the_binding_tells_no_key(
    order: PaymentOrder,
) -> None:
    tabs = Browser(), Browser()
    session = tabs[0].client.session
    session["cart"] = 1
    session.save()
    for tab in tabs:
        tab.client.cookies["sessionid"] = str(session.session_key)
    first = tabs[0].open(order)["reference"]
    # As the other tab has read the session: a moment before the first one's binding was stored.
    stored = tabs[0].client.session
    assert str(session.session_key) not in str(stored.pop("wallet_gateway"))
    stored.save()
    assert tabs[1].open(order)["reference"] == first


@pytest.mark.usefixtures("accounts")
def test_a_sheet_that_was_open_during_a_login_is_paid(order: PaymentOrder, browser: Browser) -> None:
    detail = detail_for(browser.open(order)["reference"])
    log_in(browser)
    answer = browser.post("result", order, detail, HTTP_X_CSRFTOKEN=renewed(browser, order))
    assert (answer.json()["outcome"], state_of(order)) == ("APPROVED", "PAID")


def _logs_out(browser: Browser) -> None:
    log_in(browser)
    given = {"csrfmiddlewaretoken": browser.client.cookies["csrftoken"].value}
    assert browser.client.post("/logout/", given).status_code == 302


def _changes_user(browser: Browser) -> None:
    log_in(browser)
    log_in(browser, "bert")


def _has_seen_another_button(browser: Browser) -> None:
    browser.client.cookies.clear()


def _loses_the_session_alone(browser: Browser) -> None:
    del browser.client.cookies["sessionid"]


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize(
    "what_happens", [_logs_out, _changes_user, _has_seen_another_button, _loses_the_session_alone]
)
@pytest.mark.parametrize("sees_button", [False, True])
def test_a_browser_that_did_not_open_the_order_gets_nothing(
    order: PaymentOrder, browser: Browser, what_happens: Callable[[Browser], None], *, sees_button: bool
) -> None:
    reference = browser.open(order)["reference"]
    what_happens(browser)
    stale = browser.post("session", order)
    given = {"HTTP_X_CSRFTOKEN": stale.json().get("csrfToken", SECRET)}
    if sees_button:
        assert browser.post("session", order, **given).json()["reference"] != reference
    for kind in ("result", "reference", "price", "event"):
        answer = browser.post(kind, order, body_of(kind, reference), **given)
        assert (answer.status_code, answer.json()["detail"]) == (404, OUT_OF_DATE), kind
    assert not WalletAttempt.objects.exclude(results_count=0).exists()
    assert state_of(order) == "OPEN"


def test_a_project_without_sessions_is_told_what_is_missing(
    order: PaymentOrder, browser: Browser, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "CsrfView" in name]
    answer = browser.post("session", order)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_configured")
    assert "ImproperlyConfigured" in caplog.text
    assert "django.contrib.sessions and its middleware" in caplog.text


# Stale pages


@pytest.mark.usefixtures("accounts")
@pytest.mark.parametrize("kind", KINDS)
def test_a_stale_page_hears_in_its_language_that_nothing_was_charged_and_gets_a_token(
    order: PaymentOrder, browser: Browser, kind: str
) -> None:
    browser.open(order)
    log_in(browser)
    answer = browser.post(kind, order, {"reference": "A"}, HTTP_ACCEPT_LANGUAGE="de")
    with override("de"):
        assert answer.json()["detail"] == gettext(OUT_OF_DATE) != OUT_OF_DATE
    said = (answer.status_code, answer.json()["code"], answer["Cache-Control"])
    assert said == (403, "stale_page", "no-store")
    given = {"HTTP_X_CSRFTOKEN": answer.json()["csrfToken"]}
    assert browser.post(kind, order, {"reference": "A"}, **given).status_code != 403


@pytest.mark.parametrize("keeps_token_in_session", [False, True])
def test_a_browser_without_any_cookie_is_given_one(
    order: PaymentOrder, browser: Browser, settings: Settings, *, keeps_token_in_session: bool
) -> None:
    settings.CSRF_USE_SESSIONS = keeps_token_in_session
    browser.client = Client(enforce_csrf_checks=True)
    assert browser.post("session", order, HTTP_X_CSRFTOKEN=renewed(browser, order)).status_code == 200


def test_no_other_origin_is_given_a_token(order: PaymentOrder, browser: Browser, shop: Shop) -> None:
    shop.set(API_ORIGINS=["https://app.example"])
    for headers in (
        *({"HTTP_SEC_FETCH_SITE": site} for site in ("cross-site", "same-site")),
        {"HTTP_ORIGIN": "https://app.example"},
    ):
        answer = browser.post("session", order, HTTP_X_CSRFTOKEN="", **headers)
        assert answer.status_code == 403
        assert "csrfToken" not in answer.json()
        assert "Access-Control-Allow-Credentials" not in answer


# The sessions' store is away: what needs no session goes on, and what needs one says so and does nothing


TRY_AGAIN = problem("try_again", "Temporary failure", "Nothing was charged. Try again.")


@pytest.fixture
def lose_sessions(browser: Browser, settings: Settings) -> Callable[[], None]:
    """Give the browser a session in the database and its cache; return how that cache goes away."""
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
    session = browser.client.session
    session["cart"] = 1
    session.save()
    browser.client.cookies["sessionid"] = str(session.session_key)

    def lose() -> None:
        settings.CACHES = {"default": {"BACKEND": f"{PLACE}.FailingCache"}}

    return lose


def test_a_result_that_could_not_be_ascribed_to_a_browser_can_be_sent_again(
    order: PaymentOrder,
    browser: Browser,
    lose_sessions: Callable[[], None],
    gateway: WalletGateway,
    settings: Settings,
) -> None:
    detail, caches = detail_for(browser.open(order)["reference"]), settings.CACHES
    lose_sessions()
    answer = browser.post("result", order, detail)
    assert (answer.status_code, answer.json(), gateway.sent) == (503, TRY_AGAIN, [])
    settings.CACHES = caches
    assert browser.post("result", order, detail).json()["outcome"] == "APPROVED"


def test_a_request_whose_session_cannot_be_read_does_nothing_and_is_logged(
    order: PaymentOrder, browser: Browser, lose_sessions: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    lose_sessions()
    caplog.set_level(logging.ERROR, logger="wallet_gateway")
    for kind in ("session", "reference", "price", "event", "result"):
        caplog.clear()
        assert browser.post(kind, order).json() == TRY_AGAIN, kind
        assert "the session of a request could not be read" in caplog.messages
    assert not WalletAttempt.objects.exists()


def test_an_app_with_an_access_token_pays_without_sessions(
    order: PaymentOrder, lose_sessions: Callable[[], None]
) -> None:
    lose_sessions()
    app = App(order)
    assert app.post("result", detail_for(app.open()["reference"])).json()["outcome"] == "APPROVED"


def test_the_payment_page_is_opened_and_paid_without_sessions(
    shop: Shop, order: PaymentOrder, browser: Browser, lose_sessions: Callable[[], None]
) -> None:
    lose_sessions()
    assert browser.client.get(reverse("wallet_gateway:pay", args=[order.token])).status_code == 200
    assert browser.post("checkout", order).status_code == 200
    attempt = Payment.objects.get()
    shop.report(attempt, record(attempt.reference, transactionAmount=24.90))
    page = browser.client.get(address("return", attempt, ReturnOutcome.SUCCESS), follow=True)
    assert PAID_HEADING in page.content.decode()
    assert state_of(order) == "PAID"
    assert browser.client.get(address("status", attempt, ReturnOutcome.SUCCESS)).json()["final"]
