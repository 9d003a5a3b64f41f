"""A freshly reset sandbox for every test, a merchant that calls it, and a visitor of its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.sandbox.looks import complaints
from tests.sandbox.merchant import Merchant, new_reference
from tests.sandbox.visitor import Visitor
from tests.sandbox.wallet_buyer import Buyer
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer

MIGRATION_HEADER = (
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId"
)

Pay = Callable[..., str]


@pytest.fixture
def control(wallet_sandbox_server: SandboxServer) -> SandboxControl:
    """The control interface of a sandbox where nothing has happened yet."""
    control = wallet_sandbox_server.control
    control.reset()
    return control


@pytest.fixture
def merchant(control: SandboxControl) -> Iterator[Merchant]:
    """The built-in merchant on a connection of its own."""
    with Merchant(control.base_url) as merchant:
        yield merchant


@pytest.fixture
def pay(merchant: Merchant, control: SandboxControl) -> Pay:
    """Opens a checkout of 10.00 EUR with the changes given, decides it, and gives its reference."""

    def pay(outcome: str = "success", **changes: Any) -> str:
        reference = new_reference()
        answer = merchant.checkout(reference, **changes)
        assert answer.status == 200, answer.body
        control.complete_checkout(reference, outcome)
        return reference

    return pay


@pytest.fixture
def sale(pay: Pay) -> str:
    """The reference of a sale of 10.00 EUR that was paid."""
    return pay()


@pytest.fixture
def reserved(pay: Pay) -> str:
    """The reference of a pre-authorization of 10.00 EUR."""
    return pay(type="ecom.preAuthorization")


@pytest.fixture
def deposit(control: SandboxControl) -> str:
    """The parentTransactionId of a migrated deposit of 50.00 EUR, 20.00 of which were refunded before."""
    row = "OLD-1,2024-03-01T09:30:00.5,50.00,EUR,20.00,PROVIDER-1"
    report = control.migration_file(f"{MIGRATION_HEADER}\n{row}\n")
    assert report == {"accepted": 1, "rejected": []}
    return "OLD-1"


@pytest.fixture
def buyer(merchant: Merchant, control: SandboxControl) -> Buyer:
    """A wallet session of the built-in merchant."""
    return Buyer(merchant, control)


@pytest.fixture
def visitor(control: SandboxControl) -> Visitor:
    """Someone with a browser at the sandbox's pages."""
    return Visitor(control.base_url)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser as new, and listens to what the browser says of it."""
    contexts = []

    def open_(url: str, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 844}, **options)
        contexts.append(context)
        page = context.new_page()
        complaints[page] = []
        page.on("console", lambda message: complaints[page].append(message.text))
        page.on("pageerror", lambda error: complaints[page].append(str(error)))
        page.goto(url)
        return page

    yield open_
    complaints.clear()
    for context in contexts:
        context.close()
