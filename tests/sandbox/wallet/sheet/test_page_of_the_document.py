"""A page written from the interface document alone, with the wallet.js that the sandbox serves: it is paid.

Nothing of the page is ours: three functions, a container, a click handler and a call on load. The merchant's
server is `tests.sandbox.wallet_buyer`, by hand from the document too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.sandbox.merchant import Merchant
from tests.sandbox.wallet_buyer import Buyer
from tests.support.chromium import PATIENCE_MS
from tests.support.static_host import StaticHost
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.browser

# "Browser script interface (digital wallet button)", point by point.
PAGE = """<!doctype html>
<html lang="en"><head><title>Pay</title><link rel="icon" href="data:,">
<script src="{gateway}/wallet.js?v=1"></script>
<script>
var told = []
function handleWalletPayReady(event) {{
  document.getElementById("merchant-google-pay-button").removeAttribute("hidden")
}}
function handlePaymentResult(event) {{ told.push(["result", event.detail]) }}
function handlePaymentError(event) {{ told.push(["error", event.detail]) }}
var refusals = {refusals}
function onPaymentAuthorized(paymentData) {{
  told.push(["authorized", arguments[0].paymentMethodData.description])
  if (!refusals--) return Promise.resolve({{ transactionState: "SUCCESS" }})
  return Promise.resolve({{ transactionState: "ERROR", error: {{
    reason: "PAYMENT_DATA_INVALID", message: "Another card, please", intent: "PAYMENT_AUTHORIZATION" }} }})
}}
function load() {{
  runWalletPay("SANDBOX-MERCHANT", "SANDBOX-STORE", "DOCUMENT-1", ["PAN_ONLY", "CRYPTOGRAM_3DS"],
    ["AMEX", "DISCOVER", "INTERAC", "JCB", "MASTERCARD", "VISA"], "DE", "EUR", "FINAL", "10.00", "test",
    {key}, {drawn}, "", "My shop", {optional})
}}
</script></head>
<body onload="load()">
<div id="merchant-google-pay-button" hidden><button onclick="onMerchantButtonClick()">Pay now</button></div>
</body></html>
"""
OpenPage = Callable[..., Page]


@pytest.fixture
def seller(merchant: Merchant, control: SandboxControl) -> Buyer:
    """The merchant's server."""
    return Buyer(merchant, control)


@pytest.fixture
def open_document(browser: Browser, seller: Buyer, tmp_path: Path) -> Iterator[OpenPage]:
    """Serve the page with this merchant's key from an origin of its own, and open it."""
    with StaticHost(tmp_path, allows_all=False) as host, browser.new_context(locale="en") as context:
        context.set_default_timeout(PATIENCE_MS)

        def open_(*, optional: str = "undefined", drawn: str = "false", refusals: int = 0) -> Page:
            key = json.dumps(seller.keys["apiKey"])
            html = PAGE.format(
                gateway=seller.merchant.base_url,
                key=key,
                optional=optional,
                drawn=drawn,
                refusals=refusals,
            )
            (tmp_path / "pay.html").write_text(html, encoding="utf-8")
            page = context.new_page()
            page.goto(f"{host.url}pay.html")
            return page

        yield open_


def sheet(page: Page) -> FrameLocator:
    return page.frame_locator("dialog iframe")


def approve(page: Page) -> None:
    expect(sheet(page).locator("[data-pay]")).to_have_attribute("aria-disabled", "false")
    sheet(page).locator("[data-pay]").click()


def told(page: Page, number: int) -> list[Any]:
    """What the page's functions were told, once they were told that much."""
    page.wait_for_function("(number) => told.length >= number", arg=number)
    heard: list[Any] = page.evaluate("told")
    return heard


@pytest.mark.parametrize("drawn", ["false", "true"])
def test_it_pays(open_document: OpenPage, seller: Buyer, drawn: str) -> None:
    page = open_document(drawn=drawn)
    page.locator("#merchant-google-pay-button button").click()
    approve(page)
    [[kind, detail]] = told(page, 1)
    assert kind == "result"
    assert set(detail) == {
        *("clientSystemTransactionId", "transactionAccountId", "transactionMethod"),
        *("cryptogram", "eciIndicator"),
    }
    assert (detail["clientSystemTransactionId"], detail["transactionMethod"]) == ("DOCUMENT-1", "WalletPay")
    assert seller.look_up(detail["transactionAccountId"]).json["cardType"] == "Token"
    assert seller.authorize(detail).json["state"] == "Approved"


def test_a_card_that_the_gateway_refuses_is_a_result_in_its_failed_form(
    open_document: OpenPage, control: SandboxControl
) -> None:
    control.fault("create_payment_account", "bare_error", times=1, code="4000340")
    page = open_document()
    page.get_by_role("button", name="Pay now").click()
    approve(page)
    assert told(page, 1) == [["result", {"code": "4000340"}]]
