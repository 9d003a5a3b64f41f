"""The tags and filters as a shop writes them into its templates: the pay form, amounts and dates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.template import Context, RequestContext, Template
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject
from pytest_django import Settings

from tests.support.tables import every
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_order
from wallet_gateway import __version__
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db

S = OrderState
HOSTILE = """"><script>alert(1)</script><img src=x onerror=alert(1)>'"""
MOMENT = datetime(2026, 5, 11, 12, 30, 5, tzinfo=UTC)
EXACT = '<time datetime="2026-05-11T12:30:05+00:00">'


def written(text: str, **context: object) -> str:
    return Template("{% load wallet_gateway wallet_admin %}" + text).render(Context(context))


def drawn(order: PaymentOrder | None, tag: str = "{% wallet_checkout order %}", **context: object) -> Page:
    template = Template("{% load wallet_gateway %}" + tag)
    request = RequestFactory().get("/")
    return Page(template.render(RequestContext(request, {"order": order, **context})))


# --- the form ---------------------------------------------------------------------------------------------

PAYABLE = [S.OPEN, S.FAILED, S.EXPIRED, S.REVERSED]
CHECKING = "We are checking a payment for this order. Please do not pay again."
OVER = "This order can no longer be paid."
REASONS = {
    S.PENDING: CHECKING,
    S.FROZEN: CHECKING,
    S.REFUNDED: "This order was paid and has been refunded.",
    S.CANCELLED: OVER,
}


@every("state", PAYABLE)
def test_an_order_that_can_be_paid_has_a_form_with_a_csrf_token_until_its_time_is_over(
    state: OrderState,
) -> None:
    order = an_order(state, payable_until=timezone.now() + timedelta(minutes=5))
    page = drawn(order)
    assert page.forms() == [reverse("wallet_gateway:checkout", args=[order.token])]
    field = page.one("input").attributes
    assert (field["name"], len(field["value"])) == ("csrfmiddlewaretoken", 64)
    assert page.one("button").attributes["type"] == "submit"
    order.payable_until = timezone.now() - timedelta(seconds=1)
    assert drawn(order).forms() == []
    assert OVER in drawn(order).text


@every("state", [state for state in S if state not in PAYABLE])
def test_an_order_that_must_not_be_paid_says_why_and_one_under_way_can_be_followed(state: OrderState) -> None:
    order = an_order(state)
    page = drawn(order)
    assert (page.all("form"), page.all("button")) == ([], [])
    assert REASONS.get(state, "This order is already paid.") in page.text
    pay = reverse("wallet_gateway:pay", args=[order.token])
    assert page.links() == ([pay] if state is S.PENDING else [])


def test_a_label_cannot_bring_elements() -> None:
    page = drawn(an_order(), "{% wallet_checkout order label=label %}", label=HOSTILE)
    assert_nothing_inline(page)
    assert not page.all("img")
    assert HOSTILE in page.text


# --- amounts and dates ------------------------------------------------------------------------------------


@every(
    ("filters", "value", "expected"),
    [
        ("wallet_amount", Money(Decimal("1234.5"), "KWD"), "<bdi>1.234,500\N{NO-BREAK SPACE}KWD</bdi>"),
        ("wallet_date", MOMENT, f"{EXACT}<bdi>11. Mai 2026</bdi></time>"),
        ("wallet_datetime", MOMENT, f"{EXACT}<bdi>11. Mai 2026, 12:30</bdi></time>"),
        ("admin_date", MOMENT, "<bdi>11.05.2026</bdi>"),
        ("admin_datetime", MOMENT, "<bdi>11.05.2026, 12:30</bdi>"),
        ("admin_datetime:'seconds'", MOMENT, "<bdi>11.05.2026, 12:30:05</bdi>"),
    ],
)
def test_amounts_and_dates_are_isolated_in_the_readers_language_and_zone(
    filters: str, value: object, expected: str
) -> None:
    with translation.override("de"), timezone.override("UTC"):
        assert written(f"{{{{ value|{filters} }}}}", value=value) == expected
        assert written(f"{{{{ value|{filters} }}}}", value=None) == ""


# --- stylesheets and scripts ------------------------------------------------------------------------------

ASSETS = '{% wallet_stylesheet %}{% wallet_script "pending" %}'
PENDING = f"wallet_gateway/pending.js?v={__version__}"


@every(
    ("static_url", "mode"),
    [("/static/", None), ("https://cdn.example/s/", "anonymous"), ("//cdn.example/s/", "anonymous")],
)
def test_a_script_of_another_host_is_fetched_with_cors(
    settings: Settings, static_url: str, mode: str | None
) -> None:
    settings.STATIC_URL = static_url
    page = drawn(None, ASSETS)
    assert page.one("link").attributes == {
        "href": f"{static_url}wallet_gateway/button.css",
        "rel": "stylesheet",
    }
    script = {"src": static_url + PENDING, "type": "module"}
    assert page.one("script").attributes == script | ({"crossorigin": mode} if mode else {})


class LazyNonce:
    """Behaves as Django 6's nonce does: false until somebody has read it."""

    def __init__(self) -> None:
        self._read = False

    def __bool__(self) -> bool:
        return self._read

    def __str__(self) -> str:
        self._read = True
        return 'n0"nce'


@every(
    ("place", "make"),
    [
        ("context", LazyNonce),
        ("csp_nonce", lambda: SimpleLazyObject(lambda: 'n0"nce')),
        ("_csp_nonce", LazyNonce),
        ("nowhere", LazyNonce),
    ],
    ids=["context", "django-csp", "Django 6", "no nonce"],
)
def test_a_nonce_is_on_what_the_page_loads_wherever_the_project_keeps_it(
    place: str, make: Callable[[], object], rf: RequestFactory
) -> None:
    request = rf.get("/")
    context: dict[str, object] = {"csp_nonce": make()} if place == "context" else {}
    if "csp" in place:
        setattr(request, place, make())
    html = Template("{% load wallet_gateway %}" + ASSETS).render(Context(context | {"request": request}))
    page, expected = Page(html), None if place == "nowhere" else 'n0"nce'
    assert {page.one(name).attributes.get("nonce") for name in ("link", "script")} == {expected}
