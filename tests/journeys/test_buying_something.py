"""A customer buys: found on the shelf, paid on the gateway's page, seen as paid since the gateway says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.journeys.sheet import PAID, PAID_ORDER
from tests.support.axe import violations, violations_in_the_dark

if TYPE_CHECKING:
    from tests.journeys.conftest import LiveShop, NewCustomer
    from tests.journeys.customer import Customer

pytestmark = pytest.mark.browser

NAMELESS = """
() => [...document.querySelectorAll("a, button, input:not([type=hidden]), select")]
  .filter((control) => !control.matches("[aria-hidden=true]"))
  .filter((control) => !(control.textContent.trim() || control.labels?.length || control.ariaLabel))
  .map((control) => control.outerHTML)
"""
# Links within a sentence and those that stretch over their card are as high as their line.
TOO_LOW = """
() => [...document.querySelectorAll("a, button, summary, input:not([type=hidden]), select")]
  .filter((control) => control.checkVisibility() && !control.matches("[aria-hidden=true], .skip"))
  .filter((control) => getComputedStyle(control).display !== "inline")
  .map((control) => control.matches("[type=radio], [type=checkbox]") ? control.labels[0] : control)
  .filter((control) => control.getBoundingClientRect().height < 44)
  .map((control) => control.outerHTML)
"""
SPILLS = "document.documentElement.scrollWidth > innerWidth"
ARABIC = ("shelf", "cart", "address", "review")
"""The pages that are looked at from right to left, too: those that can be opened by their address."""
IN_THE_DARK = ("shelf", "review", "order")


def test_a_customer_buys_and_pays_on_pages_that_axe_finds_nothing_on_and_that_fit_screen_and_finger(
    new_customer: NewCustomer,
) -> None:
    customer = new_customer(viewport={"width": 1280, "height": 844})
    page, found = customer.page, {}

    def look(name: str, *, is_ours: bool = True) -> None:
        found[name] = violations(page)
        if name in IN_THE_DARK:
            found[name] += violations_in_the_dark(page)
        if is_ours:
            assert (page.locator("h1").count(), page.locator("main").count()) == (1, 1), name
            found[name] += page.evaluate(NAMELESS)
        page.set_viewport_size({"width": 320, "height": 844})
        found[name] += page.evaluate(TOO_LOW) if is_ours else []
        found[name] += ["scrolls sideways"] * page.evaluate(SPILLS)
        if name in ARABIC:
            page.context.add_cookies([{"name": "django_language", "value": "ar", "url": customer.shop}])
            page.reload()
            assert page.evaluate("document.dir") == "rtl", name
            found[f"{name} in Arabic"] = ["scrolls sideways"] * page.evaluate(SPILLS) + page.evaluate(TOO_LOW)
            page.context.clear_cookies(name="django_language")
            page.reload()
        page.set_viewport_size({"width": 1280, "height": 844})

    for name, path in {"missing": "/nowhere/", "shelf": "/", "empty cart": "/cart/"}.items():
        page.goto(customer.shop + path)
        look(name)
    page.goto(f"{customer.shop}/products/first-light/")
    look("product")
    page.locator(".buy button").click()
    expect(page).to_have_url(f"{customer.shop}/cart/")
    customer.puts_into_the_cart("Harbour mug", 2)
    look("cart")
    page.goto(f"{customer.shop}/checkout/address/")
    look("address")
    page.locator("button[value=example]").click()
    expect(page).to_have_url(f"{customer.shop}/checkout/")
    look("review")
    order = customer.places_the_order()
    expect(customer.standing).to_have_text("Not paid yet")
    look("order")
    customer.opens_the_payment_page()
    look("payment page", is_ours=False)
    customer.decides("success")
    expect(customer.heading).to_have_text(PAID)
    look("result")
    customer.goes_back_to_the_order()
    look("order, afterwards")

    assert {name: faults for name, faults in found.items() if faults} == {}
    assert page.url == order
    expect(customer.standing).to_have_text(PAID_ORDER)
    expect(page.get_by_text("Packing slip")).to_be_visible()
    # The wallet's button is beside the form, and may or may not have been ready before the form was sent.
    assert [text for text in customer.timeline if text != "Wallet button shown"] == [
        "Order created",
        "Payment page requested",
        "Payment page opened",
        "Payment approved",
    ]


def test_after_a_dead_attempt_the_customer_pays_at_the_second_without_javascript(
    new_customer: NewCustomer, live_shop: LiveShop
) -> None:
    customer = new_customer(java_script_enabled=False)
    order = live_shop.places_an_order()
    customer.page.goto(order)
    first = customer.opens_the_payment_page()
    customer.decides("refused")
    second = customer.opens_the_payment_page()
    customer.decides("success")
    customer.page.goto(order)

    assert first != second
    expect(customer.standing).to_have_text(PAID_ORDER)


# What a keyboard can reach; what is in a closed menu is not shown.
STOPS = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0).length"""


def test_the_keyboard_comes_first_past_the_head_every_focus_is_shown_and_a_fault_is_reached_from_the_top(
    customer: Customer,
) -> None:
    page = customer.page
    customer.puts_into_the_cart("Harbour mug")
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    assert skip.evaluate("link => link === document.activeElement")
    assert (skip.bounding_box() or {"y": -1})["y"] >= 0
    seen = []
    # The last stop on the page is followed by the browser's own buttons.
    while page.evaluate("document.activeElement !== document.body"):
        seen.append(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
        page.keyboard.press("Tab")
    assert len(seen) == page.evaluate(STOPS)
    assert set(seen) == {"solid"}
    skip.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'content'")

    page.goto(f"{customer.shop}/checkout/address/")
    assert not page.locator("#id_parcel-street").is_visible()
    page.get_by_label("Send the parcel to another address").check()
    assert page.locator("#id_parcel-street").is_visible()
    page.get_by_role("button", name="On to the review").last.click()
    # A script moves the focus once the page is there.
    page.wait_for_function("document.activeElement.className === 'faults'")
    assert page.title().startswith("Error: Address")
    page.locator(".faults a", has_text="Street").first.click()
    page.wait_for_function("document.activeElement.name === 'billing-street'")
    assert page.locator("#id_billing-street").get_attribute("aria-invalid") == "true"
