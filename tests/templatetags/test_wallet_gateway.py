"""The tags as a shop writes them into its templates."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.template import Context, RequestContext, Template
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone, translation

from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.formats import format_money
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db

LANGUAGES = ["en", "de", "fr", "es", "ar"]
HOSTILE = """"><script>alert(1)</script><img src=x onerror=alert(1)>'"""


def _draw(order: PaymentOrder, tag: str = "{% wallet_checkout order %}", **context: object) -> Page:
    template = Template("{% load wallet_gateway %}" + tag)
    request = RequestFactory().get("/")
    return Page(template.render(RequestContext(request, {"order": order, **context})))


def test_the_form_posts_the_orders_token_with_a_csrf_token() -> None:
    order = an_order()
    page = _draw(order)
    assert page.forms() == [reverse("wallet_gateway:checkout", args=[order.token])]
    field = page.one("input").attributes
    assert field["name"] == "csrfmiddlewaretoken"
    assert len(field["value"]) == 64
    assert page.one("button").attributes["type"] == "submit"


@pytest.mark.parametrize(
    "state", [s for s in OrderState if s not in {"OPEN", "FAILED", "EXPIRED", "REVERSED"}]
)
def test_an_order_that_must_not_be_paid_has_no_form(state: OrderState) -> None:
    page = _draw(an_order(state))
    assert not page.all("form")
    assert not page.all("button")
    assert page.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", [OrderState.OPEN, OrderState.PENDING])
def test_what_is_drawn_is_well_formed_in_every_language(language: str, state: OrderState) -> None:
    with translation.override(language):
        page = _draw(an_order(state))
    assert_nothing_inline(page)
    if language != "en":
        assert not any(word in page.text for word in ("wallet €", "payment for", "Pay with"))


def test_a_label_cannot_bring_elements() -> None:
    page = _draw(an_order(), "{% wallet_checkout order label=label %}", label=HOSTILE)
    assert_nothing_inline(page)
    assert not page.all("img")
    assert HOSTILE in page.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_amount_is_isolated_from_the_text_around_it(language: str) -> None:
    money = Money(Decimal("1234.5"), "KWD")
    with translation.override(language):
        html = Template("{% load wallet_gateway %}{{ money|wallet_amount }}").render(
            Context({"money": money})
        )
        assert html == f"<bdi>{format_money(money)}</bdi>"


@pytest.mark.parametrize(
    ("tag", "text"),
    [("moment|wallet_date", "11. Mai 2026"), ("moment|wallet_datetime", "11. Mai 2026, 12:30")],
)
def test_a_date_is_isolated_and_tells_machines_the_exact_time(tag: str, text: str) -> None:
    moment = datetime(2026, 5, 11, 12, 30, tzinfo=UTC)
    with translation.override("de"), timezone.override("UTC"):
        html = Template(f"{{% load wallet_gateway %}}{{{{ {tag} }}}}").render(Context({"moment": moment}))
    assert html == f'<time datetime="2026-05-11T12:30:00+00:00"><bdi>{text}</bdi></time>'


def test_the_stylesheet_of_the_form_is_the_one_a_shop_asks_for_by_default() -> None:
    page = _draw(an_order(), "{% wallet_stylesheet %}")
    assert page.one("link").attributes["href"] == "/static/wallet_gateway/button.css"


def test_a_nonce_of_the_page_is_on_what_it_loads() -> None:
    page = _draw(an_order(), '{% wallet_stylesheet %}{% wallet_script "pending" %}', csp_nonce="r4nd0m")
    assert page.one("link").attributes["nonce"] == "r4nd0m"
    assert page.one("script").attributes["nonce"] == "r4nd0m"
