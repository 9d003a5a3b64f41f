"""A customer pays in the wallet's sheet over the shop's page: nothing approves by itself, once is once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.journeys.operator import PASSWORD, Operator
from tests.journeys.sheet import PAID, PAID_ORDER, PLAIN, TOKEN, Sheet

if TYPE_CHECKING:
    from tests.journeys.conftest import LiveShop
    from tests.journeys.customer import Customer

pytestmark = pytest.mark.browser


def test_the_keyboard_alone_pays_with_a_token_card_without_leaving_the_shop(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    order = customer.page.url
    expect(sheet.button).to_be_visible()
    sheet.button.focus()
    customer.page.keyboard.press("Enter")
    sheet.settle()
    expect(sheet.total).to_have_text("€28.90")
    assert live_shop.authorizations() == 0
    for _ in range(12):
        customer.page.keyboard.press("Tab")
        if sheet.pay.evaluate("button => button === document.activeElement"):
            break
    customer.page.keyboard.press("Enter")
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
    assert live_shop.authorizations() == 1


def test_after_a_decline_a_plain_card_pays_once_its_bank_agrees_though_the_banks_page_had_been_left(
    customer: Customer, sheet: Sheet, live_shop: LiveShop
) -> None:
    order = customer.page.url
    sheet.open()
    live_shop.control.fault("authorization", "errored", times=1)
    sheet.approve()
    expect(sheet.alert).to_contain_text("declined")
    sheet.choose("card", PLAIN)
    sheet.approve()
    customer.page.wait_for_url("**/three-d-secure/**")
    banks = customer.page.url
    customer.page.goto(order)
    expect(customer.standing).to_have_text("Payment pending")
    expect(sheet.button).to_have_count(0)
    customer.page.goto(banks)
    customer.decides("success")
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    expect(customer.standing).to_have_text(PAID_ORDER)
    expect(customer.page.locator(".receipt__card")).to_contain_text(PLAIN)


def test_a_lost_result_charges_nothing_and_the_next_is_paid_though_a_login_came_between(
    customer: Customer, sheet: Sheet, live_shop: LiveShop, complaints: list[str]
) -> None:
    customer.page.route("**/wallet/api/orders/*/result/", lambda route: route.abort(), times=1)
    sheet.open()
    sheet.approve()

    expect(customer.heading).to_have_text("We did not hear from your wallet")
    expect(customer.page.locator(".wallet__message")).to_have_text("Nothing was charged. You can pay again.")
    expect(customer.page.locator("dialog iframe")).to_have_count(0)
    assert live_shop.authorizations() == 0
    sheet.open()
    # In another tab, after which the open sheet belongs to another session.
    User.objects.create_superuser("clerk", password=PASSWORD)
    Operator(page=customer.page.context.new_page(), shop=live_shop.url).logs_in("clerk")
    sheet.approve()
    expect(customer.heading).to_have_text(PAID)
    assert live_shop.authorizations() == 1
    # What the browser says of the request that was cut off.
    complaints[:] = [said for said in complaints if not said.endswith("net::ERR_FAILED")]


def test_another_address_and_way_to_ship_are_priced_and_paid_for(customer: Customer, sheet: Sheet) -> None:
    panel = customer.page.locator(".sheet-panel")
    panel.locator("summary").click()
    panel.get_by_label("Who draws the button").select_option("on")
    panel.get_by_label("Ask for the e-mail address").check()
    panel.get_by_label("Ask where to and how to ship").check()
    panel.get_by_role("button").click()
    sheet.open()
    expect(sheet.total).to_have_text("€28.90")
    sheet.choose("address", "Mountain View")
    expect(sheet.alert).to_contain_text("within Europe only")
    expect(sheet.pay).to_have_attribute("aria-disabled", "true")
    sheet.choose("address", "Paris")
    expect(sheet.total).to_have_text("€33.80")
    sheet.choose("option", "Courier")
    expect(sheet.total).to_have_text("€38.80")
    sheet.enter("SWALLOW")
    expect(sheet.alert).to_contain_text("cannot be used")
    sheet.enter("LARK10")
    expect(sheet.total).to_have_text("€36.40")
    sheet.approve()
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()
    receipt = customer.page.locator(".receipt")

    expect(customer.standing).to_have_text(PAID_ORDER)
    expect(receipt.locator(".sums__total dd")).to_have_text("€36.40")
    expect(receipt).to_contain_text("75001 Paris")
    expect(receipt).to_contain_text("sam.sample@example.com")
