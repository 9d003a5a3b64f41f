"""Under which headers and policies a page leaves: a plain one, one with a form, and one with the button."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.support.tables import every
from tests.web.conftest import result_page
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_order
from wallet_gateway.domain.states import OrderState
from wallet_gateway.return_tokens import ReturnOutcome

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

pytestmark = pytest.mark.django_db
POLICY, GATEWAY = "Content-Security-Policy", "http://127.0.0.1:8001"
REPORTS = "https://reports.example/csp?key=1"
GOOGLES = "https://pay.google.com/gp/p/js/pay.js"


def plain(client: Client) -> Answer:
    """A page with neither form nor button."""
    return result_page(client, an_order(OrderState.PAID))


def with_form(client: Client) -> Answer:
    """A page whose form opens the payment page again."""
    return result_page(client, an_order(), ReturnOutcome.RETURN)


def with_button(client: Client) -> Answer:
    """The page with the wallet's button and the form beside it."""
    return client.get(reverse("wallet_gateway:pay", args=[an_order().token]))


MakePage = Callable[[Client], "Answer"]
PAGES: list[MakePage] = [plain, with_form, with_button]


def directives(response: Answer, header: str = POLICY) -> dict[str, list[str]]:
    parts = (part.split() for part in response[header].split(";"))
    return {name: values for name, *values in parts}


def configure(settings: Settings, **shop: Any) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | shop


def configure_wallet(settings: Settings, **changed: object) -> None:
    account = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    account = account | {"WALLET": account["WALLET"] | changed}
    configure(settings, GATEWAYS={"default": account})


@every("page", PAGES)
def test_a_page_stays_out_of_caches_frames_and_indexes_and_admits_nothing_inline_or_from_elsewhere(
    client: Client, page: MakePage
) -> None:
    response = page(client)
    for name, value in {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer" if page is plain else "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "X-Robots-Tag": "noindex",
        # The wallet's window finds the page that has opened it.
        "Cross-Origin-Opener-Policy": "same-origin-allow-popups" if page is with_button else "same-origin",
    }.items():
        assert response[name] == value, name
    payment, *others = response["Permissions-Policy"].split(", ")
    assert payment == (f'payment=(self "{GATEWAY}")' if page is with_button else "payment=()")
    assert {"camera=()", "geolocation=()"} <= set(others)
    assert all(feature.endswith("=()") for feature in others)

    found, scripts = directives(response), Page(response.content.decode()).all("script")
    nonce, *admitted = found.pop("script-src")
    assert re.fullmatch(r"'nonce-[\w-]{22}'", nonce)
    assert {f"'nonce-{one.attributes['nonce']}'" for one in scripts} == ({nonce} if scripts else set())
    assert directives(page(client))["script-src"][0] != nonce, "a nonce is used once"
    strict = {
        "default-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["'none'"],
    }
    form = {"form-action": ["'self'", GATEWAY, "https://127.0.0.1:8001"]}
    wallet = {
        "connect-src": ["'self'", GATEWAY],
        "style-src": ["'self'", nonce, GATEWAY],
        "img-src": ["'self'", GATEWAY],
        "frame-src": [GATEWAY],
        "trusted-types": ["wallet-gateway"],
    }
    own = [GATEWAY] if page is with_button else []
    assert admitted == ["'strict-dynamic'", "'self'", *own]
    more: dict[str, list[str]] = {} if page is plain else form
    assert found == strict | more | (wallet if page is with_button else {})


def test_a_form_may_lead_on_to_the_gateway(client: Client, settings: Settings) -> None:
    account = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {
        "BASE_URL": "https://gateway.example",
        "REDIRECT_HOSTS": ["pay.example", "pay.example:8443"],
    }
    del account["WALLET"]
    configure(settings, PUBLIC_ORIGIN="https://shop.example", GATEWAYS={"default": account})
    admitted = directives(with_form(client))["form-action"]
    assert {"'self'", "https://pay.example", "https://pay.example:8443"} <= set(admitted)
    # Plain HTTP only where the gateway is on this machine.
    assert not [source for source in admitted if source.startswith("http://")]


def test_what_the_policy_stops_is_reported_where_the_settings_say(client: Client, settings: Settings) -> None:
    assert "Reporting-Endpoints" not in plain(client)
    configure(settings, CSP_REPORT_URL=REPORTS)
    for page in PAGES:
        response = page(client)
        found = directives(response)
        assert (found["report-uri"], found["report-to"]) == ([REPORTS], ["wallet-gateway"])
        assert response["Reporting-Endpoints"] == f'wallet-gateway="{REPORTS}"'


