"""A browser, a live shop with its sandbox gateway, and a customer who sits in front of them.

Shop and gateway are processes with databases of their own; the tests share nothing with them but HTTP.
"""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.architecture.sources import ROOT
from tests.chromium import PATIENCE_MS
from tests.journeys.customer import Customer
from tests.journeys.live_shop import LiveShop
from tests.journeys.sheet import Sheet
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage

    NewCustomer = Callable[..., Customer]

# What Chromium notes of a page that says no, as it should: a form with a fault, an order already paid.
REFUSAL = "Failed to load resource: the server responded with a status of 4"


@pytest.fixture(scope="session")
def live_shop() -> Iterator[LiveShop]:
    """The example shop as `runserver` serves it, filled, and a sandbox gateway beside it."""
    with tempfile.TemporaryDirectory(prefix="journeys-") as folder, SandboxServer() as sandbox:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        shop = LiveShop(folder=Path(folder), port=port, gateway=sandbox.base_url, manage=ROOT / "manage.py")
        with shop:
            yield shop


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
def wallet(live_shop: LiveShop) -> Iterator[None]:
    """The wallet and the gateway as they usually are, before and after each test."""
    yield
    live_shop.control.wallet("ready")
    live_shop.control.clear_faults()
    # For half a minute after a failure nobody waits for the key service: what follows is later than that.
    live_shop.let_time_pass(60)


@pytest.fixture
def sheet(customer: Customer, live_shop: LiveShop) -> Sheet:
    """The button of an order that has just been placed."""
    customer.page.goto(live_shop.places_an_order())
    return Sheet(page=customer.page)
