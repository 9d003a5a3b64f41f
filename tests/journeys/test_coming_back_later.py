"""The answer comes late: a pending payment is settled, an old attempt succeeds, a window stays closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.journeys.customer import HOSTED_PAGE

if TYPE_CHECKING:
    from tests.journeys.conftest import NewCustomer
    from tests.journeys.customer import Customer
    from tests.journeys.live_shop import LiveShop

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

CHECKING = "We are checking your payment"
PAID = "Your payment went through"
# Longer than a payment page lives and than the shop waits for a late record of it.
MORE_THAN_A_DAY = 2 * 24 * 3600


@pytest.mark.parametrize("script", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_pending_page_turns_into_paid_when_the_wallet_has_decided(
    new_customer: NewCustomer, live_shop: LiveShop, script: bool
) -> None:
    customer = new_customer(java_script_enabled=script)
    customer.page.goto(live_shop.places_an_order())
    reference = customer.opens_the_payment_page()
    customer.decides("pending")
    expect(customer.heading).to_have_text(CHECKING)
    expect(customer.page.get_by_text("do not pay again")).to_be_visible()
    live_shop.control.settle_pending(reference, "success")

    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()
    expect(customer.standing).to_have_text("Paid, thank you")


def test_a_customer_who_never_comes_back_has_paid_all_the_same(
    customer: Customer, live_shop: LiveShop
) -> None:
    order = live_shop.places_an_order()
    customer.page.goto(order)
    reference = customer.opens_the_payment_page()
    live_shop.control.complete_checkout(reference, "success")
    live_shop.let_time_pass(600)
    live_shop.command("wallet_sweep")
    customer.page.goto(order)

    expect(customer.standing).to_have_text("Paid, thank you")
    expect(customer.page.get_by_text("Packing slip")).to_be_visible()


@pytest.fixture
def late(customer: Customer, live_shop: LiveShop) -> tuple[Customer, str]:
    """An order whose first payment page is still open in a tab, long after the shop has given it up."""
    order = live_shop.places_an_order()
    customer.page.goto(order)
    customer.opens_the_payment_page()
    live_shop.let_time_pass(MORE_THAN_A_DAY)
    live_shop.command("wallet_sweep")
    again = customer.page.context.new_page()
    again.goto(order)
    assert again.locator("#standing-heading").inner_text() == "Not paid in time"
    again.locator(".wallet-checkout__button").click()
    again.wait_for_url(HOSTED_PAGE)
    return customer, order
