"""What a customer does with the wallet's button and in its sheet, by mouse. No opinion on what is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Locator, Page

PAID = "Your payment went through"
PAID_ORDER = "Paid, thank you"
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
