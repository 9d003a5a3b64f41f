"""The customer's views: tokens, methods, other sites, other clicks, and projects of every kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation
from pytest_django import Settings

from tests.support.shop import MovedClock
from tests.support.tables import every
from tests.web.conftest import address, kind_of, result_page
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_attempt, an_order
from wallet_gateway import payments, return_tokens
from wallet_gateway.domain.states import OrderState, TransactionState
from wallet_gateway.formats import format_money
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

R = ReturnOutcome
TOKEN_VIEWS = ["return", "result", "status"]


# Tokens


@every("view", TOKEN_VIEWS)
def test_a_token_that_is_not_ours_or_was_changed_is_not_found(client: Client, view: str) -> None:
    path = address(view, an_attempt(an_order()), R.SUCCESS)
    right = path.split("/")[-2]
    for token in (
        "nothing",
        "a:b:c",
        "x" * 5000,
        "%00",
        "..%2f..",
        right[:-1] + ("A" if right[-1] != "A" else "B"),
        an_order(OrderState.PAID).token,
        return_tokens.sign("attempt-of-nobody", R.SUCCESS),
        signing.dumps(["attempt-1", "success"], salt="another.purpose"),
    ):
        assert client.get(path.replace(right, token)).status_code == 404, token


@every("path", ["pay/nobody", "checkout/nobody", "opening/nobody", "return/x", "result/x"])
def test_a_damaged_link_is_answered_by_a_page_of_ours(client: Client, settings: Settings, path: str) -> None:
    for debug in (True, False):
        settings.DEBUG = debug
        response = (client.post if path.startswith("checkout") else client.get)(f"/wallet/{path}/")
        assert (response.status_code, response["Cache-Control"]) == (404, "no-store")
        assert_nothing_inline(page := Page(response.content.decode()))
        assert "This link does not work" in page.text


def test_the_token_of_one_order_shows_that_order_only(client: Client) -> None:
    an_attempt(an_order(OrderState.PAID, order_number="B-2002"))
    response = result_page(client, an_order(OrderState.FAILED))
    assert kind_of(response) == "failed"
    assert "A-1001" in response.content.decode()
    assert "B-2002" not in response.content.decode()


# Methods, parameters, other sites


def test_coming_back_leads_on_whatever_the_request_says_and_touches_no_cookie(client: Client) -> None:
    client.cookies["sessionid"] = "of-a-customer-who-is-logged-in"
    attempt = an_attempt(order := an_order())
    said = {"state": "PAID", "outcome": "success", "amount": "0.01", "next": "https://evil.example"}
    for outcome in R:
        path, result = address("return", attempt, outcome), address("result", attempt, outcome)
        # A browser that is posted back is led to the GET, with which it sends its cookies.
        for ask, leads_to in ((client.get, result), (client.post, path)):
            # The gateway's page is another site.
            response = ask(path, said, headers={"sec-fetch-site": "cross-site"})
            assert (response.status_code, response["Location"]) == (303, leads_to)
            assert not response.cookies
    order.refresh_from_db()
    assert order.state == OrderState.OPEN


@every(
    ("view", "method", "status"),
    [
        *(("return", method, 405) for method in ("put", "delete", "options")),
        *(("result", method, 405) for method in ("post", "delete")),
        *(("status", method, 405) for method in ("post", "head", "options")),
        ("return", "head", 303),
        ("result", "head", 200),
    ],
)
def test_each_view_takes_the_methods_it_has_a_use_for(
    client: Client, view: str, method: str, status: int
) -> None:
    path = address(view, an_attempt(an_order()), R.SUCCESS)
    assert getattr(client, method)(path).status_code == status


def test_a_head_request_asks_the_gateway_nothing(client: Client, wallet_sandbox: SandboxControl) -> None:
    attempt = an_attempt(an_order(OrderState.OPEN), asked_at=datetime(2020, 1, 1, tzinfo=UTC))
    for view in ("return", "result"):
        client.head(address(view, attempt, R.SUCCESS))
    assert wallet_sandbox.journal() == []


def opened(client: Client, order: PaymentOrder) -> dict[str, str]:
    """The fields of the form on the order's page."""
    page = Page(client.get(reverse("wallet_gateway:pay", args=[order.token])).content.decode())
    return {"csrfmiddlewaretoken": page.one("input").attributes["value"]}


