"""What holds for every page of the shop: its headers, its frame, its languages, and its words for 404."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from django.urls import reverse

from example_project import settings as shop_settings
from tests.support.tables import every
from wallet_gateway import payments

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import Settings

    from tests.example_project.conftest import Visitor
    from wallet_gateway.testing.sandbox import SandboxControl

LANGUAGES = {"en": "Harbour mug", "de": "Hafenbecher", "fr": "", "es": "", "ar": ""}


@pytest.fixture
def pages(visitor: Visitor) -> list[str]:
    order = visitor.order("harbour-mug")
    visitor.add("tide-bowl")
    return [
        *(reverse(f"shop:{name}") for name in ("shelf", "cart", "address", "review")),
        reverse("shop:product", args=["harbour-mug"]),
        order.get_absolute_url(),
    ]


def test_every_page_has_the_strict_policy_and_says_what_it_may_ask_the_browser_for(
    client: Client, pages: list[str]
) -> None:
    for address in pages:
        headers = client.get(address).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        allowed = headers["Permissions-Policy"].split(", ")
        assert allowed[0] == f'payment=(self "{shop_settings.GATEWAY_ORIGIN}")'
        assert "camera=()" in allowed


def test_every_page_is_readable_in_every_language(client: Client, pages: list[str]) -> None:
    for address in pages:
        for language, name in LANGUAGES.items():
            answer = client.get(address, headers={"accept-language": language})
            assert answer.status_code == 200
            assert answer.headers["Content-Language"] == language
            html = answer.content.decode()
            assert f'<html lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}">' in html
            assert "products" not in address or name in html


def test_a_product_is_priced_in_the_visitors_currency(visitor: Visitor, client: Client) -> None:
    for currency, price in {"EUR": "€24.00", "JPY": "¥3,900", "KWD": "KWD\N{NO-BREAK SPACE}8.250"}.items():
        visitor.switch(currency)
        assert price in client.get(reverse("shop:product", args=["harbour-mug"])).content.decode()
    assert visitor.switch("XXX").status_code == 400


def test_the_wallets_pages_stand_in_the_shops_frame(
    visitor: Visitor, client: Client, wallet_sandbox: SandboxControl
) -> None:
    order = visitor.order("harbour-mug")
    attempt = payments.start_checkout(payments.get_order(order.number))
    address = urlsplit(wallet_sandbox.complete_checkout(attempt.reference, "success"))
    html = client.get(address.path, follow=True).content.decode()
    assert "shop/shop.css" in html
    assert "Thank you" in html
    assert reverse("shop:order-back", args=[order.number]) in html
    assert order.key not in html, "the gateway and its logs have this page's address"


NOT_THERE = "The dog may have moved it"


@pytest.mark.django_db
@every(
    ("path", "words"),
    [
        ("/nowhere/", NOT_THERE),
        ("/products/no-such-thing/", NOT_THERE),
        ("/orders/nobody/", NOT_THERE),
        ("/wallet/return/damaged/", "This link does not work"),
    ],
)
def test_a_visitor_of_the_demo_never_meets_djangos_own_page(
    client: Client, settings: Settings, path: str, words: str
) -> None:
    for debug in (True, False):
        settings.DEBUG = debug
        answer = client.get(path)
        assert answer.status_code == 404
        assert words in answer.content.decode()
        assert "DEBUG" not in answer.content.decode()
