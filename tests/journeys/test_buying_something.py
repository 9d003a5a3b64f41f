"""A customer buys: found on the shelf, paid on the gateway's page, seen as paid since the gateway says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.exhaustive import one_of

if TYPE_CHECKING:
    from tests.journeys.conftest import NewCustomer
    from tests.journeys.customer import Customer
    from tests.journeys.live_shop import LiveShop

pytestmark = pytest.mark.browser

PAID = "Your payment went through"


def test_a_customer_buys_pays_and_sees_the_order_paid(customer: Customer) -> None:
    customer.puts_into_the_cart("Harbour mug", 2)
    customer.puts_into_the_cart("First Light coffee")
    customer.goes_to_the_review()
    order = customer.places_the_order()
    expect(customer.standing).to_have_text("Not paid yet")
    customer.opens_the_payment_page()
    customer.decides("success")
    expect(customer.heading).to_have_text(PAID)
    customer.goes_back_to_the_order()

    assert customer.page.url == order
    expect(customer.standing).to_have_text("Paid, thank you")
    expect(customer.page.get_by_text("Packing slip")).to_be_visible()
    # The wallet's button is beside the form, and may or may not have been ready before the form was sent.
    assert [text for text in customer.timeline if text != "Wallet button shown"] == [
        "Order created",
        "Payment page requested",
        "Payment page opened",
        "Payment approved",
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("outcome", "heading", "standing"),
    [
        ("pending", "We are checking your payment", "Payment pending"),
        ("refused", "Your payment was refused", "Not paid"),
        ("error", "Your payment did not go through", "Not paid"),
        ("cancelled", "You cancelled the payment", "Not paid"),
        ("return", "Your payment is not finished", "Not paid yet"),
    ],
)
def test_any_other_end_of_the_payment_page_is_told_as_it_is(
    customer: Customer, live_shop: LiveShop, outcome: str, heading: str, standing: str
) -> None:
    order = live_shop.places_an_order()
    customer.page.goto(order)
    customer.opens_the_payment_page()
    customer.decides(outcome)
    expect(customer.heading).to_have_text(heading)
    customer.page.goto(order)

    expect(customer.standing).to_have_text(standing)
    expect(customer.page.get_by_text("Packing slip")).to_have_count(0)


@pytest.mark.parametrize("outcome", one_of(["refused", "error", "cancelled"]))
def test_after_a_dead_attempt_the_customer_pays_at_the_second(
    customer: Customer, live_shop: LiveShop, outcome: str
) -> None:
    order = live_shop.places_an_order()
    customer.page.goto(order)
    first = customer.opens_the_payment_page()
    customer.decides(outcome)
    second = customer.opens_the_payment_page()
    customer.decides("success")
    customer.page.goto(order)

    assert first != second
    expect(customer.standing).to_have_text("Paid, thank you")


@pytest.mark.exhaustive
def test_a_piece_made_to_order_is_reserved_and_not_charged(customer: Customer, live_shop: LiveShop) -> None:
    customer.page.goto(live_shop.places_an_order("hearth-teapot"))
    customer.opens_the_payment_page()
    customer.decides("success")
    expect(customer.heading).to_have_text("Your payment is approved")
    customer.goes_back_to_the_order()

    expect(customer.standing).to_have_text("Amount reserved")
    expect(customer.page.get_by_text("Packing slip")).to_have_count(0)


@pytest.mark.exhaustive
def test_everything_is_bought_without_javascript(new_customer: NewCustomer) -> None:
    customer = new_customer(java_script_enabled=False)
    customer.orders()
    customer.opens_the_payment_page()
    customer.decides("success")
    customer.goes_back_to_the_order()

    expect(customer.standing).to_have_text("Paid, thank you")
