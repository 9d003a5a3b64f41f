"""Who may ask: the customer's own page, guests included, and no other site."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings
from rest_framework.schemas.generators import EndpointEnumerator
from rest_framework.views import APIView

from tests.api.browser import Browser
from tests.tables import every
from wallet_gateway.api.base import JSONView
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db
KINDS = ["checkout", "session", "reference", "price", "result"]


@pytest.fixture
def browser(order: PaymentOrder) -> Browser:
    """A browser with the page of the order open."""
    browser = Browser()
    browser.open(order)
    return browser


@pytest.mark.parametrize("is_logged_in", [False, True], ids=["guest", "user"])
def test_without_the_pages_token_nothing_is_done(
    order: PaymentOrder, browser: Browser, is_logged_in: bool
) -> None:
    if is_logged_in:
        browser.client.force_login(User.objects.create(username="ada"))
    before = order.payments.count()
    for kind in KINDS:
        for token in ("", "b" * 32, "short"):
            # A form cannot bring the token in its body.
            body = {"reference": "A", "csrfmiddlewaretoken": "a" * 32}
            answer = browser.post(kind, order, body, HTTP_X_CSRFTOKEN=token)
            assert (answer.status_code, answer.json()["code"]) == (403, "stale_page"), (kind, token)
    assert order.payments.count() == before


@every("kind", KINDS)
def test_another_origin_is_refused_even_with_the_token(
    order: PaymentOrder, browser: Browser, kind: str
) -> None:
    before = order.payments.count()
    for origin in ("https://evil.example", "null", "http://testserver.evil.example"):
        answer = browser.post(kind, order, {"reference": "A"}, HTTP_ORIGIN=origin)
        assert (answer.status_code, answer.json()["code"]) == (403, "stale_page")
    for site in ("cross-site", "same-site"):
        answer = browser.post(kind, order, {"reference": "A"}, HTTP_SEC_FETCH_SITE=site)
        assert (answer.status_code, answer.json()["code"]) == (403, "cross_site_request")
    assert order.payments.count() == before


def test_a_refusal_of_another_site_does_not_count_against_the_customer(
    order: PaymentOrder, browser: Browser
) -> None:
    for _ in range(21):
        assert browser.post("result", order, HTTP_SEC_FETCH_SITE="cross-site").status_code == 403
    assert browser.post("result", order, HTTP_SEC_FETCH_SITE="same-origin").status_code == 400


def test_the_state_of_a_payment_is_not_told_to_a_page_of_another_site(client: Client) -> None:
    url = reverse("wallet_gateway:status", args=["token"])
    answers = (client.get(url, headers={"sec-fetch-site": site}) for site in ("cross-site", "none"))
    assert [answer.json()["code"] for answer in answers] == ["cross_site_request", "unknown_link"]


def test_a_refused_request_makes_no_session(order: PaymentOrder) -> None:
    browser = Browser()
    browser.post("session", order, HTTP_X_CSRFTOKEN="")
    assert "sessionid" not in browser.client.cookies


def test_the_token_may_be_kept_in_the_session(order: PaymentOrder, settings: Settings) -> None:
    settings.CSRF_USE_SESSIONS = True
    browser = Browser()
    assert browser.post("session", order).status_code == 403
    session = browser.client.session
    session["_csrftoken"] = "a" * 32
    session.save()
    assert browser.post("session", order).status_code == 200


def test_every_class_that_a_project_may_choose_for_its_own_api_is_chosen_here() -> None:
    # The framework reads its defaults when it is imported, so that no setting of this suite could show it.
    by_default = {name for name in vars(APIView) if name.endswith(("_class", "_classes"))}
    assert by_default
    assert by_default <= set(vars(JSONView))


def test_the_addresses_are_no_part_of_the_description_of_a_projects_api() -> None:
    found = EndpointEnumerator(patterns=get_resolver().url_patterns).get_api_endpoints()
    assert not [path for path, _, _ in found]


def routes(part: URLPattern | URLResolver) -> Iterator[str]:
    if isinstance(part, URLPattern):
        yield str(part.name)
        return
    for inner in part.url_patterns:
        yield from routes(inner)


# None that anybody may call decides on a payment, but by asking the gateway
ANYBODY = {"return", "result", "status", "health", "pay", "opening"}


def test_a_route_that_does_more_than_ask_is_closed_to_other_sites(order: PaymentOrder) -> None:
    names = set(routes(get_resolver("wallet_gateway.urls")))
    assert names >= ANYBODY
    assert {"checkout", *(f"wallet_{kind}" for kind in [*KINDS, "event"])} <= names - ANYBODY
    for name in names - ANYBODY:
        url = reverse(f"wallet_gateway:{name}", args=[order.token])
        answer = Browser().client.post(
            url, "{}", content_type="application/json", HTTP_ORIGIN="https://evil.example"
        )
        assert answer.status_code == 403, name
    assert not order.payments.exists()
