"""A shop's page, and customers with browsers as new; what a browser complains about fails the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage

from tests.sandbox.wallet.sheet.buyer import Buyer
from tests.sandbox.wallet.sheet.shop import Shop
from tests.support.chromium import PATIENCE_MS
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer

NewBuyer = Callable[..., Buyer]
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 844}


@pytest.fixture(scope="module")
def shop(wallet_sandbox_server: SandboxServer) -> Iterator[str]:
    """The shop's address."""
    with Shop(wallet_sandbox_server.base_url) as shop:
        yield shop.url


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What browsers complained about: faults of scripts, and what a policy forbade. At the end: nothing."""
    collected: list[str] = []
    yield collected
    assert collected == []


@pytest.fixture
def new_buyer(
    browser: Browser, control: SandboxControl, shop: str, complaints: list[str]
) -> Iterator[NewBuyer]:
    """Make a customer; keyword arguments say what is special about the browser."""
    assert control.wallet() == "ready"
    contexts = []

    def comment(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(message.text)

    def make(*, language: str = "en", **special: Any) -> Buyer:
        context = browser.new_context(locale=language, reduced_motion="reduce", **special)
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", comment)
        context.on("weberror", lambda fault: complaints.append(str(fault.error)))
        buyer = Buyer(page=context.new_page(), shop=shop)
        buyer.visit()
        return buyer

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def buyer(new_buyer: NewBuyer) -> Buyer:
    """Somebody with a phone."""
    return new_buyer(viewport=PHONE)


@pytest.fixture(
    params=[
        pytest.param(PHONE, id="phone"),
        pytest.param(DESK, id="desk", marks=pytest.mark.exhaustive),
    ]
)
def buyer_anywhere(new_buyer: NewBuyer, request: pytest.FixtureRequest) -> Buyer:
    """Somebody with a phone, then somebody at a desk: for what depends on where the sheet lies."""
    return new_buyer(viewport=request.param)
