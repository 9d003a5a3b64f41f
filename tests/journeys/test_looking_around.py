"""Every page of the shop by screen, keyboard and reading aid: it fits, is reached, and says what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import one_of

if TYPE_CHECKING:
    from tests.journeys.conftest import NewCustomer
    from tests.journeys.customer import Customer

pytestmark = pytest.mark.browser

PATHS = ["/", "/?category=clay", "/products/harbour-mug/", "/cart/", "/checkout/address/", "/checkout/"]
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

# What a keyboard can reach; what is in a closed menu is not shown.
STOPS = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0).length"""


def with_a_full_cart(customer: Customer) -> Customer:
    customer.page.goto(f"{customer.shop}/products/harbour-mug/")
    customer.page.locator(".buy button").click()
    customer.page.goto(f"{customer.shop}/checkout/address/")
    customer.page.locator("button[value=example]").click()
    return customer


@pytest.mark.parametrize("language", one_of(["ar", "en", "de", "fr", "es"]))
def test_every_page_fits_the_screen_and_the_finger_and_names_its_controls(
    new_customer: NewCustomer, language: str
) -> None:
    customer = with_a_full_cart(new_customer(language=language))
    page = customer.page
    for path in PATHS:
        page.goto(customer.shop + path)
        for width in (320, 768, 1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        assert page.evaluate(TOO_LOW) == [], path
        assert page.locator("h1").count() == 1, path
        assert page.locator("main").count() == 1, path
        assert page.evaluate(NAMELESS) == [], path
        assert page.locator("img:not([alt])").count() == 0, path


@pytest.mark.exhaustive
def test_the_keyboard_comes_first_to_the_way_past_the_head(customer: Customer) -> None:
    customer.page.goto(customer.shop)
    customer.page.keyboard.press("Tab")
    skip = customer.page.locator(".skip")
    assert skip.evaluate("link => link === document.activeElement")
    assert (skip.bounding_box() or {"y": -1})["y"] >= 0
    customer.page.keyboard.press("Enter")

    assert customer.page.evaluate("document.activeElement.id") == "content"


@pytest.mark.exhaustive
def test_whatever_has_the_focus_shows_it(customer: Customer) -> None:
    with_a_full_cart(customer)
    customer.page.goto(f"{customer.shop}/cart/")
    customer.page.keyboard.press("Tab")
    seen = []
    # The last stop on the page is followed by the browser's own buttons.
    while customer.page.evaluate("document.activeElement !== document.body"):
        seen.append(customer.page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
        customer.page.keyboard.press("Tab")

    assert len(seen) == customer.page.evaluate(STOPS)
    assert set(seen) == {"solid"}


@pytest.mark.exhaustive
def test_a_fault_in_the_address_is_reached_from_the_list_on_top(customer: Customer) -> None:
    customer.page.goto(f"{customer.shop}/products/harbour-mug/")
    customer.page.locator(".buy button").click()
    customer.page.goto(f"{customer.shop}/checkout/address/")
    customer.page.get_by_role("button", name="On to the review").last.click()
    assert customer.page.evaluate("document.activeElement.className") == "faults"
    assert customer.page.title().startswith("Error: Address")
    customer.page.locator(".faults a", has_text="Street").click()

    assert customer.page.evaluate("document.activeElement.name") == "billing-street"
    assert customer.page.locator("#id_billing-street").get_attribute("aria-invalid") == "true"


@pytest.mark.exhaustive
def test_the_parcels_address_appears_when_it_is_asked_for(customer: Customer) -> None:
    with_a_full_cart(customer)
    customer.page.goto(f"{customer.shop}/checkout/address/")
    street = customer.page.locator("#id_parcel-street")

    assert not street.is_visible()
    customer.page.get_by_label("Send the parcel to another address").check()
    assert street.is_visible()
