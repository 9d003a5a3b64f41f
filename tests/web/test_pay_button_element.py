"""`<wallet-pay-button>` on pages as shops build them today, with real libraries.

The element, our wallet.js, the shop's server and the sandbox are as they are; the wallet is played. How the
element is loaded, and what a page shows without it, is `test_pay_button_loading`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from tests.exhaustive import one_of
from tests.web.test_wallet_page import (
    BUTTON,
    FORM,
    MakeOrder,
    approve,
    complaints,
    context,
    open_sheet,
    page,
    shop,
)
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

__all__ = ["complaints", "context", "page", "shop"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MODULES = Path(__file__).parents[1] / "js/node_modules"
LIBRARIES = {
    "turbo": ("@hotwired/turbo/dist/turbo.es2017-umd.js", "(path) => Turbo.visit(path)"),
    "htmx": (
        "htmx.org/dist/htmx.js",
        "(path) => void htmx.ajax('GET', path, {target: 'main', swap: 'outerHTML', select: 'main'})",
    ),
    "htmx 2": (
        "htmx-2/dist/htmx.js",
        "(path) => void htmx.ajax('GET', path, {target: 'main', swap: 'outerHTML', select: 'main'})",
    ),
    "no library": (
        "",
        """async (path) => {
          const text = await (await fetch(path)).text()
          const other = new DOMParser().parseFromString(text, "text/html")
          document.querySelector("main").replaceWith(other.querySelector("main"))
        }""",
    ),
}


@pytest.fixture(autouse=True)
def _pages_of_its_own(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.web.shop_urls"


def bring(page: Page, library: str) -> str:
    """Put a library on the open page; gives the script that goes to another page with it."""
    file, visit = LIBRARIES[library]
    if not (MODULES / file).exists():
        pytest.skip("the libraries of other pages are not installed: run npm ci in tests/js")
    if file:
        page.add_script_tag(content=(MODULES / file).read_text(encoding="utf-8"))
    return visit


def button_path(order: PaymentOrder) -> str:
    return f"/button/{order.reference}/"


def leave(page: Page, visit: str) -> None:
    """Go to the shop's first page; Turbo shows a kept copy first, and complains if its visit is cut short."""
    page.evaluate(visit, "/")
    expect(page.get_by_role("heading", name="The shop")).to_be_visible()
    expect(page.locator("html[aria-busy]")).to_have_count(0)


def is_paid(order: PaymentOrder) -> bool:
    return payments.get_order(order.reference).is_paid


# --- other content in the same page -----------------------------------------------------------------------


@pytest.mark.parametrize("library", one_of(LIBRARIES))
def test_the_button_works_each_time_its_page_is_shown_again(
    page: Page,
    shop: str,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    complaints: list[str],
    library: str,
) -> None:
    order = make_order()
    page.goto(f"{shop}/")
    visit = bring(page, library)
    page.evaluate("window.isOneDocument = true")
    for _ in range(2):
        page.evaluate(visit, button_path(order))
        expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
        open_sheet(page)
        page.evaluate("delete window.approve")
        # With the sheet open, and never a word of the wallet again.
        leave(page, visit)
    page.evaluate(visit, button_path(order))
    open_sheet(page)
    assert page.evaluate("window.isOneDocument")
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert is_paid(order)
    assert complaints == []


BOOSTED = {"turbo": "data-turbo", "htmx": "hx-boost:inherited", "htmx 2": "hx-boost"}
"""The attribute of the page by which each library sends the page's forms itself."""


@pytest.mark.parametrize("library", one_of(BOOSTED))
def test_the_form_leads_to_the_payment_page_where_a_library_sends_forms_itself(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl, library: str
) -> None:
    page.goto(shop + button_path(make_order()))
    page.evaluate("(name) => document.body.setAttribute(name, 'true')", BOOSTED[library])
    bring(page, library)
    page.get_by_role("button", name=FORM).click()
    page.wait_for_url(f"{wallet_sandbox.base_url}/checkout/**")


