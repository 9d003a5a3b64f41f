"""A customer pays in the wallet's sheet over the shop's page: nothing approves by itself, once is once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.exhaustive import one_of
from tests.journeys.sheet import (
    PAID,
    PAID_ORDER,
    PLAIN,
    TOKEN,
    Sheet,
    authorizations,
    goes_to_the_bank,
    says,
)

if TYPE_CHECKING:
    from tests.journeys.customer import Customer
    from tests.journeys.live_shop import LiveShop

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("wallet")]
PAGE_LIVES = 16 * 60


def test_a_token_card_pays_without_leaving_the_shop(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    before = authorizations(live_shop)
    order = customer.page.url
    sheet.opens()
    expect(sheet.total).to_have_text("€28.90")
    assert authorizations(live_shop, before) == 0
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    assert customer.page.url == order
    expect(customer.standing).to_have_text(PAID_ORDER)
    expect(customer.page.get_by_text("Packing slip")).to_be_visible()
    expect(customer.page.locator(".receipt__card")).to_contain_text("Visa")
    expect(customer.page.locator(".receipt__card")).to_contain_text(TOKEN)
    assert customer.timeline == [
        "Order created",
        "Wallet button shown",
        "Wallet result received",
        "Payment approved",
    ]
    assert authorizations(live_shop, before) == 1


def test_a_plain_card_pays_once_its_bank_agrees(customer: Customer, sheet: Sheet) -> None:
    goes_to_the_bank(customer, sheet)
    says(customer, "success")
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    expect(customer.standing).to_have_text(PAID_ORDER)
    expect(customer.page.locator(".receipt__card")).to_contain_text(PLAIN)


@pytest.mark.exhaustive
def test_who_abandons_the_bank_can_pay_once_its_page_has_ended(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    order = customer.page.url
    goes_to_the_bank(customer, sheet)
    says(customer, "abandoned")
    customer.page.goto(order)
    expect(customer.standing).to_have_text("Payment pending")
    expect(sheet.button).to_have_count(0)
    live_shop.control.advance_clock(PAGE_LIVES)
    live_shop.let_time_pass(PAGE_LIVES)
    live_shop.command("wallet_sweep")
    customer.page.goto(order)
    expect(customer.standing).to_have_text("Not paid")
    sheet.opens()
    sheet.approves()

    expect(customer.heading).to_have_text(PAID)


def test_after_a_decline_the_open_sheet_takes_another_card(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    sheet.opens()
    live_shop.control.fault("authorization", "errored", times=1)
    sheet.approves()
    expect(sheet.alert).to_contain_text("declined")
    sheet.takes("card", "4444")
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    expect(customer.page.locator(".receipt__card")).to_contain_text("Mastercard")


def of_the_route(complaints: list[str]) -> None:
    """Take away what the browser says of requests that the test has cut off."""
    complaints[:] = [said for said in complaints if not said.endswith("net::ERR_FAILED")]


@pytest.mark.parametrize("is_kept_open", one_of([True, False]))
def test_when_the_result_never_reaches_the_shop_nothing_is_charged_and_the_customer_pays_again(
    customer: Customer, sheet: Sheet, live_shop: LiveShop, complaints: list[str], is_kept_open: bool
) -> None:
    before = authorizations(live_shop)
    panel = customer.page.locator(".sheet-panel")
    panel.locator("summary").click()
    panel.get_by_label("Keep the sheet open").set_checked(is_kept_open)
    panel.get_by_role("button").click()
    customer.page.route("**/wallet/api/orders/*/result/", lambda route: route.abort(), times=1)
    sheet.opens()
    sheet.approves()

    expect(customer.heading).to_have_text("We did not hear from your wallet")
    expect(customer.page.locator(".wallet__message")).to_have_text("Nothing was charged. You can pay again.")
    expect(customer.page.locator("dialog iframe")).to_have_count(0)
    assert authorizations(live_shop, before) == 0
    sheet.opens()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    assert authorizations(live_shop, before) == 1
    of_the_route(complaints)


def test_the_keyboard_alone_pays(customer: Customer, sheet: Sheet) -> None:
    expect(sheet.button).to_be_visible()
    sheet.button.focus()
    customer.page.keyboard.press("Enter")
    sheet.settles()
    for _ in range(12):
        customer.page.keyboard.press("Tab")
        if sheet.pay.evaluate("button => button === document.activeElement"):
            break
    customer.page.keyboard.press("Enter")

    expect(customer.heading).to_have_text(PAID)


# What the sheet changes


def asks_for_everything(customer: Customer, *, by_wallet: bool = False) -> None:
    """Use the demo's panel."""
    panel = customer.page.locator(".sheet-panel")
    panel.locator("summary").click()
    if by_wallet:
        panel.get_by_label("Who draws the button").select_option("on")
    panel.get_by_label("Billing address").select_option("FULL")
    panel.get_by_label("Ask for the e-mail address").check()
    panel.get_by_label("Ask where to and how to ship").check()
    panel.get_by_role("button").click()


def test_another_address_and_way_to_ship_are_priced_and_paid_for(customer: Customer, sheet: Sheet) -> None:
    asks_for_everything(customer)
    sheet.opens()
    expect(sheet.total).to_have_text("€28.90")
    sheet.takes("address", "Mountain View")
    expect(sheet.alert).to_contain_text("within Europe only")
    expect(sheet.pay).to_have_attribute("aria-disabled", "true")
    sheet.takes("address", "Paris")
    expect(sheet.total).to_have_text("€33.80")
    sheet.takes("option", "Courier")
    expect(sheet.total).to_have_text("€38.80")
    sheet.enters("SWALLOW")
    expect(sheet.alert).to_contain_text("cannot be used")
    sheet.enters("LARK10")
    expect(sheet.total).to_have_text("€36.40")
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()
    receipt = customer.page.locator(".receipt")

    expect(customer.standing).to_have_text(PAID_ORDER)
    expect(receipt.locator(".sums__total dd")).to_have_text("€36.40")
    expect(receipt).to_contain_text("75001 Paris")
    expect(receipt).to_contain_text("sam.sample@example.com")


@pytest.mark.exhaustive
def test_the_wallets_own_button_pays_as_well(customer: Customer, sheet: Sheet) -> None:
    asks_for_everything(customer, by_wallet=True)
    expect(sheet.button).to_contain_text("Sandbox Pay")
    sheet.opens()
    sheet.approves()

    expect(customer.heading).to_have_text(PAID)


# Without a wallet
