"""How long a customer waits for the button: what is fetched before it can be pressed, in which order."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, expect

from tests.web.test_wallet_page import MakeOrder, shop

__all__ = ["shop"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Notes when the button became ready; what was fetched, the browser notes itself.
CLOCK = """addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector("[data-wallet-session]")
  new MutationObserver(() => {
    if (button.dataset.walletState === "ready") window.readyAt ??= performance.now()
  }).observe(button, { attributes: true })
})"""
FETCHED = """() => performance.getEntriesByType("resource").map(({ name, startTime, responseEnd }) =>
  ({ name, from: startTime, to: responseEnd }))"""


def test_the_button_is_ready_as_soon_as_the_wallets_script_and_the_session_are_there(
    browser: Browser, shop: str, make_order: MakeOrder
) -> None:
    with browser.new_context(locale="en") as context:
        context.add_init_script(CLOCK)
        context.route("**/event/", lambda route: route.fulfill(status=204))
        page = context.new_page()
        page.goto(shop + reverse("wallet_gateway:pay", args=[make_order().token]))
        expect(page.locator(".wallet-button__place button")).to_be_visible()
        ready: float = page.evaluate("readyAt")
        fetched: list[dict[str, Any]] = page.evaluate(FETCHED)
    [script] = [one for one in fetched if one["name"].endswith("/wallet/pay.js")]
    [session] = [one for one in fetched if one["name"].endswith("/session/")]

    # Neither waits for the other.
    assert script["from"] < session["to"]
    # What comes after both of them and before the button would be a round trip: the wallet may take one.
    both = max(script["to"], session["to"])
    assert len([one for one in fetched if both <= one["from"] and one["to"] <= ready]) <= 1
