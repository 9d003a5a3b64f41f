"""A browser, the example shop with a sandbox gateway, and a customer who sits in front of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from django.core.cache import cache
from pytest_django.live_server_helper import LiveServer

from example_project import settings as shop_settings
from example_project.shop.cart import CartLine
from example_project.shop.models import Product, ShippingMethod
from example_project.shop.ordering import place_order
from example_project.shop.preferences import CheckoutAnswers
from example_project.shop.pricing import price_cart
from example_project.shop.seeding import seed_catalogue
from example_project.shop.sheet_choices import SheetChoices
from example_project.shop.views.checkout import EXAMPLE_ADDRESS
from tests.example_project.conftest import NAMES
from tests.journeys.customer import Customer
from tests.journeys.sheet import Sheet
from tests.support.chromium import PATIENCE_MS
from wallet_gateway.testing.configuration import use_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage
    from pytest_django import Settings

    from wallet_gateway.testing.control import SandboxControl

    NewCustomer = Callable[..., Customer]

# What Chromium notes of a page that says no, as it should: a form with a fault, an order already paid.
REFUSAL = "Failed to load resource: the server responded with a status of 4"
OF_THE_BROWSER = (
    "CSRF_COOKIE_NAME",
    "SECURE_CROSS_ORIGIN_OPENER_POLICY",
    "SESSION_COOKIE_NAME",
)


@dataclass(frozen=True, kw_only=True)
class LiveShop:
    """The example shop, filled, as a browser sees it."""

    url: str
    control: SandboxControl

    def places_an_order(self, slug: str = "harbour-mug") -> str:
        """Have an order placed as the review page places it; give the address of the order's page."""
        answers = CheckoutAnswers(address={"billing": EXAMPLE_ADDRESS, "parcel": {}})
        lines = [CartLine(product=Product.objects.get(slug=slug), quantity=1)]
        shipping = ShippingMethod.objects.get(code=answers.shipping)
        quote = price_cart(lines, "EUR", shipping_method=shipping, code=None)
        return self.url + place_order(quote, answers, language="en", sheet=SheetChoices()).get_absolute_url()

    def authorizations(self) -> int:
        """How many authorizations the gateway has received."""
        return sum(entry["operation"] == "authorization" for entry in self.control.journal())


@pytest.fixture
def live_shop(
    wallet_sandbox: SandboxControl, transactional_db: None, settings: Settings
) -> Iterator[LiveShop]:
    """A server of its own: middleware is read once, when one starts."""
    cache.clear()
    for name in (*NAMES, *OF_THE_BROWSER):
        setattr(settings, name, getattr(shop_settings, name))
    policy = json.dumps(shop_settings.SECURE_CSP).replace(
        shop_settings.GATEWAY_ORIGIN, wallet_sandbox.base_url
    )
    settings.SECURE_CSP, settings.DEBUG = json.loads(policy), True
    settings.GATEWAY_ORIGIN = wallet_sandbox.base_url
    server = LiveServer("127.0.0.1")
    # Stopping waits for the connections' threads then, instead of leaving their sockets to the collector.
    server.thread.httpd.daemon_threads = False
    given = use_sandbox(wallet_sandbox, shop_settings.WALLET_GATEWAY, public_origin=server.url)
    given["GATEWAYS"]["default"]["APPROVALS"] = {"LIMITS": {"EUR": "50.00"}}
    settings.WALLET_GATEWAY = given | {"FERNET_KEYS": settings.WALLET_GATEWAY["FERNET_KEYS"]}
    wallet_sandbox.add_merchant(
        merchant_id="SANDBOX-MERCHANT",
        store_id="SANDBOX-STORE",
        user_id="sandbox-user",
        provider="ExampleWalletV2",
        origins=(server.url,),
    )
    seed_catalogue()
    yield LiveShop(url=server.url, control=wallet_sandbox)
    server.stop()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the browsers complained about: failed scripts, and what a policy forbade. At the end: nothing."""
    collected: list[str] = []
    yield collected
    assert collected == []


@pytest.fixture
def new_customer(browser: Browser, live_shop: LiveShop, complaints: list[str]) -> Iterator[NewCustomer]:
    """Make a customer with a browser as new; keyword arguments say what is special about the browser."""
    contexts: list[BrowserContext] = []

    def comment(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(REFUSAL):
            complaints.append(f"{message.location.get('url')}: {message.text}")

    def make(*, language: str = "en", **special: object) -> Customer:
        context = browser.new_context(**{"locale": language, **special})  # type: ignore[arg-type]
        contexts.append(context)
        context.on("console", comment)
        context.on("weberror", lambda fault: complaints.append(str(fault.error)))
        context.set_default_timeout(PATIENCE_MS)
        return Customer(page=context.new_page(), shop=live_shop.url)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def customer(new_customer: NewCustomer) -> Customer:
    """Somebody who reads English and has nothing special about them."""
    return new_customer()


@pytest.fixture
def sheet(customer: Customer, live_shop: LiveShop) -> Sheet:
    """The button of an order that has just been placed."""
    customer.page.goto(live_shop.places_an_order())
    return Sheet(customer.page, origin=live_shop.url)
