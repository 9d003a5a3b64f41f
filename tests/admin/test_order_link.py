"""The link to the shop's own page of an order: only where there is one, and only where a browser may go."""

from __future__ import annotations

import logging

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import order_url
from tests.models.rows import an_order
from tests.tables import every
from wallet_gateway.admin.order_link import is_linkable, link_of
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db


def url_by_reference(order: PaymentOrder) -> str | None:
    return f"/shop/orders/{order.reference}/?a=1&b=2"


def no_url(_order: PaymentOrder) -> None:
    return None


def script_url(_order: PaymentOrder) -> str:
    return "javascript:alert(1)"


def unknown_order(_order: PaymentOrder) -> str:
    raise ObjectDoesNotExist


def use(settings: Settings, function: str) -> None:
    given = {"ORDER_ADMIN_URL": f"{__name__}.{function}"}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | given


def test_the_page_links_to_the_shops_order(onlooker: Client, settings: Settings) -> None:
    use(settings, "url_by_reference")
    page = onlooker.get(order_url(an_order(reference="SHOP-7"))).content.decode()
    assert '<a href="/shop/orders/SHOP-7/?a=1&amp;b=2">Order in the shop</a>' in page


@every(("function", "level"), [("no_url", None), ("unknown_order", "WARNING"), ("script_url", "ERROR")])
def test_what_is_no_link_is_left_out_and_a_fault_is_logged(
    function: str, level: str | None, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    use(settings, function)
    caplog.clear()
    with caplog.at_level(logging.INFO, "wallet_gateway.admin"):
        assert link_of(an_order()) == ""
    assert [record.levelname for record in caplog.records] == [level] * (level is not None)


def test_wrong_settings_do_not_take_the_page_away(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "nothing"}
    assert link_of(an_order()) == ""


@every("url", ["/", "/a/?b=c#d", "https://shop.example/o/1", "http://127.0.0.1:8000/", "HTTPS://a.example"])
def test_web_addresses_and_paths_are_linked(url: str) -> None:
    assert is_linkable(url)


@every(
    "url",
    [
        "",
        "orders/1",
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "ftp://a.example/",
        "mailto:a@b.example",
        "//evil.example/",
        "/\\evil.example",
        "https:///x",
        "https://[",
        "/a b",
        7,
        None,
    ],
)
def test_anything_else_is_not(url: object) -> None:
    assert not is_linkable(url)
