"""A customer clicks twice, goes back, reloads or has two tabs: the wallet's card is charged once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.journeys.sheet import PAID, PAID_ORDER, Sheet, authorizations, goes_to_the_bank, says

if TYPE_CHECKING:
    from tests.journeys.customer import Customer
    from tests.journeys.live_shop import LiveShop

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("wallet")]


def test_a_double_click_opens_one_sheet_and_a_double_approval_charges_once(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    before = authorizations(live_shop)
    sheet.button.dblclick()
    sheet.settles()
    expect(customer.page.locator("dialog iframe")).to_have_count(1)
    sheet.pay.dblclick()
    expect(customer.heading).to_have_text(PAID)

    assert authorizations(live_shop, before) == 1


def test_a_reload_with_the_sheet_open_pays_once(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    before = authorizations(live_shop)
    sheet.opens()
    customer.page.reload()
    sheet.opens()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)

    assert authorizations(live_shop, before) == 1


@pytest.mark.exhaustive
def test_who_goes_back_from_the_bank_is_not_asked_to_pay_again(customer: Customer, sheet: Sheet) -> None:
    goes_to_the_bank(customer, sheet)
    customer.page.go_back()
    expect(customer.page.locator(".wallet-button:is([data-wallet-state=ready])")).to_have_count(0)
    customer.page.reload()

    expect(customer.standing).to_have_text("Payment pending")
    expect(sheet.button).to_have_count(0)

    customer.page.get_by_role("link", name="Look again").click()
    customer.page.get_by_role("link", name="Go back to your bank").click()
    says(customer, "success")
    expect(customer.heading).to_have_text(PAID)


def test_after_the_payment_the_back_button_leads_to_no_button(customer: Customer, sheet: Sheet) -> None:
    order = customer.page.url
    sheet.opens()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    customer.page.go_back()

    assert customer.page.url != order
    customer.page.goto(order)
    expect(sheet.button).to_have_count(0)


def test_two_tabs_with_open_sheets_pay_once(customer: Customer, sheet: Sheet, live_shop: LiveShop) -> None:
    before = authorizations(live_shop)
    order = customer.page.url
    # A browser that has no cookie of the shop yet gets one with its first button.
    expect(sheet.button).to_be_visible()
    other = customer.page.context.new_page()
    other.goto(order)
    second = Sheet(page=other)
    sheet.opens()
    other.bring_to_front()
    second.opens()
    customer.page.bring_to_front()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    other.bring_to_front()
    second.approves()
    expect(other.get_by_text(re.compile("paid already|went through|do not pay again")).first).to_be_visible()
    customer.page.goto(order)

    expect(customer.standing).to_have_text(PAID_ORDER)
    assert authorizations(live_shop, before) == 1
