"""Every page of the sandbox under axe-core, and the 3-D Secure page in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.axe import violations, violations_in_every_look
from tests.exhaustive import LANGUAGES, SCHEMES, one_of
from tests.sandbox.looks import BY_TURNS
from tests.sandbox.merchant import Merchant
from tests.sandbox.visitor import Visitor
from tests.sandbox.wallet_buyer import Buyer

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


@pytest.mark.parametrize(("language", "scheme"), one_of(BY_TURNS))
def test_axe_finds_nothing_on_a_payment_page_whether_open_or_closed(
    visitor: Visitor, open_page: OpenPage, language: str, scheme: str
) -> None:
    link = visitor.start_checkout(language=language, cardholderFirstName="Grace")
    page = open_page(link, reduced_motion="reduce", color_scheme=scheme)
    page.set_viewport_size(PHONE)
    assert violations(page) == []
    visitor.post(link, {"outcome": "success"})
    page.reload()
    assert violations(page) == []


@pytest.mark.parametrize(("language", "scheme"), one_of(BY_TURNS))
def test_axe_finds_nothing_on_a_check_whether_open_or_closed(
    visitor: Visitor, secure: str, open_page: OpenPage, language: str, scheme: str
) -> None:
    page = open_page(f"{secure}?language={language}", reduced_motion="reduce", color_scheme=scheme)
    page.set_viewport_size(PHONE)
    assert page.locator("button[value=success]").count() == 1
    assert violations(page) == []
    visitor.control.complete_three_d_secure("P-1", "success")
    page.reload()
    assert page.locator("button[value=success]").count() == 0
    assert violations(page) == []


@pytest.mark.parametrize("scheme", one_of(SCHEMES))
def test_axe_finds_nothing_in_the_console(
    visitor: Visitor, secure: str, open_page: OpenPage, scheme: str
) -> None:
    visitor.start_checkout()
    visitor.control.fault("refund", "delay_after", times=5, seconds=1)
    page = open_page(visitor.base_url, reduced_motion="reduce", color_scheme=scheme)
    assert secure.startswith(visitor.base_url)
    for path in (*CONSOLE, "/transactions/none/"):
        page.goto(f"{visitor.base_url}{path}")
        assert violations(page) == []
        if path in {"/transactions/", "/requests/"}:
            page.locator("tbody a").first.click()
            assert violations(page) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_on_any_page_in_any_look(
    visitor: Visitor, secure: str, open_page: OpenPage, language: str
) -> None:
    link = visitor.start_checkout(language=language, cardholderFirstName="Grace")
    visitor.control.fault("refund", "delay_after", times=5, seconds=1)
    page = open_page(visitor.base_url, reduced_motion="reduce", locale=language)
    page.goto(f"{visitor.base_url}/transactions/")
    detail = page.locator("tbody a").first.get_attribute("href")
    found = []
    paths = (*CONSOLE, detail, "/transactions/none/", "/checkout/unknown/")
    addresses = [f"{visitor.base_url}{path}" for path in paths]
    for address in (
        *addresses,
        link,
        f"{secure}?language={language}",
        f"{visitor.base_url}/checkout/unknown/",
    ):
        page.goto(address)
        assert page.locator("html").get_attribute("lang") == language
        found += [f"{address} {fault}" for fault in violations_in_every_look(page)]
    assert found == []