@every(
    ("headers", "status"),
    [
        *(({"sec-fetch-site": site}, 409) for site in ("same-origin", "same-site", "none")),
        # An old browser.
        ({}, 409),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_a_form_is_taken_from_the_shops_own_site_and_from_no_other(
    headers: dict[str, str], status: int
) -> None:
    client, order = Client(enforce_csrf_checks=True), an_order()
    fields = opened(client, order)
    # So that it is answered without a gateway: it is paid already.
    PaymentOrder.objects.update(state=OrderState.PAID)
    url = reverse("wallet_gateway:checkout", args=[order.token])
    assert client.post(url, fields, headers=headers).status_code == status


@pytest.mark.parametrize(("cookie", "language"), [("", "en"), ("b" * 32, "ar")], ids=["none", "another"])
def test_a_form_whose_token_is_out_of_date_leads_to_the_same_order_and_from_there_on(
    wallet_sandbox: object, settings: Settings, cookie: str, language: str
) -> None:
    # The shop's own page for its own forms is not asked.
    settings.CSRF_FAILURE_VIEW = "no.such.view"
    client = Client(enforce_csrf_checks=True)
    order = payments.create_order(reference="S-1", currency="EUR", amount=Decimal(20), order_number="A-1001")
    fields = opened(client, order)
    client.cookies.clear()
    if cookie:
        client.cookies["csrftoken"] = cookie
    url = reverse("wallet_gateway:checkout", args=[order.token])
    answer = client.post(url, fields, headers={"accept-language": language})
    page = Page(answer.content.decode())
    assert (answer.status_code, answer["Cache-Control"], kind_of(answer)) == (403, "no-store", "stale")
    assert_nothing_inline(page)
    assert (page.one("html").attributes["lang"], page.forms()) == (language, [url])
    assert "A-1001" in page.text
    assert ("Nothing was charged. You can pay here." in page.text) is (language == "en")
    assert not order.payments.exists()
    again = client.post(url, {"csrfmiddlewaretoken": page.one("input").attributes["value"]})
    assert (again.status_code, order.payments.count()) == (303, 1)


def test_an_order_that_needs_no_payment_says_so_without_a_token_too(client: Client) -> None:
    order = an_order(OrderState.CANCELLED)
    url = reverse("wallet_gateway:checkout", args=[order.token])
    answer = Client(enforce_csrf_checks=True).post(url)
    assert (answer.status_code, kind_of(answer)) == (403, "no_longer_payable")
    for method in (client.get, client.head):
        answer = method(url)
        assert answer.status_code == 303
        assert answer["Location"] == reverse("wallet_gateway:pay", args=[order.token])


# Another click


def test_a_click_while_the_page_is_being_opened_waits_on_a_page_and_not_on_a_worker(
    client: Client, wallet_sandbox: SandboxControl, nobody_sleeps: MovedClock
) -> None:
    order = an_order()
    waiting_page = reverse("wallet_gateway:opening", args=[order.token])
    assert kind_of(client.get(waiting_page)) == "checkout_unavailable"
    payments.start_checkout(order)
    opened = GatewayTransaction.objects.get()

    GatewayTransaction.objects.update(
        state=TransactionState.SENDING, leased_until=timezone.now() + timedelta(minutes=1)
    )
    second = client.post(reverse("wallet_gateway:checkout", args=[order.token]))
    assert (second.status_code, second["Location"]) == (303, waiting_page)
    response = client.get(waiting_page)
    assert (response.status_code, response["Refresh"], response["Cache-Control"]) == (200, "1", "no-store")
    assert kind_of(response) == "opening"
    assert_nothing_inline(Page(response.content.decode()))

    GatewayTransaction.objects.update(state=TransactionState.OPEN, leased_until=None)
    response = client.get(waiting_page)
    assert (response.status_code, response["Location"]) == (303, opened.redirect_url)

    PaymentOrder.objects.update(state=OrderState.PAID)
    response = client.get(waiting_page)
    assert (response.status_code, "Refresh" in response) == (200, False)
    assert client.get(reverse("wallet_gateway:opening", args=["nobody"])).status_code == 404
    assert client.post(waiting_page).status_code == 405
    assert len([entry for entry in wallet_sandbox.journal() if entry["operation"] == "checkout"]) == 1
    assert nobody_sleeps.by == timedelta(0), "no worker was to sleep"


# Projects of every kind


def test_a_project_that_demands_a_login_everywhere_lets_customers_come_back(
    client: Client, settings: Settings
) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "django.contrib.auth.middleware.LoginRequiredMiddleware"]
    attempt = an_attempt(an_order(OrderState.PAID))
    for view in TOKEN_VIEWS:
        assert client.get(address(view, attempt, R.SUCCESS), follow=True).status_code == 200
    path = reverse("wallet_gateway:checkout", args=[attempt.order.token])
    assert client.post(path).status_code == 409


@every("broken", [{}, {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {}}, None])
def test_a_shop_without_its_settings_refuses_and_says_nothing_of_them(
    client: Client, settings: Settings, caplog: pytest.LogCaptureFixture, broken: dict[str, object] | None
) -> None:
    attempt = an_attempt(an_order(OrderState.OPEN))
    settings.WALLET_GATEWAY = broken
    pay = [reverse(f"wallet_gateway:{view}", args=[attempt.order.token]) for view in ("pay", "checkout")]
    for url in (*(address(view, attempt, R.SUCCESS) for view in TOKEN_VIEWS), *pay):
        response = client.post(url) if url == pay[1] else client.get(url, follow=True)
        assert (response.status_code, response["Cache-Control"]) == (503, "no-store")
        assert "GATEWAY" not in response.content.decode()
    assert "WALLET_GATEWAY" in caplog.text
    attempt.order.refresh_from_db()
    assert attempt.order.state == OrderState.OPEN


@every("language", ["de", "fr", "es", "ar"])
def test_a_page_speaks_the_language_of_the_request(client: Client, language: str) -> None:
    order = an_order(OrderState.PENDING)
    response = result_page(client, order, HTTP_ACCEPT_LANGUAGE=f"{language},en;q=0.5")
    page = Page(response.content.decode())
    html = page.one("html").attributes
    assert (html["lang"], html["dir"]) == (language, "rtl" if language == "ar" else "ltr")
    assert "Please" not in page.text
    with translation.override(language):
        assert format_money(order.amount) in page.text


BEHIND_A_PROXY = ("HTTP_X_FORWARDED_PROTO", "https")


@pytest.mark.parametrize(
    ("is_assumed", "proxy", "opened_at"),
    [
        pytest.param(False, None, None, id="the settings say it"),
        pytest.param(True, None, "http://localhost:8081", id="the tutorial, where nothing is set"),
        pytest.param(True, BEHIND_A_PROXY, "https://localhost:8082", id="behind a proxy that ends TLS"),
    ],
)
def test_a_shop_that_is_looked_at_under_another_address_than_the_assumed_one_says_so(
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    is_assumed: bool,
    proxy: tuple[str, str] | None,
    opened_at: str | None,
) -> None:
    order = an_order(OrderState.PAID)
    settings.ALLOWED_HOSTS, settings.SECURE_PROXY_SSL_HEADER = ["*"], proxy
    if is_assumed:
        del settings.WALLET_GATEWAY
        settings.DEBUG = True
    other = (opened_at or "http://localhost:8080").partition("//")[2]
    path = reverse("wallet_gateway:checkout", args=[order.token])
    Client(headers={"host": "127.0.0.1:8000"}).post(path)
    Client(headers={"host": other, "x-forwarded-proto": "https"}).post(path)
    said = (
        f"this page was opened at {opened_at}, but a customer who has paid comes back to "
        f"http://127.0.0.1:8000: start the shop there, or set WALLET_GATEWAY['PUBLIC_ORIGIN'] to "
        f"'{opened_at}', and with it GATEWAYS"
    )
    assert [one for one in caplog.messages if "opened at" in one] == ([said] if opened_at else [])
