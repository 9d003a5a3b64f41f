"""What the customers' pages tell: goods, sums and card for a day, hostile text as text, a shop's words."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from tests.support.tables import every
from tests.web.conftest import address, result_page
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_attempt, an_order
from wallet_gateway.domain.states import OrderState, TransactionKind
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.return_tokens import MAX_AGE, ReturnOutcome

pytestmark = pytest.mark.django_db

R, S = ReturnOutcome, OrderState
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7|add:7 }}{% load x %}",
    "</title><svg onload=alert(1)>",
    "&lt;b&gt; &amp; <b>",
    "javascript:alert(1)",
    "\u202egnp.exe",
    "-->]]><!--",
]


@every(("state", "text"), itertools.product([S.PAID, S.PENDING, S.FAILED, S.OPEN], HOSTILE))
def test_hostile_text_is_shown_and_never_obeyed(client: Client, state: OrderState, text: str) -> None:
    page = Page(result_page(client, an_order(state, order_number=text)).content.decode())
    assert_nothing_inline(page)
    assert text in page.text
    assert page.all("img") + page.all("b") == []


# --- the receipt ------------------------------------------------------------------------------------------

CART = {
    "itemDetails": [
        {"productName": "Mug <blue>", "productQuantity": 2, "totalAmount": "18.00"},
        {"productName": "Tea", "productQuantity": 1, "totalAmount": "4.00"},
    ],
    "shippingDetails": {"shippingName": "Post", "shippingAmount": "3.90"},
    "discountDetails": [{"discountName": "Spring", "discountAmount": "1.00"}],
    "totalTaxAmount": "3.98",
}
TIMES = "\N{MULTIPLICATION SIGN}"
WITH_RECEIPT = {S.PAID, S.AUTHORIZED, S.PART_REFUNDED, S.REFUNDED}
PAYABLE = {S.FAILED, S.EXPIRED, S.REVERSED}
THANKED = {S.PAID, S.AUTHORIZED, S.PART_CAPTURED}


@pytest.fixture(autouse=True)
def in_one_time_zone() -> Iterator[None]:
    with timezone.override("UTC"):
        yield


def paid(
    state: OrderState = S.PAID, *, ago: timedelta = timedelta(minutes=1), **columns: Any
) -> PaymentOrder:
    """Store an order that was paid with a card from the wallet's sheet, some time ago."""
    order = an_order(state, **columns)
    order.content = order.content | {
        "shoppingCartDetails": CART,
        "checkoutDetails": {"cardholderEmail": "ada@shop.example", "cardholderLastName": "Lovelace"},
        "addressDetails": {
            "shippingAddress": {"zipPostalCode": "20095", "city": "Hamburg", "street": "Lane"}
        },
    }
    order.save()
    attempt = an_attempt(order)
    Payment.objects.filter(pk=attempt.pk).update(
        authorized=2490, captured=2490, card_type="Token", card_network="VISA", card_last_four="1111"
    )
    GatewayTransaction.objects.filter(payment=attempt).update(
        kind=TransactionKind.AUTHORIZATION, approved_at=timezone.now() - ago
    )
    return order


def page_of(client: Client, order: PaymentOrder) -> Page:
    page = Page(client.get(address("result", order.payments.get(), R.SUCCESS)).content.decode())
    assert_nothing_inline(page)
    return page


@every("state", [state for state in S if state != S.PART_CAPTURED])
def test_goods_are_told_of_what_can_be_paid_and_for_a_day_with_the_card_of_what_is_paid(
    client: Client, state: OrderState
) -> None:
    text = page_of(client, paid(state)).text
    if state in WITH_RECEIPT:
        assert f"2 {TIMES} Mug <blue> €18.00 1 {TIMES} Tea €4.00 Post €3.90" in text
        assert "Spring \N{MINUS SIGN}€1.00 Total €24.90" in text
        assert "Includes tax €3.98" in text
        assert "Card Visa •••• 1111 E-mail a•••@shop.example Ships to 20095 Hamburg" in text
        assert "Amount" not in text, "the total says it"
        text = page_of(client, paid(state, ago=MAX_AGE + timedelta(minutes=1))).text
        assert "Amount €24.90" in text
    assert ("Mug" in text) is (state in PAYABLE)
    for word in ("1111", "Hamburg", "shop.example", "Lovelace"):
        assert word not in text


