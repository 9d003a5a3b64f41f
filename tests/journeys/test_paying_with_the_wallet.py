"""A customer pays in the wallet's sheet over the shop's page: nothing approves by itself, once is once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.exhaustive import one_of
from tests.journeys.sheet import (
    PAID,
    PAID_ORDER,
    PLAIN,
    RESULT_PAGE,
    TOKEN,
    Sheet,
    authorizations,
    goes_to_the_bank,
    says,
)

if TYPE_CHECKING:
    from tests.journeys.conftest import NewCustomer
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


def test_who_was_refused_on_the_payment_page_pays_with_the_button_beside_the_refusal(
    customer: Customer, sheet: Sheet
) -> None:
    customer.opens_the_payment_page()
    customer.decides("refused")
    sheet.opens()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    expect(customer.standing).to_have_text(PAID_ORDER)


def test_a_plain_card_pays_once_its_bank_agrees(customer: Customer, sheet: Sheet) -> None:
    goes_to_the_bank(customer, sheet)
    says(customer, "success")
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    expect(customer.standing).to_have_text(PAID_ORDER)
    expect(customer.page.locator(".receipt__card")).to_contain_text(PLAIN)


@pytest.mark.exhaustive
def test_when_the_bank_says_no_the_customer_pays_with_another_card(customer: Customer, sheet: Sheet) -> None:
    order = customer.page.url
    goes_to_the_bank(customer, sheet)
    says(customer, "failed")
    customer.page.goto(order)
    expect(customer.standing).to_have_text("Not paid")
    sheet.opens()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)


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


@pytest.mark.exhaustive
def test_where_the_sheet_closes_first_a_decline_is_said_on_the_page(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    panel = customer.page.locator(".sheet-panel")
    panel.locator("summary").click()
    panel.get_by_label("Keep the sheet open").uncheck()
    panel.get_by_role("button").click()
    live_shop.control.fault("authorization", "errored", times=1)
    sheet.opens()
    sheet.approves()
    expect(sheet.update).to_contain_text("declined")
    expect(customer.page.locator("dialog iframe")).to_have_count(0)
    sheet.opens()
    sheet.takes("card", "4444")
    sheet.approves()

    expect(customer.heading).to_have_text(PAID)


def test_when_the_gateways_answer_is_lost_the_customer_waits_and_has_paid_once(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    before = authorizations(live_shop)
    live_shop.control.fault("authorization", "drop_after", times=1)
    sheet.opens()
    sheet.approves()
    customer.page.wait_for_url(RESULT_PAGE)
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    expect(customer.standing).to_have_text(PAID_ORDER)
    assert authorizations(live_shop, before) == 1


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


def test_while_the_shop_cannot_be_reached_the_sheet_is_closed_and_nobody_is_asked_to_pay_again(
    customer: Customer, sheet: Sheet, complaints: list[str]
) -> None:
    sheet.opens()
    lost = re.compile("/wallet/api/(orders|status)/")
    customer.page.route(lost, lambda route: route.abort())
    sheet.approves()

    expect(customer.page.locator("dialog iframe")).to_have_count(0)
    expect(sheet.update).to_have_text(
        "We are finding out whether your payment went through. Please do not pay again."
    )
    expect(customer.page.locator(".wallet-button__place")).to_have_attribute("inert", "")
    customer.page.unroute(lost)
    expect(customer.heading).to_have_text("We did not hear from your wallet")
    expect(sheet.button).to_be_visible()
    of_the_route(complaints)


@pytest.mark.exhaustive
def test_a_closed_sheet_is_no_error_and_the_button_has_the_focus_again(
    customer: Customer, sheet: Sheet
) -> None:
    sheet.opens()
    sheet.closes()
    expect(sheet.update).to_contain_text("Nothing was charged")
    expect(sheet.button).to_be_focused()
    sheet.opens()
    sheet.approves()
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    assert "Wallet sheet closed" in customer.timeline


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


@pytest.mark.exhaustive
def test_a_currency_of_three_decimals_has_the_payment_page_alone(customer: Customer) -> None:
    customer.takes("harbour-mug", currency="KWD")
    customer.goes_to_the_review()
    customer.places_the_order()
    expect(Sheet(page=customer.page).button).to_have_count(0)
    customer.opens_the_payment_page()
    customer.decides("success")

    expect(customer.heading).to_have_text(PAID)


# Without a wallet


@pytest.mark.exhaustive
@pytest.mark.parametrize("why", ["not_ready", "script_fails", "no key"])
def test_without_the_wallet_the_payment_page_is_offered(
    customer: Customer, live_shop: LiveShop, complaints: list[str], why: str
) -> None:
    if why == "no key":
        live_shop.control.fault("public_key", "status_before", status=503, times=20)
        # A key of an earlier order is good for days.
        live_shop.forgets_its_keys()
    else:
        live_shop.control.wallet(why)
    customer.page.goto(live_shop.places_an_order())
    expect(customer.page.locator(".wallet-button")).to_have_attribute("data-wallet-state", "unavailable")
    expect(Sheet(page=customer.page).button).to_be_hidden()
    customer.opens_the_payment_page()
    customer.decides("success")
    expect(customer.heading).to_have_text(PAID)

    # The browser notes what could not be loaded; nothing of it is the policy's doing.
    assert all("503" in said or "wallet" in said for said in complaints), complaints
    complaints.clear()


def test_without_javascript_the_panel_and_the_payment_page_work(
    new_customer: NewCustomer, live_shop: LiveShop
) -> None:
    customer = new_customer(java_script_enabled=False)
    customer.page.goto(live_shop.places_an_order())
    asks_for_everything(customer, by_wallet=True)
    expect(customer.page.get_by_text("is as you chose")).to_be_visible()
    expect(Sheet(page=customer.page).button).to_be_hidden()
    customer.opens_the_payment_page()
    customer.decides("success")

    expect(customer.heading).to_have_text(PAID)
