"""What a customer does and sees in the wallet's sheet, beside what the kit for shops has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from wallet_gateway.testing.wallet_sheet import WalletSheet

if TYPE_CHECKING:
    from playwright.sync_api import Locator

PAID = "Your payment went through"
PAID_ORDER = "Paid, thank you"
TOKEN, PLAIN = "1111", "1881"


class Sheet(WalletSheet):
    """The button of one page, and the sheet over it."""

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

    def settle(self) -> None:
        """Wait until the shop has priced what is chosen."""
        expect(self.inside.locator("[data-sheet]")).to_have_attribute("aria-busy", "false")
        expect(self.pay).to_be_visible()

    def enter(self, code: str) -> None:
        """Type an offer's code."""
        if self.inside.locator("[data-row=offer]").get_attribute("open") is None:
            self.inside.locator("[data-row=offer] summary").click()
        self.inside.locator("#offer-code").fill(code)
        self.inside.locator("#offer-code").press("Enter")
        self.settle()
