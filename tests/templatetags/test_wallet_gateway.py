"""The tags and filters as a shop writes them into its templates: the pay form, amounts and dates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.template import Context, RequestContext, Template
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject
from pytest_django import Settings

from tests.tables import every
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_order
from wallet_gateway import __version__
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.formats import format_money
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


@every("language", ["de", "fr", "es", "ar"])
def test_what_is_drawn_is_well_formed_in_every_language(language: str) -> None:
    for state in (S.OPEN, S.PENDING):
        with translation.override(language):
            page = drawn(an_order(state))
        assert_nothing_inline(page)
        assert not any(word in page.text for word in ("wallet €", "payment for", "Pay with"))


def test_a_label_cannot_bring_elements() -> None:
    page = drawn(an_order(), "{% wallet_checkout order label=label %}", label=HOSTILE)
    assert_nothing_inline(page)
    assert not page.all("img")
    assert HOSTILE in page.text


# --- amounts and dates ------------------------------------------------------------------------------------


@every("language", ["en", "de", "ar"])
def test_an_amount_is_isolated_from_the_text_around_it(language: str) -> None:
    money = Money(Decimal("1234.5"), "KWD")
    with translation.override(language):
        assert written("{{ money|wallet_amount }}", money=money) == f"<bdi>{format_money(money)}</bdi>"


@every(
    ("filters", "expected"),
    [
        ("wallet_date", '<time datetime="2026-05-11T12:30:05+00:00"><bdi>11. Mai 2026</bdi></time>'),
        (
            "wallet_datetime",
            '<time datetime="2026-05-11T12:30:05+00:00"><bdi>11. Mai 2026, 12:30</bdi></time>',
        ),
        ("admin_date", "<bdi>11.05.2026</bdi>"),
        ("admin_datetime", "<bdi>11.05.2026, 12:30</bdi>"),
        ("admin_datetime:'seconds'", "<bdi>11.05.2026, 12:30:05</bdi>"),
    ],
)
def test_a_date_is_isolated_in_the_readers_language_and_zone(filters: str, expected: str) -> None:
    with translation.override("de"), timezone.override("UTC"):
        assert written(f"{{{{ at|{filters} }}}}", at=MOMENT) == expected
        assert written(f"{{{{ at|{filters} }}}}", at=None) == ""


@every("name", ["wallet_amount", "wallet_date", "wallet_datetime"])
def test_an_undefined_variable_is_nothing_with_a_line_in_the_log(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    assert written(f"{{{{ none|{name} }}}}", none=None) == ""
    assert caplog.records == []
    assert written(f"{{{{ undefined|{name} }}}}") == ""
    assert caplog.messages == [f"{{{{ …|{name} }}}} wrote nothing: its variable is undefined or empty"]


@every(
    ("source", "value"),
    [
        *(
            ("{% wallet_checkout value %}", value)
            for value in ("", None, "ORDER-1", 17, Money(Decimal(1), "EUR"))
        ),
        *(("{{ value|wallet_amount }}", value) for value in (Decimal(1), 0)),
        ("{{ value|wallet_date }}", "2026-05-11"),
        ("{{ value|wallet_datetime }}", date(2026, 5, 11)),
    ],
)
def test_a_value_of_another_type_is_refused_by_the_name_of_the_tag(source: str, value: object) -> None:
    with pytest.raises(TypeError, match=r"wallet_\w+ [%}]\} needs a .*\. Pass ") as refused:
        written(source, value=value)
    assert type(refused.value).__name__ == "WrongArgument"


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
