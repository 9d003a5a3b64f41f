"""What holds for every page of the shop: its headers, its frame, its translations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import reverse

from example_project import settings as shop_settings
from example_project.shop.middleware import ContentSecurityPolicyMiddleware
from wallet_gateway import payments

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import Settings

    from tests.example_project.conftest import Visitor
    from wallet_gateway.testing.sandbox import SandboxControl

LOCALE = Path(shop_settings.LOCALE_PATHS[0])
TRANSLATED = ["de", "fr", "es", "ar"]
POLICY = "Content-Security-Policy"


@pytest.fixture
def pages(visitor: Visitor) -> list[str]:
    order = visitor.order("harbour-mug")
    visitor.add("tide-bowl")
    return [
        reverse("shop:shelf"),
        reverse("shop:product", args=["harbour-mug"]),
        reverse("shop:cart"),
        reverse("shop:address"),
        reverse("shop:review"),
        order.get_absolute_url(),
    ]


def test_every_page_has_the_strict_policy(client: Client, pages: list[str]) -> None:
    for address in pages:
        policy = client.get(address).headers[POLICY]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy


def test_every_page_is_readable_in_every_language(client: Client, pages: list[str]) -> None:
    for address in pages:
        for language in ("en", *TRANSLATED):
            answer = client.get(address, headers={"accept-language": language})
            assert answer.status_code == 200
            assert answer.headers["Content-Language"] == language


@pytest.mark.parametrize(("debug", "has_policy"), [(True, False), (False, True)])
def test_djangos_own_pages_for_developers_are_left_alone(
    settings: Settings, debug: bool, has_policy: bool
) -> None:
    settings.DEBUG = debug
    middleware = ContentSecurityPolicyMiddleware(lambda _request: HttpResponse(status=404))

    assert (POLICY in middleware(RequestFactory().get("/")).headers) == has_policy


def test_every_page_says_what_it_may_ask_the_browser_for(client: Client, pages: list[str]) -> None:
    for address in pages:
        allowed = client.get(address).headers["Permissions-Policy"].split(", ")
        assert allowed[0] == f'payment=(self "{shop_settings.GATEWAY_ORIGIN}")'
        assert "camera=()" in allowed


def test_the_wallets_pages_stand_in_the_shops_frame(
    visitor: Visitor, client: Client, wallet_sandbox: SandboxControl
) -> None:
    order = visitor.order("harbour-mug")
    attempt = payments.start_checkout(payments.get_order(order.number))
    location = wallet_sandbox.complete_checkout(attempt.reference, "success")
    address = urlsplit(location)
    html = client.get(address.path, follow=True).content.decode()

    assert "shop/shop.css" in html
    assert "Thank you" in html
    assert reverse("shop:order-back", args=[order.number]) in html
    assert order.key not in html, "the gateway and its logs have this page's address"


@pytest.mark.django_db
def test_a_page_that_is_not_there_is_said_in_the_shops_words(client: Client) -> None:
    answer = client.get("/nowhere/")

    assert answer.status_code == 404
    assert "The dog may have moved it" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nowhere/", "The dog may have moved it"),
        ("/products/no-such-thing/", "The dog may have moved it"),
        ("/orders/nobody/", "The dog may have moved it"),
        ("/wallet/return/damaged/", "This link does not work"),
    ],
)
def test_a_visitor_of_the_demo_never_meets_djangos_own_page(
    client: Client, settings: Settings, path: str, words: str
) -> None:
    settings.DEBUG = True
    answer = client.get(path)
    assert answer.status_code == 404
    assert words in answer.content.decode()
    assert "DEBUG" not in answer.content.decode()


SHOP = LOCALE.parent
