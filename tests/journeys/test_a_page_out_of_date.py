"""While a page is open its browser logs in elsewhere, or loses its cookies: the customer pays."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.journeys.customer import HOSTED_PAGE
from tests.journeys.operator import PASSWORD, Operator
from tests.journeys.sheet import PAID

if TYPE_CHECKING:
    from tests.journeys.customer import Customer
    from tests.journeys.live_shop import LiveShop
    from tests.journeys.sheet import Sheet

CLERK = f"""
from django.contrib.auth.models import User
User.objects.create_user("clerk", password="{PASSWORD}", is_staff=True)
"""
pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("wallet")]


def _token(customer: Customer) -> str | None:
    cookies = customer.page.context.cookies()
    return next((cookie["value"] for cookie in cookies if cookie["name"] == "lark_and_loam_csrf"), None)


def test_a_sheet_that_was_open_during_a_login_in_another_tab_is_paid(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    sheet.opens()
    before = _token(customer)
    live_shop.runs(CLERK)
    tab = customer.page.context.new_page()
    Operator(page=tab, shop=live_shop.url).logs_in("clerk")
    assert _token(customer) != before
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)


def test_without_its_cookies_an_open_sheet_says_that_nothing_was_charged_and_the_next_one_pays(
    customer: Customer, sheet: Sheet
) -> None:
    sheet.opens()
    customer.page.context.clear_cookies()
    sheet.approves()
    expect(sheet.alert).to_contain_text("Nothing was charged.")
    sheet.closes()
    sheet.opens()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)


@pytest.mark.parametrize("width", [360, 1200])
def test_the_form_of_a_page_without_cookies_leads_to_the_order_and_on(
    customer: Customer, sheet: Sheet, width: int
) -> None:
    customer.page.set_viewport_size({"width": width, "height": 900})
    expect(sheet.button).to_be_visible()
    customer.page.context.clear_cookies()
    customer.page.locator(".wallet-checkout__button").click()
    expect(customer.heading).to_have_text("Please press the button once more")
    expect(customer.page.get_by_text("Nothing was charged.")).to_be_visible()
    expect(sheet.button).to_be_visible()
    if folder := os.environ.get("SHOTS"):
        customer.page.screenshot(path=Path(folder) / f"stale-{width}.png", full_page=True)
    customer.page.locator(".wallet-checkout__button").click()
    customer.page.wait_for_url(HOSTED_PAGE)
