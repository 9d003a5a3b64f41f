"""Every page of the sandbox under axe-core, and the 3-D Secure page in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.sandbox.merchant import Merchant
from tests.sandbox.visitor import Visitor
from tests.sandbox.wallet_buyer import Buyer
from tests.support.axe import violations, violations_in_every_look
from tests.support.exhaustive import LANGUAGES, one_of

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
CONSOLE = ("/", "/checkouts/", "/accounts/", "/transactions/", "/requests/", "/controls/")
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture
def secure(visitor: Visitor, merchant: Merchant) -> str:
    """The address of a 3-D Secure page that is open."""
    url: str = Buyer(merchant, visitor.control).pending("P-1").json["redirectUrl"]
    return url


# --- 3-D Secure -----------------------------------------------------------------------------------------


def test_the_keyboard_reaches_the_buttons_of_the_check_in_order_and_presses_one(
    secure: str, open_page: OpenPage
) -> None:
    page = open_page(secure)
    seen = []
    for _ in range(4):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.value || document.activeElement.className"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert seen == ["skip", "success", "failed", "abandoned"]
    page.route("**/back**", lambda route: route.fulfill(body="the shop"))
    page.keyboard.press("Shift+Tab")
    with page.expect_request(lambda request: "to=refused" in request.url):
        page.keyboard.press("Enter")


# --- axe ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_axe_finds_nothing_on_any_page(
    request: pytest.FixtureRequest, visitor: Visitor, secure: str, open_page: OpenPage, language: str
) -> None:
    """In English as a phone shows it; in `make test-all` every language, narrow and wide, light and dark."""
    in_every_look = request.config.option.markexpr != "not exhaustive"
    find = violations_in_every_look if in_every_look else violations
    link = visitor.start_checkout(language=language, cardholderFirstName="Grace")
    visitor.control.fault("refund", "delay_after", times=5, seconds=1)
    page = open_page(visitor.base_url, reduced_motion="reduce", locale=language)
    page.set_viewport_size(PHONE)
    lists = ("/transactions/", "/requests/")
    details = [first_link(page, f"{visitor.base_url}{path}") for path in lists]
    paths = (*CONSOLE, *details, "/transactions/none/", "/checkout/unknown/")
    addresses = [f"{visitor.base_url}{path}" for path in paths]
    found = []
    for address in (*addresses, link, f"{secure}?language={language}"):
        page.goto(address)
        is_of_a_customer = "/checkout/" in address or "/three-d-secure/" in address
        assert page.locator("html").get_attribute("lang") == (language if is_of_a_customer else "en")
        found += [f"{address} {fault}" for fault in find(page)]
    visitor.post(link, {"outcome": "success"})
    visitor.control.complete_three_d_secure("P-1", "success")
    for address in (link, secure):
        page.goto(address)
        assert page.locator("button[value=success]").count() == 0
        found += [f"{address}, closed: {fault}" for fault in find(page)]
    assert found == []


def first_link(page: Page, address: str) -> str:
    page.goto(address)
    return page.locator("tbody a").first.get_attribute("href") or ""
