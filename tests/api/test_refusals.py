"""Requests that are refused: what is asked and what is answered, in tables; nothing comes of any of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http.request import UnreadablePostError
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import Settings
from rest_framework.schemas.generators import EndpointEnumerator

from tests.api.app import APP, App
from tests.api.browser import SECRET, Browser, problem
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder, WalletAttempt

pytestmark = pytest.mark.django_db
KINDS = ("checkout", "session", "reference", "price", "event", "result")
READ = ("price", "event")
"""What is read at once; a result is counted by the throttle before."""
BODY: Any = {"reference": "A"}
MOST = 16 * 1024
STALE, FOREIGN = (403, "stale_page"), (403, "cross_site_request")
NO_JSON_TYPE, NO_JSON, TOO_LARGE = (415, "unsupported_media_type"), (400, "parse_error"), (413, "too_large")


class Cut(BytesIO):
    """The body of a customer who goes away in the middle."""

    def read(self, *_: object) -> bytes:
        raise UnreadablePostError("gone")


Row = tuple[str, dict[str, Any], object, tuple[int, str], tuple[str, ...]]
REFUSED: list[Row] = [
    # What differs from a request of the customer's page, the body, and the answer, at these addresses.
    *(
        ("no CSRF token", {"HTTP_X_CSRFTOKEN": token}, BODY, STALE, KINDS)
        for token in ("", "b" * 32, "short")
    ),
    ("a form's token", {"HTTP_X_CSRFTOKEN": ""}, BODY | {"csrfmiddlewaretoken": SECRET}, STALE, KINDS),
    *(
        (f"a page of {origin}", {"HTTP_ORIGIN": origin}, BODY, STALE, KINDS)
        for origin in ("https://evil.example", "null", "http://testserver.evil.example")
    ),
    *(
        (f"a {site} page", {"HTTP_SEC_FETCH_SITE": site}, BODY, FOREIGN, KINDS)
        for site in ("cross-site", "same-site")
    ),
    (
        "a listed page without a token of its own",
        {"HTTP_ORIGIN": APP, "HTTP_SEC_FETCH_SITE": "cross-site"},
        BODY,
        STALE,
        KINDS,
    ),
    *(
        (
            f"the type {content_type}",
            {"content_type": content_type},
            b'{"reference": "A"}',
            NO_JSON_TYPE,
            KINDS,
        )
        for content_type in (
            *("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"),
            *("*/*", "application/*", "application/json; charset=latin-1", "application/problem+json"),
            *("application/json; charset=utf-16", "text/plain; application/json"),
        )
    ),
    *(
        (f"the body {body[:20]!r}", {}, body, NO_JSON, READ)
        for body in (
            *(
                b"  ",
                b'{"reference": "A',
                b"[" * 8_000,
                b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
                b"\x00" * 100,
            ),
            *(
                b'{"reference": "\xff\xfe"}',
                '{"reference": "A"}'.encode("utf-16"),
                b'{"reference": "\\ud800"}',
            ),
            *(b'\xef\xbb\xbf\xef\xbb\xbf{"reference": "A"}', b'{"reference": NaN}', b'{"a": -Infinity}'),
            *(b'{"reference": "A", "reference": "B"}', b'{"reference": "A", "Reference": "B"}'),
            *(b'{"reference": "A"} {"reference": "B"}', b'[{"reference": "A"}]', b'"reference"', b"null"),
            *(b"1" * 5_000, b"reference=A&csrfmiddlewaretoken=x"),
            b'{"cryptogram": "AgAAAAABk4DWZ4C28yUQAAAAAAA=", "cryptogram": 1}',
        )
    ),
    ("a body that is cut off", {"wsgi.input": Cut(), "CONTENT_LENGTH": "9"}, BODY, NO_JSON, READ),
    ("more than 16 kilobytes", {}, json.dumps({"reference": "A" * MOST}), TOO_LARGE, KINDS),
]


@every(("what", "extra", "body", "expected", "kinds"), REFUSED)
def test_a_request_that_is_not_of_the_customers_page_or_no_small_json_is_refused_whole(
    what: str,
    extra: dict[str, Any],
    body: object,
    expected: tuple[int, str],
    kinds: tuple[str, ...],
    order: PaymentOrder,
    browser: Browser,
    shop: Shop,
) -> None:
    shop.set(API_ORIGINS=[APP])
    if not order.payments.exists():
        browser.open(order)
    for kind in kinds:
        answer = browser.post(kind, order, body, **extra)
        assert (answer.status_code, answer.json()["code"]) == expected, kind
        assert (answer["Content-Type"], answer["Cache-Control"]) == ("application/problem+json", "no-store")
        assert "cryptogram" not in answer.content.decode(), "a refusal does not repeat the body"
    assert order.payments.count() == 1
    assert not WalletAttempt.objects.filter(results_count__gt=0).exists()


@every("length", ["-1", "1e3", "١٢", "9" * 400, " 12"])
def test_a_length_that_is_no_number_is_no_fault_of_ours(
    order: PaymentOrder, browser: Browser, length: str
) -> None:
    # As long as the longest that is read: the test client fails where a server would wait for more.
    assert browser.post("session", order, b" " * (MOST + 1), CONTENT_LENGTH=length).status_code < 500


def test_there_is_nothing_but_post(order: PaymentOrder, browser: Browser) -> None:
    browser.open(order)
    for kind in KINDS:
        url = reverse(f"wallet_gateway:wallet_{kind}", args=[order.token])
        for method in ("get", "put", "patch", "delete", "options"):
            for given in ({}, {"content_type": "application/json", "HTTP_X_CSRFTOKEN": "a" * 32}):
                answer = getattr(browser.client, method)(url, **given)
                assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
                assert answer.headers["Allow"] == "POST"
                # No customer reads the words of REST framework.
                assert answer.json()["detail"] != f'Method "{method.upper()}" not allowed.'


# Access tokens


INVALID = problem("invalid_token", "The access token is not valid", "The access to this payment has expired.")
TokenOf = Callable[[PaymentOrder, Shop], str]
TOKENS: list[tuple[TokenOf, int, str]] = [
    (lambda _, shop: payments.orders.access_token(shop.order()), 401, "invalid_token"),
    # Of the shop's own API; nor is the token in the address enough by itself.
    (lambda order, _: order.token, 403, "stale_page"),
    (lambda *_: "", 403, "stale_page"),
    (lambda *_: "eyJhbGciOiJIUzI1NiJ9.e30.x", 403, "stale_page"),
]


@every(("token_of", "status", "code"), TOKENS)
def test_a_token_that_is_not_of_the_order_opens_nothing_and_disturbs_no_page(
    token_of: TokenOf, status: int, code: str, order: PaymentOrder, shop: Shop
) -> None:
    token, known = token_of(order, shop), order.payments.count()
    for kind in KINDS:
        answer = App(order, token=token).post(kind, BODY)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        if status == 401:
            assert answer.json() == INVALID
            assert answer["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert order.payments.count() == known
    if status == 403:
        beside_the_cookie = Browser().post("session", order, HTTP_AUTHORIZATION=f"Bearer {token}")
        assert beside_the_cookie.status_code == 200


@every("kind", KINDS)
def test_a_token_ends_after_the_time_of_the_settings(
    kind: str, order: PaymentOrder, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"ACCESS_TOKEN_SECONDS": 60}
    monkeypatch.setattr("django.core.signing.time.time", lambda: 1_000_000.0)
    app = App(order)
    for now, is_over in ((1_000_061.0, True), (1_000_060.0, False)):
        monkeypatch.setattr("django.core.signing.time.time", lambda now=now: now)
        assert (app.post(kind, BODY).status_code == 401) == is_over


HOSTILE_HEADERS = [
    *(
        "Bearer",
        "Bearer ",
        "bearer wg_",
        "BEARER  wg_x",
        "Bearer wg_a b",
        "Bearer wg_:::",
        "Basic wg_x",
        "wg_x",
    ),
    *(
        "Bearer wg_.eJwr:1:x",
        "Bearer wg_\u00e9:\u00e9:\u00e9",
        "Bearer wg_\x00:1:x",
        f"Bearer wg_{'A' * 100_000}",
    ),
]


@every("header", HOSTILE_HEADERS)
def test_a_hostile_header_is_refused(header: str) -> None:
    app = App(PaymentOrder(token="x" * 22), token="")
    app.headers["Authorization"] = header
    assert app.post("session").status_code in {401, 403}


# What a refusal leaves alone


def test_a_user_who_is_logged_in_needs_the_pages_token_as_a_guest_does(order: PaymentOrder) -> None:
    browser = Browser()
    browser.client.force_login(User.objects.create(username="ada"))
    for kind in KINDS:
        assert browser.post(kind, order, BODY, HTTP_X_CSRFTOKEN="").json()["code"] == "stale_page"


def test_a_refusal_of_another_site_makes_no_session_and_does_not_count_against_the_customer(
    order: PaymentOrder, browser: Browser
) -> None:
    browser.post("session", order, HTTP_X_CSRFTOKEN="")
    assert "sessionid" not in browser.client.cookies
    browser.open(order)
    for _ in range(21):
        assert browser.post("result", order, HTTP_SEC_FETCH_SITE="cross-site").status_code == 403
    assert browser.post("result", order, HTTP_SEC_FETCH_SITE="same-origin").status_code == 400


def test_the_token_may_be_kept_in_the_session(order: PaymentOrder, settings: Settings) -> None:
    settings.CSRF_USE_SESSIONS = True
    browser = Browser()
    assert browser.post("session", order).status_code == 403
    session = browser.client.session
    session["_csrftoken"] = SECRET
    session.save()
    assert browser.post("session", order).status_code == 200


# All addresses


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
    assert {"checkout", *(f"wallet_{kind}" for kind in KINDS)} <= names - ANYBODY
    for name in names - ANYBODY:
        url, evil = reverse(f"wallet_gateway:{name}", args=[order.token]), "https://evil.example"
        answer = Browser().client.post(url, "{}", content_type="application/json", HTTP_ORIGIN=evil)
        assert answer.status_code == 403, name
    assert not order.payments.exists()


def test_the_state_of_a_payment_is_not_told_to_a_page_of_another_site(client: Client) -> None:
    url = reverse("wallet_gateway:status", args=["token"])
    answers = (client.get(url, headers={"sec-fetch-site": site}) for site in ("cross-site", "none"))
    assert [answer.json()["code"] for answer in answers] == ["cross_site_request", "unknown_link"]


def test_these_addresses_are_no_part_of_the_description_of_a_projects_own_api() -> None:
    found = EndpointEnumerator(patterns=get_resolver().url_patterns).get_api_endpoints()
    assert not [path for path, _, _ in found]