class OwnPolicy:
    """A project's middleware for policies, as far as a view can see it: a nonce on the request."""

    mark = ""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        setattr(request, self.mark, "n0nce")
        return self.get_response(request)


@every("mark", ["csp_nonce", "_csp_nonce"], ids=["django-csp", "Django 6"])
def test_a_project_that_has_a_policy_keeps_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    settings.MIDDLEWARE = [f"{__name__}.OwnPolicy", *settings.MIDDLEWARE]
    monkeypatch.setattr(OwnPolicy, "mark", mark)
    for page in PAGES:
        assert POLICY not in page(Client())


@every(
    ("static_url", "own"),
    [
        ("/static/", []),
        ("https://cdn.example/shop/", ["https://cdn.example"]),
        ("//cdn.example:444/", ["https://cdn.example:444"]),
    ],
)
def test_static_files_of_another_host_are_admitted(
    client: Client, settings: Settings, static_url: str, own: list[str]
) -> None:
    settings.STATIC_URL = static_url
    found = directives(plain(client))
    assert found["default-src"] == ["'self'", *own]
    assert found["script-src"][1:] == ["'strict-dynamic'", "'self'", *own]


# --- scripts of others on the page of the button ------------------------------------------------------------


def test_googles_own_hosts_are_admitted_where_its_script_is_used(client: Client, settings: Settings) -> None:
    configure_wallet(settings, PAY_JS_URL=GOOGLES, WALLET_JS="https://gateway.example/wallet.js")
    policy = directives(with_button(client))
    assert policy["script-src"][3:] == ["https://pay.google.com", "https://gateway.example"]
    assert "https://www.gstatic.com" in policy["img-src"]
    assert {"https://google.com", "https://gateway.example"} <= set(policy["connect-src"])
    assert policy["frame-src"] == ["https://pay.google.com"]


@every(
    ("script", "reports", "demanded"),
    [
        ({"PAY_JS_URL": GOOGLES}, "", None),
        ({"WALLET_JS": "http://127.0.0.1:8001/wallet.js"}, "", None),
        ({"PAY_JS_URL": GOOGLES}, REPORTS, None),
        (
            {"PAY_JS_URL": GOOGLES, "TRUSTED_TYPES": ["goog#html", "'allow-duplicates'"]},
            REPORTS,
            ["wallet-gateway", "goog#html", "'allow-duplicates'"],
        ),
    ],
)
def test_trusted_types_are_demanded_of_a_script_of_others_only_once_a_shop_has_tried_it(
    client: Client, settings: Settings, script: dict[str, Any], reports: str, demanded: list[str] | None
) -> None:
    account = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    wallet = {"COUNTRY": "DE", "MERCHANT_NAME": "Test shop"} | script
    configure(settings, CSP_REPORT_URL=reports, GATEWAYS={"default": account | {"WALLET": wallet}})
    response = with_button(client)
    found = directives(response)
    assert found.get("trusted-types") == demanded
    assert found.get("require-trusted-types-for") == (["'script'"] if demanded else None)
    # What they would stop is reported before that, where there is an address for it.
    would_stop = (
        "require-trusted-types-for 'script'; trusted-types wallet-gateway; "
        f"report-uri {REPORTS}; report-to wallet-gateway"
    )
    expected = would_stop if reports and not demanded else None
    assert response.get(f"{POLICY}-Report-Only") == expected


def test_a_gateway_without_a_wallet_has_the_form_and_the_usual_policy(
    client: Client, settings: Settings
) -> None:
    page = Page(with_button(client).content.decode())
    assert_nothing_inline(page)
    assert (len(page.forms()), len(page.having("data-wallet-session"))) == (1, 1)
    assert "€24.90" in page.text
    account = dict(settings.WALLET_GATEWAY["GATEWAYS"]["default"])
    del account["WALLET"]
    configure(settings, GATEWAYS={"default": account})
    response = with_button(client)
    page = Page(response.content.decode())
    assert (len(page.forms()), page.all("script")) == (1, [])
    assert directives(response)["trusted-types"] == ["'none'"]
    assert "payment=()" in response["Permissions-Policy"]