def test_a_page_that_turbo_has_kept_gets_a_button_that_opens_the_sheet(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(shop + button_path(order))
    visit = bring(page, "turbo")
    expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
    leave(page, visit)
    page.go_back()
    open_sheet(page)
    expect(page.get_by_role("button", name=BUTTON)).to_have_count(1)
    leave(page, visit)
    page.evaluate("delete window.approve")
    # A visit shows the kept page until the new one is there: the shop is asked for the latter alone.
    page.evaluate(visit, button_path(order))
    expect(page.locator("html:not([data-turbo-preview]) [data-wallet-state=ready]")).to_have_count(1)
    open_sheet(page)
    assert len([url for url in asked if url.endswith("/session/")]) == 3
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")


def test_where_something_else_morphs_the_page_the_button_starts_again(
    page: Page, shop: str, make_order: MakeOrder
) -> None:
    page.goto(shop + button_path(make_order()))
    expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
    page.evaluate(
        """async () => {
          const text = await (await fetch(location.href)).text()
          const other = new DOMParser().parseFromString(text, "text/html")
          const fresh = other.querySelector("wallet-pay-button")
          const element = document.querySelector("wallet-pay-button")
          for (const { name } of [...element.attributes]) {
            if (!fresh.hasAttribute(name)) element.removeAttribute(name)
          }
          element.replaceChildren(...fresh.childNodes)
        }"""
    )
    open_sheet(page)


def test_after_the_back_button_the_page_asks_anew_whether_its_order_can_be_paid(
    page: Page, shop: str, make_order: MakeOrder
) -> None:
    page.goto(shop + button_path(make_order()))
    expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
    page.evaluate(
        """() => {
          window.asked = 0
          const { fetch } = window
          window.fetch = (...request) => {
            asked += String(request[0]).endsWith("/session/")
            return fetch(...request)
          }
          dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
        }"""
    )
    expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
    open_sheet(page)
    assert page.evaluate("asked") == 1


# --- where it stands --------------------------------------------------------------------------------------


def test_a_button_that_is_moved_with_its_sheet_open_still_says_how_that_ended(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    page.goto(shop + button_path(order))
    open_sheet(page)
    page.evaluate("document.querySelector('main').prepend(document.querySelector('wallet-pay-button'))")
    page.evaluate("closeSheet()")
    expect(page.get_by_role("status")).to_have_text("You closed your wallet. Nothing was charged.")
    page.get_by_role("button", name=BUTTON).click()
    page.wait_for_function("window.sheets === 2")
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert is_paid(order)


def test_a_wallet_that_has_long_been_silent_about_its_sheet_leaves_words_and_both_ways_to_pay(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    page.clock.install()
    page.goto(shop + button_path(order))
    open_sheet(page)
    page.evaluate("delete window.approve")
    page.clock.fast_forward(16_000)
    page.get_by_role("button", name=BUTTON).click()
    expect(page.get_by_role("status")).to_contain_text("Try again, or pay in another way.")
    expect(page.get_by_role("button", name=FORM)).to_be_enabled()
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert is_paid(order)


INTO_A_SHADOW_TREE = """() => {
  const host = document.body.appendChild(document.createElement("div"))
  const styles = document.querySelectorAll("link[rel=stylesheet]")
  host.attachShadow({ mode: "open" }).append(...styles, document.querySelector("main"))
}"""


def test_it_pays_inside_a_shadow_tree(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    page.goto(shop + button_path(order))
    page.evaluate(INTO_A_SHADOW_TREE)
    open_sheet(page)
    approve(page, wallet_sandbox)
    expect(page.locator("h1")).to_have_text("Your payment went through")
    assert is_paid(order)


def test_functions_that_the_page_defines_are_used_and_events_come_from_the_element(
    page: Page, shop: str, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    page.add_init_script(
        """window.heard = []
        window.handleWalletPayReady = () => heard.push("ready")
        document.addEventListener("handlePaymentError", ({ target, detail }) => {
          heard.push([target.localName, detail])
        })"""
    )
    page.goto(shop + button_path(make_order()))
    own = page.evaluate("handleWalletPayReady.toString()")
    open_sheet(page)
    page.evaluate("closeSheet()")
    page.wait_for_function("heard.length === 2")
    assert page.evaluate("heard") == ["ready", ["wallet-pay-button", "CANCELED"]]
    assert page.evaluate("handleWalletPayReady.toString()") == own
