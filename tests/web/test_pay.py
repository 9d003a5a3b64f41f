"""The page with the wallet's button: its headers, its policy, and what it shows in each state."""

from __future__ import annotations

import re

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_attempt, an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db
POLICY = "Content-Security-Policy"


def address(order: PaymentOrder) -> str:
    return reverse("wallet_gateway:pay", args=[order.token])


def directives(response: HttpResponseBase) -> dict[str, list[str]]:
    parts = (part.split() for part in response["Content-Security-Policy"].split(";"))
    return {name: values for name, *values in parts}


def test_the_page_has_the_button_the_form_and_nothing_inline(client: Client) -> None:
    order = an_order()
    page = Page(client.get(address(order)).content.decode())
    assert_nothing_inline(page)
    assert page.having("data-wallet-session")
    assert page.forms() == [f"/wallet/checkout/{order.token}/"]
    assert "€24.90" in page.text


def test_the_page_names_no_person(client: Client) -> None:
    html = client.get(address(an_order())).content.decode()
    assert "ada@example.com" not in html
    assert "Lovelace" not in html


def test_the_wallets_window_finds_the_page_that_opened_it(client: Client) -> None:
    response = client.get(address(an_order()))
    assert response["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"


def test_the_page_is_kept_by_nobody(client: Client) -> None:
    response = client.get(address(an_order()))
    assert response["Cache-Control"] == "no-store"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"


def test_the_policy_admits_the_wallet_the_gateway_and_nothing_else(client: Client) -> None:
    response = client.get(address(an_order()))
    policy = directives(response)
    gateway = "http://127.0.0.1:8001"
    nonce = policy["script-src"][0]
    assert re.fullmatch(r"'nonce-[\w-]{22}'", nonce)
    assert policy == {
        "default-src": ["'self'"],
        "script-src": [nonce, "'strict-dynamic'", "'self'", gateway],
        "style-src": ["'self'", nonce, gateway],
        "img-src": ["'self'", gateway],
        "connect-src": ["'self'", gateway],
        "frame-src": [gateway],
        "form-action": ["'self'", gateway, "https://127.0.0.1:8001"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["wallet-gateway"],
    }
    assert response["Permissions-Policy"].startswith(f'payment=(self "{gateway}"), ')
    scripts = Page(response.content.decode()).all("script")
    assert {f"'nonce-{one.attributes['nonce']}'" for one in scripts} == {nonce}


def test_a_nonce_is_used_once(client: Client) -> None:
    order = an_order()
    first, second = (directives(client.get(address(order)))["script-src"][0] for _ in range(2))
    assert first != second


GOOGLES = "https://pay.google.com/gp/p/js/pay.js"


def with_wallet(settings: Settings, *, report_url: str = "", **changed: object) -> None:
    default = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    default = default | {"WALLET": default["WALLET"] | changed}
    shop = {"CSP_REPORT_URL": report_url, "GATEWAYS": {"default": default}}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | shop


def test_googles_own_hosts_are_admitted_where_its_script_is_used(client: Client, settings: Settings) -> None:
    with_wallet(settings, PAY_JS_URL=GOOGLES, WALLET_JS_URL="https://gateway.example/wallet.js")
    policy = directives(client.get(address(an_order())))
    assert policy["script-src"][3:] == ["https://pay.google.com", "https://gateway.example"]
    assert "https://www.gstatic.com" in policy["img-src"]
    assert {"https://google.com", "https://gateway.example"} <= set(policy["connect-src"])
    assert policy["frame-src"] == ["https://pay.google.com"]


@pytest.mark.parametrize(
    "script", [{"PAY_JS_URL": GOOGLES}, {"WALLET_JS_URL": "http://127.0.0.1:8001/wallet.js"}]
)
def test_trusted_types_are_not_demanded_of_a_script_that_nobody_has_tried_under_them(
    client: Client, settings: Settings, script: dict[str, str]
) -> None:
    with_wallet(settings, **script)
    response = client.get(address(an_order()))
    assert "trusted-types" not in response["Content-Security-Policy"]
    assert f"{POLICY}-Report-Only" not in response


def test_where_there_is_an_address_for_reports_they_say_what_trusted_types_would_stop(
    client: Client, settings: Settings
) -> None:
    with_wallet(settings, PAY_JS_URL=GOOGLES, report_url="https://reports.example/")
    response = client.get(address(an_order()))
    assert response[f"{POLICY}-Report-Only"] == (
        "require-trusted-types-for 'script'; trusted-types wallet-gateway; "
        "report-uri https://reports.example/; report-to wallet-gateway"
    )
    assert directives(response)["report-to"] == ["wallet-gateway"]


def test_a_shop_that_has_tried_the_script_names_its_policies_and_demands_trusted_types(
    client: Client, settings: Settings
) -> None:
    with_wallet(settings, PAY_JS_URL=GOOGLES, TRUSTED_TYPES=["goog#html", "'allow-duplicates'"])
    policy = directives(client.get(address(an_order())))
    assert policy["require-trusted-types-for"] == ["'script'"]
    assert policy["trusted-types"] == ["wallet-gateway", "goog#html", "'allow-duplicates'"]


@pytest.mark.parametrize("state", [OrderState.PAID, OrderState.PENDING, OrderState.FROZEN])
def test_an_order_that_must_not_be_paid_leads_to_the_page_that_says_why(
    client: Client, state: OrderState
) -> None:
    order = an_order(state)
    an_attempt(order)
    response = client.get(address(order))
    assert response.status_code == 303
    assert response["Location"].startswith("/wallet/result/")
    assert client.get(response["Location"]).status_code == 200


def test_a_gateway_without_a_wallet_has_the_form_and_the_usual_policy(
    client: Client, settings: Settings
) -> None:
    default = dict(settings.WALLET_GATEWAY["GATEWAYS"]["default"])
    del default["WALLET"]
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": {"default": default}}
    response = client.get(address(an_order()))
    page = Page(response.content.decode())
    assert (len(page.forms()), page.all("script")) == (1, [])
    assert directives(response)["trusted-types"] == ["'none'"]
    assert "payment=()" in response["Permissions-Policy"]


def test_wrong_settings_are_a_503_that_names_none(client: Client, settings: Settings) -> None:
    settings.WALLET_GATEWAY = {}
    response = client.get(address(an_order()))
    assert response.status_code == 503
    assert "WALLET_GATEWAY" not in response.content.decode()
