"""Under which headers a page leaves, and to whom its address is open."""

from __future__ import annotations

import logging
import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.web.security import allow_form, token_page

POLICY = "Content-Security-Policy"
GATEWAY = GatewayPolicy(redirect_hosts=frozenset({"pay.example", "pay.example:8443"}))


def _plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse("words")


def _with_form(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("a form")
    allow_form(request, response, policy=GATEWAY)
    return response


def _directives(response: HttpResponse) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in response[POLICY].split(";"))
    return {name: value for name, _, value in parts}


@pytest.fixture
def request_(rf: RequestFactory) -> HttpRequest:
    return rf.get("/")


def test_a_page_stays_out_of_caches_referrers_frames_and_indexes(request_: HttpRequest) -> None:
    response = token_page(_plain)(request_)
    assert response["Cache-Control"] == "no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Robots-Tag"] == "noindex"


def test_the_policy_admits_nothing_inline_and_nothing_from_elsewhere(request_: HttpRequest) -> None:
    found = _directives(token_page(_plain)(request_))
    assert re.fullmatch(r"'nonce-[\w-]{22}' 'strict-dynamic' 'self'", found.pop("script-src"))
    assert found == {
        "default-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "object-src": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_a_page_asks_the_browser_for_nothing(request_: HttpRequest) -> None:
    allowed = token_page(_plain)(request_)["Permissions-Policy"].split(", ")
    assert {"payment=()", "camera=()", "geolocation=()"} <= set(allowed)
    assert all(feature.endswith("=()") for feature in allowed)


def test_a_project_that_says_what_pages_may_ask_the_browser_for_keeps_it(request_: HttpRequest) -> None:
    response = token_page(lambda _: HttpResponse(headers={"Permissions-Policy": "payment=*"}))(request_)
    assert response["Permissions-Policy"] == "payment=*"


REPORTS = "https://reports.example/csp?key=1"


def test_what_the_policy_stops_is_reported_where_the_settings_say(
    request_: HttpRequest, settings: Settings
) -> None:
    assert "Reporting-Endpoints" not in token_page(_plain)(request_)
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"CSP_REPORT_URL": REPORTS}
    response = token_page(_with_form)(request_)
    found = _directives(response)
    assert (found["report-uri"], found["report-to"]) == (REPORTS, "wallet-gateway")
    assert response["Reporting-Endpoints"] == f'wallet-gateway="{REPORTS}"'


def test_the_reports_of_a_project_stay_its_own(request_: HttpRequest, settings: Settings) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"CSP_REPORT_URL": REPORTS}
    its_own = {"Reporting-Endpoints": 'default="/reports/"'}
    response = token_page(lambda _: HttpResponse(headers=its_own))(request_)
    assert response["Reporting-Endpoints"] == 'default="/reports/"'
    assert _directives(response)["report-uri"] == REPORTS


def test_a_form_may_lead_on_to_the_gateway(request_: HttpRequest) -> None:
    response = token_page(_with_form)(request_)
    assert _directives(response)["form-action"] == "'self' https://pay.example https://pay.example:8443"


def test_plain_http_is_admitted_only_where_the_gateway_is_on_this_machine(request_: HttpRequest) -> None:
    local = GatewayPolicy(redirect_hosts=frozenset({"127.0.0.1:8001"}), allow_plain_http=True)
    response = HttpResponse()
    allow_form(request_, response, policy=local)
    assert "http://127.0.0.1:8001" in _directives(response)["form-action"].split()
    assert "http://" not in _directives(token_page(_with_form)(request_))["form-action"]


def test_a_page_with_a_form_names_its_address_to_its_own_site_only(request_: HttpRequest) -> None:
    # Under no-referrer the form would be posted with "Origin: null" and refused.
    assert token_page(_with_form)(request_)["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("mark", ["csp_nonce", "_csp_nonce"], ids=["django-csp", "Django 6"])
def test_a_project_that_has_a_policy_keeps_it(request_: HttpRequest, mark: str) -> None:
    setattr(request_, mark, "n0nce")
    assert POLICY not in token_page(_plain)(request_)
    assert POLICY not in token_page(_with_form)(request_)


@pytest.mark.parametrize("header", [POLICY, f"{POLICY}-Report-Only"])
def test_a_policy_that_is_set_already_is_left_alone(request_: HttpRequest, header: str) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={header: "default-src 'none'"})

    response = token_page(view)(request_)
    assert response[header] == "default-src 'none'"
    assert {POLICY, f"{POLICY}-Report-Only"} & set(response.headers) == {header}


@pytest.mark.parametrize(
    ("static_url", "default_src"),
    [
        ("/static/", "'self'"),
        ("https://cdn.example/shop/", "'self' https://cdn.example"),
        ("//cdn.example:444/", "'self' https://cdn.example:444"),
    ],
)
def test_static_files_of_another_host_are_admitted(
    request_: HttpRequest, settings: Settings, static_url: str, default_src: str
) -> None:
    settings.STATIC_URL = static_url
    found = _directives(token_page(_plain)(request_))
    assert found["default-src"] == default_src
    assert found["script-src"].endswith(f"'strict-dynamic' {default_src}")


def test_a_missing_setting_is_a_refusal_that_is_logged_and_not_shown(
    request_: HttpRequest, caplog: pytest.LogCaptureFixture
) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        raise ImproperlyConfigured("MERCHANT_ID: a text that is not empty")

    with caplog.at_level(logging.ERROR):
        response = token_page(view)(request_)
    assert response.status_code == 503
    assert "MERCHANT_ID" in caplog.text
    assert caplog.text.count("\n") == 1, "one line for one event"
    assert "MERCHANT_ID" not in response.content.decode()
    assert response["Cache-Control"] == "no-store"
