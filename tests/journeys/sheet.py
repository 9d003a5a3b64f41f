"""What a customer does with the wallet's button and in its sheet, by mouse. No opinion on what is seen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Locator, Page

    from tests.journeys.customer import Customer
    from tests.journeys.live_shop import LiveShop

PAID = "Your payment went through"
PAID_ORDER = "Paid, thank you"
RESULT_PAGE = re.compile("/wallet/result/")
THREE_D_SECURE = re.compile("/three-d-secure/")
TOKEN, PLAIN = "1111", "1881"


@dataclass(kw_only=True)
class Sheet:
    """The button of one page, and the sheet over it."""

    page: Page

    @property
    def button(self) -> Locator:
        """The button, drawn by the wallet or by us."""
        return self.page.locator(".wallet-button__place button")

    @property
    def inside(self) -> FrameLocator:
        """The page within the sheet."""
        return self.page.frame_locator("dialog iframe")

    @property
    def pay(self) -> Locator:
        """The button by which the customer approves."""
        return self.inside.locator("[data-pay]")

    @property
    def total(self) -> Locator:
        """The price as the sheet shows it."""
        return self.inside.locator("[data-total]")

    @property
    def alert(self) -> Locator:
        """What the sheet has against the choices, or of the card."""
        return self.inside.get_by_role("alert")

    @property
    def update(self) -> Locator:
        """What the shop's page says beside the button."""
        return self.page.locator(".wallet-button__news")

    def opens(self) -> None:
        """Press the button, and wait until the sheet can be paid on."""
        self.button.click()
        self.settles()

    def settles(self) -> None:
        """Wait until the shop has priced what is chosen."""
        expect(self.inside.locator("[data-sheet]")).to_have_attribute("aria-busy", "false")
        expect(self.pay).to_be_visible()

    def takes(self, row: str, words: str) -> None:
        """Open a row, `card`, `address` or `option`, and choose what reads like this."""
        if self.inside.locator(f"[data-row={row}]").get_attribute("open") is None:
            self.inside.locator(f"[data-row={row}] summary").click()
        self.inside.locator(f"[data-row={row}] label", has_text=words).click()
        self.settles()

    def enters(self, code: str) -> None:
        """Type an offer's code."""
        if self.inside.locator("[data-row=offer]").get_attribute("open") is None:
            self.inside.locator("[data-row=offer] summary").click()
        self.inside.locator("#offer-code").fill(code)
        self.inside.locator("#offer-code").press("Enter")
        self.settles()

    def approves(self) -> None:
        """Approve what the sheet shows."""
        expect(self.pay).to_have_attribute("aria-disabled", "false")
        self.pay.click()

    def closes(self) -> None:
        """Press the cross, and wait until the sheet is gone."""
        self.inside.locator("[data-close]").click()
        expect(self.page.locator("dialog iframe")).to_have_count(0)


def authorizations(live_shop: LiveShop, before: int = 0) -> int:
    """How many authorizations the gateway has received, besides those of before."""
    received = [entry for entry in live_shop.control.journal() if entry["operation"] == "authorization"]
    return len(received) - before


def goes_to_the_bank(customer: Customer, sheet: Sheet) -> None:
    """Approve with a plain card, and come to the 3-D Secure page."""
    sheet.opens()
    sheet.takes("card", PLAIN)
    sheet.approves()
    customer.page.wait_for_url(THREE_D_SECURE)


def says(customer: Customer, outcome: str) -> None:
    """Press a button of the 3-D Secure page."""
    customer.page.locator(f"button[name=outcome][value={outcome}]").click()
    customer.page.wait_for_url(RESULT_PAGE)
