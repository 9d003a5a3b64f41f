"""The sessions' store is away: what needs no session goes on, and what needs one says so and does nothing."""

from __future__ import annotations

import logging

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.api.app import App
from tests.api.browser import Browser, approve, problem
from tests.api.failing_cache import PLACE
from tests.operations.journal import times_sent
from tests.web.conftest import PAID_HEADING, address, state_of
from wallet_gateway.models import Payment, PaymentOrder, WalletAttempt
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
TRY_AGAIN = problem("try_again", 503, "Nothing was charged. Try again.")
FAILING = {"default": {"BACKEND": f"{PLACE}.FailingCache"}}


@pytest.fixture
def browser(order: PaymentOrder, settings: Settings) -> Browser:
    """A browser with a session, in a shop that keeps sessions in its database and its cache."""
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
    browser = Browser()
    session = browser.client.session
    session["cart"] = 1
    session.save()
    browser.client.cookies["sessionid"] = str(session.session_key)
    return browser


def test_a_result_that_could_not_be_ascribed_to_a_browser_can_be_sent_again(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    detail, caches = approve(wallet_sandbox, browser.open(order)), settings.CACHES
    settings.CACHES = FAILING
    answer = browser.post("result", order, detail)
    assert (answer.status_code, answer.json()) == (503, TRY_AGAIN)
    assert times_sent(wallet_sandbox, "authorization") == 0
    settings.CACHES = caches
    assert browser.post("result", order, detail).json()["outcome"] == "APPROVED"


@pytest.mark.parametrize("kind", ["session", "reference", "price", "event", "result"])
def test_a_request_whose_session_cannot_be_read_does_nothing_and_is_logged(
    order: PaymentOrder,
    browser: Browser,
    settings: Settings,
    kind: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.CACHES = FAILING
    caplog.set_level(logging.ERROR, logger="wallet_gateway")
    assert browser.post(kind, order).json() == TRY_AGAIN
    assert "the session of a request could not be read" in caplog.messages
    assert not WalletAttempt.objects.exists()


def test_an_app_with_an_access_token_pays_without_sessions(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    settings.CACHES = FAILING
    app = App(order)
    assert app.post("result", approve(wallet_sandbox, app.open())).json()["outcome"] == "APPROVED"


def test_the_payment_page_is_opened_and_paid_without_sessions(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    settings.CACHES = FAILING
    assert browser.post("checkout", order).status_code == 200
    attempt = Payment.objects.get()
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    page = browser.client.get(address("return", attempt, ReturnOutcome.SUCCESS), follow=True)
    assert PAID_HEADING in page.content.decode()
    assert state_of(order) == "PAID"
    assert browser.client.get(address("status", attempt, ReturnOutcome.SUCCESS)).json()["final"]


def test_the_pages_of_an_order_are_shown_and_posted_without_sessions(
    order: PaymentOrder, browser: Browser, settings: Settings
) -> None:
    settings.CACHES = FAILING
    client = Client()
    client.cookies["sessionid"] = browser.client.cookies["sessionid"].value
    assert client.get(reverse("wallet_gateway:pay", args=[order.token])).status_code == 200
    assert client.post(reverse("wallet_gateway:checkout", args=[order.token])).status_code == 303
