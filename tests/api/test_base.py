"""Who may ask: the customer's own page, guests included, and no other site."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings
from rest_framework.schemas.generators import EndpointEnumerator
from rest_framework.views import APIView

from tests.api.browser import Browser
from wallet_gateway.api.base import JSONView
from wallet_gateway.api.throttles import ResultsThrottle
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db
KINDS = ["checkout", "session", "reference", "price", "result"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("token", ["", "b" * 32, "short"], ids=["none", "another", "malformed"])
@pytest.mark.parametrize("logged_in", [False, True], ids=["guest", "user"])
def test_without_the_pages_token_nothing_is_done(
    order: PaymentOrder, kind: str, token: str, logged_in: bool, django_user_model: type[User]
) -> None:
    browser = Browser()
    if logged_in:
        browser.client.force_login(django_user_model.objects.create(username="ada"))
    browser.open(order)
    answer = browser.post(kind, order, {"reference": "A"}, HTTP_X_CSRFTOKEN=token)
    assert (answer.status_code, answer.json()["code"]) == (403, "stale_page")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil.example"])
def test_another_origin_is_refused_even_with_the_token(order: PaymentOrder, kind: str, origin: str) -> None:
    browser = Browser()
    browser.open(order)
    answer = browser.post(kind, order, {"reference": "A"}, HTTP_ORIGIN=origin)
    assert (answer.status_code, answer.json()["code"]) == (403, "stale_page")


@pytest.mark.parametrize("kind", [*KINDS, "event"])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_browser_says_comes_from_another_origin_is_refused_even_with_the_token(
    order: PaymentOrder, kind: str, site: str
) -> None:
    browser = Browser()
    browser.open(order)
    answer = browser.post(kind, order, {"reference": "A"}, HTTP_SEC_FETCH_SITE=site)
    assert (answer.status_code, answer.json()["code"]) == (403, "cross_site_request")


def test_a_refusal_of_another_site_does_not_count_against_the_customer(order: PaymentOrder) -> None:
    browser = Browser()
    browser.open(order)
    most = int(ResultsThrottle.rate.partition("/")[0])
    for _ in range(most + 1):
        assert browser.post("result", order, HTTP_SEC_FETCH_SITE="cross-site").status_code == 403
    assert browser.post("result", order, HTTP_SEC_FETCH_SITE="same-origin").status_code == 400


def test_the_state_of_a_payment_is_not_told_to_a_page_of_another_site(client: Client) -> None:
    url = reverse("wallet_gateway:status", args=["token"])
    answers = (client.get(url, headers={"sec-fetch-site": site}) for site in ("cross-site", "none"))
    assert [answer.json()["code"] for answer in answers] == ["cross_site_request", "unknown_link"]


def test_a_form_cannot_bring_the_token_in_its_body(order: PaymentOrder) -> None:
    browser = Browser()
    body = '{"csrfmiddlewaretoken": "' + "a" * 32 + '"}'
    assert browser.post("session", order, body, HTTP_X_CSRFTOKEN="").status_code == 403


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


def test_the_projects_defaults_for_its_own_api_do_not_reach_these(
    order: PaymentOrder, settings: Settings
) -> None:
    settings.REST_FRAMEWORK = {
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.AnonRateThrottle"],
        "DEFAULT_THROTTLE_RATES": {"anon": "1/day"},
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.FormParser"],
        "EXCEPTION_HANDLER": "no.such.handler",
    }
    browser = Browser()
    assert [browser.post("session", order).status_code for _ in range(3)] == [200, 200, 200]


def test_every_class_that_a_project_may_choose_for_its_own_api_is_chosen_here() -> None:
    # The framework reads its defaults when it is imported, so that no setting of this suite could show it.
    by_default = {name for name in vars(APIView) if name.endswith(("_class", "_classes"))}
    assert by_default
    assert by_default <= set(vars(JSONView))


def test_the_addresses_are_no_part_of_the_description_of_a_projects_api() -> None:
    found = EndpointEnumerator(patterns=get_resolver().url_patterns).get_api_endpoints()
    assert not [path for path, _, _ in found]


# The routes there are (I5: none that anybody may call decides on a payment, but by asking the gateway)

ROUTES = {
    "health": "reads what the sweep has left behind",
    "opening": "GET only; looks whether the page is open, and asks nobody",
    "checkout": "opens a page at the gateway; CSRF token needed",
    "pay": "shows a button",
    "return": "asks the gateway",
    "result": "asks the gateway; closes a wallet attempt of which nothing was sent",
    "status": "asks the gateway; closes a wallet attempt of which nothing was sent",
    "wallet_checkout": "CSRF token or access token; opens a page at the gateway",
    "wallet_session": "CSRF token or access token; sends nothing but the question for a key",
    "wallet_reference": "session and CSRF token, or access token; sends nothing",
    "wallet_price": "session and CSRF token, or access token; sends nothing",
    "wallet_event": "session and CSRF token, or access token; twenty words in the timeline, and nothing else",
    "wallet_result": "session and CSRF token, or access token; charges the account made by this caller",
}
ANYBODY = {"return", "result", "status", "health", "pay", "opening"}


def _patterns(resolver: URLResolver) -> list[URLPattern]:
    found: list[URLPattern] = []
    for entry in resolver.url_patterns:
        found += _patterns(entry) if isinstance(entry, URLResolver) else [entry]
    return found


def test_every_route_is_known_and_has_its_reason() -> None:
    assert {str(pattern.name) for pattern in _patterns(get_resolver("wallet_gateway.urls"))} <= set(ROUTES)


@pytest.mark.parametrize("name", sorted(set(ROUTES) - ANYBODY))
def test_a_route_that_does_more_than_ask_is_closed_to_other_sites(order: PaymentOrder, name: str) -> None:
    browser = Browser()
    url = reverse(f"wallet_gateway:{name}", args=[order.token])
    answer = browser.client.post(
        url, "{}", content_type="application/json", HTTP_ORIGIN="https://evil.example"
    )
    assert answer.status_code == 403
    assert not order.payments.exists()
