"""The wallet's button under the strictest policies a project can have, in a browser, until the order is paid.

Django 6 makes policy and nonce itself; on Django 5.2 the package django-csp does; a project may have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import django
import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.chromium import PATIENCE_MS
from tests.journeys.sheet import Sheet
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [
    pytest.mark.browser,
    pytest.mark.newest_django,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.web.shop_urls"),
]

MakeOrder = Callable[..., PaymentOrder]
HAS_POLICIES = django.VERSION >= (6, 0)
WATCH = """addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy", violatedDirective, blockedURI))"""


def directives(gateway: str, nonce: object) -> dict[str, list[object]]:
    """Scripts and styles by nonce alone, and nothing else that the button can do without."""
    return {
        "default-src": ["'none'"],
        "base-uri": ["'none'"],
        "script-src": [nonce],
        "style-src": [nonce],
        "connect-src": ["'self'", gateway],
        "frame-src": [gateway],
        "form-action": ["'self'", gateway],
        "frame-ancestors": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["wallet-gateway"],
    }


def with_django(settings: Settings, gateway: str) -> None:
    from django.utils.csp import CSP

    settings.MIDDLEWARE = ["django.middleware.csp.ContentSecurityPolicyMiddleware", *settings.MIDDLEWARE]
    settings.SECURE_CSP = directives(gateway, CSP.NONCE)


def with_django_csp(settings: Settings, gateway: str) -> None:
    from csp.constants import NONCE

    settings.MIDDLEWARE = ["csp.middleware.CSPMiddleware", *settings.MIDDLEWARE]
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": directives(gateway, NONCE)}


def with_nothing(settings: Settings, gateway: str) -> None:
    """The shop's page has no policy, and ours brings its own."""


@pytest.fixture(
    params=[
        pytest.param(with_django_csp, id="django-csp"),
        pytest.param(
            with_django,
            id="django",
            marks=[
                pytest.mark.skipif(not HAS_POLICIES, reason="policies came with Django 6"),
                pytest.mark.exhaustive,
            ],
        ),
        pytest.param(with_nothing, id="none", marks=pytest.mark.exhaustive),
    ]
)
def shop(request: pytest.FixtureRequest, wallet_sandbox: SandboxControl, settings: Settings) -> Iterator[str]:
    """A server of its own: middleware is read once, when a server starts."""
    cache.clear()
    request.param(settings, wallet_sandbox.base_url)
    server = LiveServer("127.0.0.1")
    # Stopping waits for the connections' threads then, instead of leaving their sockets to the collector.
    server.thread.httpd.daemon_threads = False
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"PUBLIC_ORIGIN": server.url}
    account: dict[str, Any] = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    wallet_sandbox.add_merchant(
        merchant_id=account["MERCHANT_ID"],
        store_id=account["STORE_ID"],
        user_id=account["USER_ID"],
        provider=account["PROVIDER"],
        origins=(server.url,),
    )
    yield server.url
    server.stop()


@pytest.fixture
def page(browser: Browser, shop: str) -> Iterator[Page]:
    """A tab that tells of every violation, and whose other complaints fail the test, too."""
    complaints: list[str] = []
    with browser.new_context(locale="en") as context:
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(WATCH)
        # All threads of the server share one database in memory: of two requests at once one would fail.
        context.route("**/event/", lambda route: route.fulfill(status=204))
        context.on("weberror", lambda fault: complaints.append(str(fault.error)))
        context.on(
            "console",
            lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None,
        )
        yield context.new_page()
    assert complaints == []


@pytest.mark.parametrize("address", ["the shop's page", "our page"])
def test_the_button_pays_without_a_violation(
    page: Page, shop: str, make_order: MakeOrder, address: str
) -> None:
    order = make_order()
    path = (
        reverse("wallet_gateway:pay", args=[order.token])
        if address == "our page"
        else f"/button/{order.reference}/"
    )
    answer = page.goto(shop + path)
    assert answer is not None
    policy = answer.headers.get("content-security-policy", "")
    sheet = Sheet(page=page)
    sheet.opens()
    sheet.approves()
    expect(page.locator("h1")).to_have_text("Your payment went through")

    assert payments.get_order(order.reference).is_paid
    assert "'unsafe" not in policy
    assert ("'nonce-" in policy) is ("script-src" in policy)
