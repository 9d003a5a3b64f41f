"""The wallet's button under the policies of the documentation, in a browser, until the order is paid.

Django 6 makes policy and nonce itself; on Django 5.2 the package django-csp does; a project may have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import django
import pytest
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.docs.pages import steps
from tests.support.chromium import PATIENCE_MS
from tests.web.conftest import know_origin
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.wallet_sheet import WalletSheet

pytestmark = [
    pytest.mark.browser,
    pytest.mark.newest_django,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.web.shop_urls"),
]

MakeOrder = Callable[..., PaymentOrder]
HAS_POLICIES = django.VERSION >= (6, 0)
PAGE = "docs/how-to/content-security-policy.md"
POLICY = "Content-Security-Policy"
WATCH = """addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy", violatedDirective, blockedURI))"""


def documented(name: str, gateway: str) -> str:
    """A block of the documentation, with the sandbox in the place of the gateway and of the wallet."""
    found = steps(PAGE)
    places = [number for number, step in enumerate(found) if (step.kind, step.text) == ("<policy>", name)]
    (place,) = places
    text = found[place + 1].text
    return text.replace("https://gateway.example", gateway).replace("https://pay.google.com", gateway)


def trusted_types() -> dict[str, list[str]]:
    """The directives of the section on trusted types."""
    parts = (part.split() for part in documented("trusted types", "").split(";"))
    return {name: sources for name, *sources in parts}


def settings_of(name: str, gateway: str) -> dict[str, Any]:
    """The settings that a documented block of Python makes."""
    names: dict[str, Any] = {}
    exec(documented(name, gateway), names)
    return names


def with_django(settings: Settings, gateway: str) -> None:
    settings.MIDDLEWARE = ["django.middleware.csp.ContentSecurityPolicyMiddleware", *settings.MIDDLEWARE]
    settings.SECURE_CSP = settings_of("django", gateway)["SECURE_CSP"] | trusted_types()


def with_django_csp(settings: Settings, gateway: str) -> None:
    settings.MIDDLEWARE = ["csp.middleware.CSPMiddleware", *settings.MIDDLEWARE]
    policy = settings_of("django-csp", gateway)["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": policy | trusted_types()}


class ServersHeader:
    """Adds a policy to that of a page, as a server in front does: a browser holds the page to both."""

    policy = ""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policies = [response.headers.get(POLICY), self.policy]
        response.headers[POLICY] = ", ".join(filter(None, policies))
        return response


def with_a_header(settings: Settings, gateway: str) -> None:
    lines = re.findall(r'set \$csp "(?:\$csp)?(.*)";', documented("header", gateway))
    policy = "".join(lines) + "; " + documented("trusted types", "").strip()
    settings.MIDDLEWARE = [f"{__name__}.ServersHeader", *settings.MIDDLEWARE]
    ServersHeader.policy = policy


POLICIES: dict[str, Callable[[Settings, str], None]] = {
    "django-csp": with_django_csp,
    "header": with_a_header,
    # The shop's page has no policy, and ours brings its own.
    "none": lambda settings, gateway: None,
}
if HAS_POLICIES:
    POLICIES["django"] = with_django


@pytest.fixture
def serve(wallet_sandbox: SandboxControl, settings: Settings) -> Iterator[Callable[[str], str]]:
    """Serve the shop under a policy; a server of its own, since middleware is read once, when one starts."""
    servers: list[LiveServer] = []

    def start(policy: str) -> str:
        cache.clear()
        POLICIES[policy](settings, wallet_sandbox.base_url)
        servers.append(server := LiveServer("127.0.0.1"))
        # Stopping waits for the connections' threads then, instead of leaving their sockets to the collector.
        server.thread.httpd.daemon_threads = False
        settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"PUBLIC_ORIGIN": server.url}
        know_origin(wallet_sandbox, server.url)
        return server.url

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def tab(browser: Browser, serve: Callable[[str], str]) -> Iterator[Page]:
    """A tab with the wallet that the sandbox emulates; it is closed before the server waits for its end."""
    with browser.new_context(locale="en") as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()


@pytest.mark.parametrize("policy", POLICIES)
def test_the_button_pays_without_a_violation(
    tab: Page, serve: Callable[[str], str], make_order: MakeOrder, policy: str
) -> None:
    complaints: list[str] = []
    tab.add_init_script(WATCH)
    tab.on("pageerror", lambda fault: complaints.append(str(fault)))
    tab.on(
        "console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None
    )
    shop, order = serve(policy), make_order()
    ours = reverse("wallet_gateway:pay", args=[order.token])
    answer = tab.goto(shop + (ours if policy == "none" else f"/button/{order.reference}/"))
    assert answer is not None
    said = answer.headers["content-security-policy"]
    assert "require-trusted-types-for 'script'" in said
    assert "'unsafe" not in said
    sheet = WalletSheet(tab, origin=shop)
    sheet.open()
    sheet.approve()
    expect(tab.locator("h1")).to_have_text("Your payment went through")
    assert payments.get_order(order.reference).is_paid
    assert complaints == []
