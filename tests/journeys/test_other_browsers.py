"""A purchase once in WebKit and in Firefox, where Playwright has them; all other tests drive Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error, expect, sync_playwright

from tests.journeys.customer import Customer
from tests.journeys.sheet import PAID
from wallet_gateway.testing.wallet_sheet import WalletSheet

if TYPE_CHECKING:
    from tests.journeys.conftest import LiveShop

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.mark.parametrize("name", ["webkit", "firefox"])
def test_a_customer_pays_on_the_hosted_page_and_in_the_wallets_sheet(
    name: str, live_shop: LiveShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Playwright runs an event loop in this thread, which Django takes for asynchronous code.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_playwright() as playwright:
        try:
            browser = getattr(playwright, name).launch()
        except Error as fault:
            pytest.skip(f"*** NO {name.upper()}: ITS JOURNEY DID NOT RUN. *** {fault}")
        customer = Customer(page=browser.new_page(locale="en"), shop=live_shop.url)
        customer.puts_into_the_cart("Harbour mug")
        customer.goes_to_the_review()
        customer.places_the_order()
        customer.opens_the_payment_page()
        customer.decides("success")
        expect(customer.heading).to_have_text(PAID)
        customer.page.goto(live_shop.places_an_order())
        sheet = WalletSheet(customer.page, origin=live_shop.url)
        sheet.open()
        sheet.approve()
        expect(customer.heading).to_have_text(PAID)
        browser.close()
