"""A form whose token is not the browser's any more leads to a page of the same order that goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path, reverse
from django.utils.translation import override
from pytest_django import Settings

from tests.web.page_reader import Page, assert_nothing_inline
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db
MakeOrder = Callable[..., PaymentOrder]
urlpatterns = [
    path("wallet/", include("wallet_gateway.urls")),
    path("login/", LoginView.as_view(next_page="/")),
]


def failure_view(_request: HttpRequest, reason: str = "") -> HttpResponse:
    """The shop's own page for its own forms."""
    raise AssertionError(reason)


@pytest.fixture(autouse=True)
def _shop(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    settings.CSRF_FAILURE_VIEW = f"{__name__}.failure_view"


def opened(client: Client, order: PaymentOrder) -> dict[str, str]:
    """The fields of the form on the order's page."""
    page = Page(client.get(reverse("wallet_gateway:pay", args=[order.token])).content.decode())
    return {"csrfmiddlewaretoken": page.one("input").attributes["value"]}


def _logs_in(client: Client, fields: dict[str, str]) -> None:
    User.objects.create_user("ada", password="pw")
    assert client.post("/login/", fields | {"username": "ada", "password": "pw"}).status_code == 302


def _loses_its_cookies(client: Client, _fields: dict[str, str]) -> None:
    client.cookies.clear()


def _restores_a_page_of_another_day(client: Client, _fields: dict[str, str]) -> None:
    client.cookies["csrftoken"] = "b" * 32


WAYS = [_logs_in, _loses_its_cookies, _restores_a_page_of_another_day]


@pytest.mark.parametrize("what_happens", WAYS)
@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_the_form_leads_to_the_same_order_and_from_there_on(
    wallet_sandbox: object, make_order: MakeOrder, language: str, what_happens: Callable[..., None]
) -> None:
    client, order = Client(enforce_csrf_checks=True), make_order()
    fields = opened(client, order)
    what_happens(client, fields)
    url = reverse("wallet_gateway:checkout", args=[order.token])
    answer = client.post(url, fields, HTTP_ACCEPT_LANGUAGE=language)
    page = Page(answer.content.decode())
    assert (answer.status_code, answer["Cache-Control"]) == (403, "no-store")
    assert_nothing_inline(page)
    with override(language):
        assert "A-1001" in page.text
        assert page.one("html").attributes["lang"] == language
    assert "CSRF" not in page.text
    assert page.forms() == [url]
    assert not order.payments.exists()
    again = client.post(url, {"csrfmiddlewaretoken": page.one("input").attributes["value"]})
    assert (again.status_code, order.payments.count()) == (303, 1)


def test_the_page_says_that_nothing_was_charged(make_order: MakeOrder) -> None:
    order = make_order()
    answer = Client(enforce_csrf_checks=True).post(reverse("wallet_gateway:checkout", args=[order.token]))
    assert "Nothing was charged. You can pay here." in Page(answer.content.decode()).text


def test_a_page_of_another_site_gets_no_further_with_the_right_token(make_order: MakeOrder) -> None:
    client, order = Client(enforce_csrf_checks=True), make_order()
    fields = opened(client, order)
    url = reverse("wallet_gateway:checkout", args=[order.token])
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}):
        assert client.post(url, fields, headers=headers).status_code == 403
    assert not order.payments.exists()


def test_an_order_that_needs_no_payment_says_so(make_order: MakeOrder) -> None:
    order = make_order()
    payments.cancel(order, by="ada")
    url = reverse("wallet_gateway:checkout", args=[order.token])
    answer = Client(enforce_csrf_checks=True).post(url)
    page = Page(answer.content.decode())
    assert (answer.status_code, page.forms()) == (403, [])
    assert "can no longer be paid" in page.text


@pytest.mark.parametrize("method", ["get", "head"])
def test_the_address_of_the_form_leads_to_the_orders_page(
    client: Client, make_order: MakeOrder, method: str
) -> None:
    order = make_order()
    answer = getattr(client, method)(reverse("wallet_gateway:checkout", args=[order.token]))
    assert (answer.status_code, answer["Location"]) == (
        303,
        reverse("wallet_gateway:pay", args=[order.token]),
    )
