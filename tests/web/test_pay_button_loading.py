"""How `<wallet-pay-button>` is loaded, and what its page shows while and where something of it is missing.

The element, our wallet.js, the shop's server and the sandbox are as they are; the wallet is played. The clock
of a page in which something fails stands still until a test moves it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, FloatRect, Page, expect
from pytest_django import Settings

from tests.exhaustive import one_of
from tests.web.test_pay_button_element import _pages_of_its_own, button_path
from tests.web.test_wallet_page import BUTTON, FORM, MakeOrder, complaints, context, page, shop

__all__ = ["_pages_of_its_own", "complaints", "context", "page", "shop"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

UNAVAILABLE = "Your wallet cannot be used here."
DEADLINE_MS = 5_000
"""Of `page/payment.js`, and of `button.css` where that never came."""
# What moved, and by how much, since the page was opened.
SHIFTS = """(() => {
  const shifts = []
  const add = (entries) => {
    for (const { value, sources } of entries) shifts.push([value, sources.map(({ node }) => node?.className)])
  }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ type: "layout-shift", buffered: true })
  const frame = () => new Promise(requestAnimationFrame)
  // What changes now is drawn with the next frame, and is an entry after it.
  window.shifts = async () => {
    await frame()
    await frame()
    add(observer.takeRecords())
    return shifts
  }
})()"""
SILENT = """window.google = { payments: { api: { PaymentsClient: class {
  isReadyToPay() {
    window.isWalletAsked = true
    return %s
  }
} } } }"""


# --- when something is missing ----------------------------------------------------------------------------


Trouble = Callable[[BrowserContext], object]


def block(pattern: str) -> Trouble:
    return lambda context: context.route(pattern, lambda route: route.abort())


def missing(pattern: str) -> Trouble:
    return lambda context: context.route(pattern, lambda route: route.fulfill(status=404))


def hang(pattern: str) -> Trouble:
    return lambda context: context.route(pattern, lambda route: None)


def wallet_that(answer: str) -> Trouble:
    body = SILENT % answer
    return lambda context: context.route(
        "**/pay.js", lambda route: route.fulfill(content_type="text/javascript", body=body)
    )


def refuse(status: int, code: str) -> Trouble:
    return lambda context: context.route(
        "**/session/", lambda route: route.fulfill(status=status, json={"code": code, "detail": UNAVAILABLE})
    )


TROUBLES = {
    "pay.js blocked": block("**/pay.js"),
    "pay.js hanging": hang("**/pay.js"),
    "the wallet never answers": wallet_that("new Promise(() => {})"),
    "no wallet": wallet_that("Promise.resolve({ result: false })"),
    "session refused": refuse(503, "wallet_unavailable"),
    "limit reached": refuse(403, "wallet_limit_reached"),
    "session hanging": hang("**/session/"),
    "wallet module missing": missing("**/wallet/run.js"),
}
WALLET_ASKED = {"the wallet never answers", "no wallet"}
"""Troubles that begin only when the wallet has been asked."""
OpenPage = Callable[[Trouble], tuple[Page, FloatRect | None]]


@pytest.fixture
def stopped_page(page: Page, context: BrowserContext, shop: str, make_order: MakeOrder) -> OpenPage:
    """Open the page of a button in trouble, whose clock stands still; give it with the place of its form."""

    def open_page(trouble: Trouble) -> tuple[Page, FloatRect | None]:
        trouble(context)
        page.clock.install(time=0)
        page.clock.pause_at(1000)
        page.add_init_script(SHIFTS)
        # A script that hangs may keep the page from being loaded whole.
        page.goto(shop + button_path(make_order()), wait_until="domcontentloaded")
        return page, page.get_by_role("button", name=FORM).bounding_box()

    return open_page


def assert_only_the_form_pays(page: Page, place: FloatRect | None) -> None:
    """The form is the one way to pay, as strong as where it stands alone, and has not moved."""
    button = page.get_by_role("button", name=FORM)
    expect(button).to_have_css("background-color", "rgb(29, 78, 216)")
    assert button.bounding_box() == place
    page.clock.resume()
    assert page.evaluate("shifts()") == []


@pytest.mark.parametrize("trouble", one_of(TROUBLES))
def test_whatever_fails_there_are_words_within_the_deadline_and_nothing_moves(
    stopped_page: OpenPage, trouble: str
) -> None:
    page, place = stopped_page(TROUBLES[trouble])
    expect(page.locator("wallet-pay-button:defined")).to_have_count(1)
    if trouble in WALLET_ASKED:
        page.wait_for_function("window.isWalletAsked")
    page.clock.run_for(DEADLINE_MS)
    expect(page.locator("wallet-pay-button[data-wallet-state=unavailable]")).to_have_count(1)
    expect(page.get_by_role("status")).to_have_text(UNAVAILABLE)
    assert_only_the_form_pays(page, place)


@pytest.mark.parametrize("way", ["the wallet's button", "our button"])
def test_nothing_moves_when_the_button_comes(
    page: Page, shop: str, make_order: MakeOrder, settings: Settings, way: str
) -> None:
    settings.WALLET_GATEWAY = with_own_button(settings) if way == "our button" else settings.WALLET_GATEWAY
    page.add_init_script(SHIFTS)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(shop + button_path(make_order()))
    loading = page.get_by_role("status")
    assert (
        loading.evaluate("(one) => one.parentElement.querySelector('.wallet-button__slot').offsetHeight")
        == 52
    )
    name = BUTTON if way == "the wallet's button" else "Pay with your wallet €24.90"
    expect(page.get_by_role("button", name=name)).to_be_visible()
    expect(loading).to_be_empty()
    assert page.evaluate("shifts()") == []


def with_own_button(settings: Settings) -> dict[str, Any]:
    changed: dict[str, Any] = copy.deepcopy(settings.WALLET_GATEWAY)
    changed["GATEWAYS"]["default"]["WALLET"] |= {"USE_WALLET_BUTTON": False}
    return changed


def test_a_browser_that_lacks_what_the_element_needs_keeps_the_form(
    page: Page, shop: str, make_order: MakeOrder
) -> None:
    page.add_init_script("delete AbortSignal.timeout")
    page.goto(shop + button_path(make_order()))
    page.wait_for_load_state("load")
    assert page.evaluate("customElements.get('wallet-pay-button')") is None
    page.get_by_role("button", name=FORM).click()
    page.locator("button[name=outcome][value=success]").click()
    expect(page.locator("h1")).to_have_text("Your payment went through")


# --- how it is fetched ------------------------------------------------------------------------------------


def test_all_modules_are_fetched_in_one_round_and_once(page: Page, shop: str, make_order: MakeOrder) -> None:
    page.goto(shop + button_path(make_order()))
    expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
    fetched = page.evaluate(
        """() => performance.getEntriesByType("resource")
          .filter(({ name }) => /wallet_gateway\\/.*\\.js/.test(name))
          .map(({ name, startTime, responseEnd }) => ({ name, startTime, responseEnd }))"""
    )
    assert len({one["name"] for one in fetched}) == len(fetched) == 13
    # None had to be there before another was known.
    assert max(one["startTime"] for one in fetched) < min(one["responseEnd"] for one in fetched)
