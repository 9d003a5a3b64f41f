"""The customer's views: tokens, methods, headers, statuses. What the gateway says is in the journeys."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.core import signing
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone, translation
from pytest_django import Settings

from tests.operations.dying import interrupted
from tests.web.conftest import address, result_page
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_attempt, an_order
from wallet_gateway import gateways, payments, return_tokens
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.formats import format_money
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

R = ReturnOutcome
TOKEN_VIEWS = ["return", "result", "status"]


# Tokens


@pytest.mark.parametrize("view", TOKEN_VIEWS)
@pytest.mark.parametrize(
    "token",
    [
        "nothing",
        "a:b:c",
        "x" * 5000,
        "%00",
        "..%2f..",
        return_tokens.sign("attempt-of-nobody", R.SUCCESS),
        signing.dumps(["attempt-1", "success"], salt="another.purpose"),
    ],
    ids=["word", "parts", "long", "nul", "path", "unknown attempt", "other purpose"],
)
def test_a_token_that_is_not_ours_is_not_found(client: Client, view: str, token: str) -> None:
    path = reverse(f"wallet_gateway:{view}", args=["TOKEN"]).replace("TOKEN", token)
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("view", TOKEN_VIEWS)
def test_a_token_with_one_letter_changed_is_not_found(client: Client, view: str) -> None:
    path = address(view, an_attempt(an_order()), R.SUCCESS)
    changed = path[:-2] + ("A" if path[-2] != "A" else "B") + "/"
    assert client.get(changed).status_code == 404


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize("path", ["pay/nobody", "checkout/nobody", "opening/nobody", "return/x", "result/x"])
def test_a_damaged_link_is_answered_by_a_page_of_ours(
    client: Client, settings: Settings, path: str, debug: bool
) -> None:
    settings.DEBUG = debug
    method = client.post if path.startswith("checkout") else client.get
    response = method(f"/wallet/{path}/")
    assert response.status_code == 404
    page = Page(response.content.decode())
    assert "This link does not work" in page.text
    assert_nothing_inline(page)
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("view", TOKEN_VIEWS)
def test_an_orders_own_token_is_no_return_token(client: Client, view: str) -> None:
    order = an_order(OrderState.PAID)
    assert client.get(reverse(f"wallet_gateway:{view}", args=[order.token])).status_code == 404


def test_a_payment_is_not_started_from_a_page_of_another_site(client: Client) -> None:
    order = an_order()
    url = reverse("wallet_gateway:checkout", args=[order.token])
    assert client.post(url, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert not order.payments.exists()


@pytest.mark.parametrize("site", ["same-origin", "same-site", "none", None])
def test_a_payment_is_started_from_the_shops_own_site_and_from_an_old_browser(
    client: Client, site: str | None
) -> None:
    url = reverse("wallet_gateway:checkout", args=[an_order(OrderState.PAID).token])
    answer = client.post(url, headers={"sec-fetch-site": site} if site else {})
    assert "already paid" in answer.content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_customer_comes_back_from_the_gateways_site(client: Client, method: str) -> None:
    url = address("return", an_attempt(an_order(OrderState.PAID)), R.SUCCESS)
    assert getattr(client, method)(url, headers={"sec-fetch-site": "cross-site"}).status_code == 303


def test_the_token_of_one_order_shows_that_order_only(client: Client) -> None:
    an_attempt(an_order(OrderState.PAID, order_number="B-2002"))
    page = Page(result_page(client, an_order(OrderState.FAILED)).content.decode())
    assert "A-1001" in page.text
    assert "B-2002" not in page.text
    assert "did not go through" in page.text


# Methods


def test_a_browser_that_is_posted_back_is_led_to_the_get_and_no_cookie_is_touched(client: Client) -> None:
    client.cookies["sessionid"] = "of-a-customer-who-is-logged-in"
    path = address("return", an_attempt(an_order()), R.SUCCESS)
    response = client.post(path, {"status": "paid", "amount": "0.01"})
    assert response.status_code == 303
    assert response["Location"] == path
    assert not response.cookies


@pytest.mark.parametrize("outcome", list(R))
def test_coming_back_leads_to_the_result_whatever_the_url(client: Client, outcome: ReturnOutcome) -> None:
    attempt = an_attempt(an_order())
    response = client.get(address("return", attempt, outcome))
    assert response.status_code == 303
    assert return_tokens.read(response["Location"].split("/")[-2]).reference == attempt.reference
    assert response["Location"].startswith("/wallet/result/")
    assert not response.cookies


@pytest.mark.parametrize(
    ("view", "method", "status"),
    [
        ("return", "put", 405),
        ("return", "delete", 405),
        ("return", "options", 405),
        ("result", "post", 405),
        ("result", "delete", 405),
        ("status", "post", 405),
        ("status", "head", 405),
        ("status", "options", 405),
        ("return", "head", 303),
        ("result", "head", 200),
    ],
)
def test_each_view_takes_the_methods_it_has_a_use_for(
    client: Client, view: str, method: str, status: int
) -> None:
    path = address(view, an_attempt(an_order()), R.SUCCESS)
    assert getattr(client, method)(path).status_code == status


def test_a_post_without_a_csrf_token_opens_no_payment_page() -> None:
    path = reverse("wallet_gateway:checkout", args=[an_order().token])
    assert Client(enforce_csrf_checks=True).post(path).status_code == 403


# Another click


def _never(seconds: float) -> None:
    raise AssertionError(f"a worker was to sleep {seconds} s")


def test_a_click_while_the_page_is_being_opened_waits_on_a_page_and_not_on_a_worker(
    client: Client, wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "GatewayContext", partial(GatewayContext, sleep=_never))
    order = an_order()
    waiting_page = reverse("wallet_gateway:opening", args=[order.token])
    assert "could not open" in Page(client.get(waiting_page).content.decode()).text
    payments.start_checkout(order)
    opened = GatewayTransaction.objects.get()

    GatewayTransaction.objects.update(
        state=TransactionState.SENDING, leased_until=timezone.now() + timedelta(minutes=1)
    )
    second = client.post(reverse("wallet_gateway:checkout", args=[order.token]))
    assert (second.status_code, second["Location"]) == (303, waiting_page)
    response = client.get(waiting_page)
    assert (response.status_code, response["Refresh"], response["Cache-Control"]) == (200, "1", "no-store")
    assert "is being opened" in Page(response.content.decode()).text
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


def test_a_customer_whose_order_is_cancelled_while_the_page_is_opened_reads_so_and_is_sent_nowhere(
    client: Client, wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))

    def withdraw() -> None:
        payments.cancel(order, by="shop")

    def context_of(gateway: str) -> GatewayContext:
        return interrupted(gateways.context_of(gateway), after=withdraw)

    monkeypatch.setattr("wallet_gateway.payments.orders.context_of", context_of)
    response = client.post(reverse("wallet_gateway:checkout", args=[order.token]))
    assert response.status_code == 409
    assert "This order can no longer be paid" in Page(response.content.decode()).text
    assert GatewayTransaction.objects.get().redirect_url not in response.content.decode()


# What a page is surrounded by


@pytest.mark.parametrize("view", [*TOKEN_VIEWS, "checkout", "opening"])
def test_a_view_is_never_inside_the_transaction_of_its_request(view: str) -> None:
    callback = resolve(reverse(f"wallet_gateway:{view}", args=["token"])).func
    assert callback._non_atomic_requests == {"default"}  # type: ignore[attr-defined]


def test_parameters_of_the_request_change_nothing(client: Client) -> None:
    order = an_order(OrderState.OPEN)
    path = address("return", an_attempt(order), R.CANCEL)
    parameters = {"state": "PAID", "outcome": "success", "amount": "0.01", "next": "https://evil.example"}
    assert client.get(path, parameters)["Location"] == client.get(path)["Location"]
    order.refresh_from_db()
    assert order.state == OrderState.OPEN


def test_a_head_request_has_no_effect_on_any_row(client: Client, wallet_sandbox: SandboxControl) -> None:
    attempt = an_attempt(an_order(OrderState.OPEN), asked_at=_long_ago())
    for view in ("return", "result"):
        client.head(address(view, attempt, R.SUCCESS))
    assert [entry for entry in wallet_sandbox.journal() if entry["operation"] == "status"] == []


def test_an_expired_link_shows_nothing_of_the_order(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    path = address("return", an_attempt(an_order(OrderState.PAID)), R.SUCCESS)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    response = client.get(path, follow=True)
    page = Page(response.content.decode())
    assert response.status_code == 200
    assert "This link has expired" in page.text
    assert "A-1001" not in page.text
    assert "24.90" not in page.text
    assert not page.all("form")


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


@pytest.mark.parametrize(
    "broken",
    [{}, {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {}}, None],
    ids=["empty", "no gateway", "missing"],
)
def test_a_shop_without_its_settings_refuses_and_says_nothing_of_them(
    client: Client, settings: Settings, broken: dict[str, object] | None
) -> None:
    attempt = an_attempt(an_order(OrderState.OPEN))
    settings.WALLET_GATEWAY = broken
    for view in TOKEN_VIEWS:
        response = client.get(address(view, attempt, R.SUCCESS), follow=True)
        assert response.status_code == 503
        assert "GATEWAYS" not in response.content.decode()
    path = reverse("wallet_gateway:checkout", args=[attempt.order.token])
    assert client.post(path).status_code == 503
    attempt.order.refresh_from_db()
    assert attempt.order.state == OrderState.OPEN


@pytest.mark.parametrize("language", ["de", "fr", "es", "ar"])
def test_a_page_speaks_the_language_of_the_request(client: Client, language: str) -> None:
    order = an_order(OrderState.PENDING)
    response = result_page(client, order, HTTP_ACCEPT_LANGUAGE=f"{language},en;q=0.5")
    page = Page(response.content.decode())
    html = page.one("html").attributes
    assert html["lang"] == language
    assert html["dir"] == ("rtl" if language == "ar" else "ltr")
    assert "Please" not in page.text
    with translation.override(language):
        assert format_money(order.amount) in page.text


def _long_ago() -> datetime:
    return datetime(2020, 1, 1, tzinfo=UTC)