def test_the_page_of_a_payment_says_when_and_how_the_order_goes_on(client: Client) -> None:
    page = page_of(client, paid(continue_url="/orders/7/"))
    assert page.one("time").attributes["datetime"].startswith(f"{timezone.now():%Y-}")
    assert "What happens next: we get your order ready. Its page tells you how far it is." in page.text
    (link,) = page.all("a")
    assert (link.attributes["href"], link.attributes["class"]) == ("/orders/7/", "wallet__button")
    assert "See your order" in page.text
    for state, words in {
        S.AUTHORIZED: "The amount is reserved for your order",
        S.PART_CAPTURED: "A part of the amount was charged, the rest is reserved",
    }.items():
        an_attempt(order := an_order(state))
        assert words in page_of(client, order).text


def test_the_shops_own_page_takes_its_place_only_for_who_has_paid_and_within_the_shop(client: Client) -> None:
    order = paid(continue_url="/orders/7/", redirect_when_paid=True)
    path = address("result", order.payments.get(), R.CANCEL)
    pay = reverse("wallet_gateway:pay", args=[order.token])
    assert client.get(pay, follow=True).redirect_chain[-1] == ("/orders/7/", 303)
    for state in S:
        PaymentOrder.objects.update(state=state)
        assert client.get(path).get("Location") == ("/orders/7/" if state in THANKED else None), state

    PaymentOrder.objects.update(state=S.PAID)
    # Never in circles, to another site, or below our own page.
    for url in (
        "https://evil.example/",
        "http://127.0.0.1:8000" + pay,
        address("return", order.payments.get(), R.SUCCESS),
        path,
        "orders/7",
        "?order=7",
    ):
        PaymentOrder.objects.update(continue_url=url)
        assert client.get(path).status_code == 200, url


def test_an_expired_link_shows_nothing_of_the_order(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    order = paid(continue_url="/orders/7/", redirect_when_paid=True)
    path = address("return", order.payments.get(), R.SUCCESS)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    html = client.get(path, follow=True).content.decode()
    assert "This link has expired" in html
    assert not [word for word in ("Mug", "1111", "A-1001", "24.90", "<form") if word in html]


# --- as a shop changes them -------------------------------------------------------------------------------

SHOP = """<!doctype html><html lang="en"><head><title>{% block title %}{% endblock %}</title>
{% block head %}{% endblock %}</head>
<body><header>The Shop</header>{% block content %}{% endblock %}</body></html>"""
TWO_LINES = """{% extends "base.html" %}
{% block content %}{% block wallet_content %}{% endblock %}{% endblock %}"""
OWN_WORDS = """{% extends "wallet_gateway/paid.html" %}
{% block wallet_message %}{{ block.super }}<p>Your mugs are on their way.</p>{% endblock %}"""


def test_two_lines_put_the_pages_into_a_shops_own_frame_and_two_more_change_its_words(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "wallet_gateway").mkdir()
    for name, text in {
        "base": SHOP,
        "wallet_gateway/base": TWO_LINES,
        "wallet_gateway/paid": OWN_WORDS,
    }.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    changed = copy.deepcopy(settings.TEMPLATES)
    changed[0]["DIRS"] = [tmp_path]
    settings.TEMPLATES = changed
    page = Page(result_page(client, an_order(S.PENDING)).content.decode())
    assert page.text.startswith("The Shop")
    assert "We are checking your payment" in page.text
    assert "mugs" not in page.text
    # The style and the poll come with the content.
    assert page.one("link").attributes["href"].endswith("pages.css")
    assert page.one("script").attributes["src"].partition("?")[0].endswith("pending.js")
    assert "Your mugs are on their way." in result_page(client, an_order(S.PAID)).content.decode()
