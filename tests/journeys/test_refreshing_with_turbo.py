"""A shop that refreshes its pages with Turbo, also while the wallet's sheet is open over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.architecture.sources import ROOT
from tests.journeys.sheet import PAID, Sheet

if TYPE_CHECKING:
    from tests.journeys.conftest import NewCustomer
    from tests.journeys.live_shop import LiveShop

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("wallet")]
TURBO = ROOT / "tests" / "js" / "node_modules" / "@hotwired" / "turbo" / "dist" / "turbo.es2017-umd.js"
MORPH = """() => {
  const meta = document.createElement("meta")
  document.head.append(Object.assign(meta, { name: "turbo-refresh-method", content: "morph" }))
}"""
REFRESH = """() => new Promise((done) => {
  document.addEventListener("turbo:render", () => setTimeout(done), { once: true })
  Turbo.visit(location.href, { action: "replace" })
})"""


@pytest.fixture
def sheet(new_customer: NewCustomer, live_shop: LiveShop) -> Sheet:
    """The button of an order on a page with Turbo."""
    if not TURBO.exists():
        pytest.skip("the libraries of other pages are not installed: run npm ci in tests/js")
    page = new_customer(bypass_csp=True).page
    page.goto(live_shop.places_an_order())
    page.add_script_tag(content=TURBO.read_text(encoding="utf-8"))
    page.evaluate(MORPH)
    return Sheet(page=page)


def test_a_refresh_that_morphs_the_page_leaves_an_open_sheet_that_pays(sheet: Sheet) -> None:
    sheet.opens()
    sheet.page.evaluate(REFRESH)
    expect(sheet.page.locator("dialog iframe")).to_have_count(1)
    sheet.approves()
    expect(sheet.page.locator("h1")).to_have_text(PAID)


def test_a_sheet_that_the_page_takes_away_is_told_as_closed(sheet: Sheet) -> None:
    sheet.opens()
    sheet.page.evaluate("document.querySelector('dialog').remove()")
    expect(sheet.update).to_have_text("You closed your wallet. Nothing was charged.")
    sheet.opens()
    sheet.approves()
    expect(sheet.page.locator("h1")).to_have_text(PAID)
