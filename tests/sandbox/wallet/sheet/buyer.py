"""A customer at the shop's page: opens the sheet, chooses, approves, and sees how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.support.chromium import PATIENCE_MS

ADDRESSED: Final[dict[str, Any]] = {
    "emailRequired": True,
    "shippingAddressRequired": True,
    "shippingAddressParameters": {"allowedCountryCodes": ["DE", "US"]},
    "shippingOptionRequired": True,
    "shippingOptionParameters": {
        "shippingOptions": [
            {"id": "standard", "label": "Standard", "description": "3 to 5 days"},
            {"id": "express", "label": "Express", "description": "tomorrow"},
        ]
    },
    "offerInfo": {"offers": [{"redemptionCode": "SUMMER", "description": "5 off"}]},
    "callbackIntents": ["SHIPPING_ADDRESS", "SHIPPING_OPTION", "OFFER", "PAYMENT_AUTHORIZATION"],
}
"""A request that asks for everything."""


@dataclass
class Buyer:
    """Somebody in front of the page."""

    page: Page
    shop: str

    def visit(self, path: str = "/") -> None:
        """Open the shop's page."""
        self.page.goto(f"{self.shop}{path}")

    def is_offered(self, changes: dict[str, Any] | None = None, **more: Any) -> None:
        """Have the shop offer an order, with these changes to ``loadPaymentData``'s request."""
        self.page.evaluate("([changes, more]) => shop.sell(changes, more)", [changes or {}, more])

    def answers(self, callback: str, body: str) -> None:
        """Have the shop answer a callback, ``changed`` or ``authorized``, with a JavaScript function."""
        self.page.evaluate(f"() => {{ shop.{callback} = {body} }}")

    @property
    def button(self) -> Locator:
        return self.page.locator("#button button")

    @property
    def sheet(self) -> FrameLocator:
        return self.page.frame_locator("dialog iframe")

    @property
    def pay(self) -> Locator:
        return self.sheet.locator("[data-pay]")

    def opens(self) -> None:
        """Press the wallet's button and wait for the sheet."""
        self.button.click()
        expect(self.pay).to_be_visible()

    def chooses(self, row: str, what: str) -> None:
        """Open a row and choose what reads like this."""
        if self.sheet.locator(f"[data-row={row}]").get_attribute("open") is None:
            self.sheet.locator(f"[data-row={row}] summary").click()
        self.sheet.locator(f"[data-row={row}] label", has_text=what).click()

    def approves(self) -> None:
        """Press the sheet's button once it may be pressed."""
        expect(self.pay).to_have_attribute("aria-disabled", "false")
        self.pay.click()

    def closes(self) -> None:
        """Press Escape, and wait until the sheet is gone."""
        self.page.keyboard.press("Escape")
        assert self.ended()["statusCode"] == "CANCELED"

    def ended(self) -> dict[str, Any]:
        """How the last sheet ended, once it has."""
        expect(self.page.locator("dialog")).to_have_count(0)
        self.until("shop.ends.length > 0")
        end: dict[str, Any] = self.page.evaluate("shop.ends.pop()")
        return end

    def until(self, condition: str) -> None:
        """Wait until something holds in the shop's page."""
        # Playwright's own waiting needs `eval`, which the page's policy forbids.
        for _ in range(PATIENCE_MS // 25):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"It never came true: {condition}")

    def asked(self) -> list[dict[str, Any]]:
        """What the shop's callbacks were told."""
        told: list[dict[str, Any]] = self.page.evaluate("shop.asked")
        return told

    def alert(self) -> Locator:
        """What the sheet says went wrong."""
        return self.sheet.get_by_role("alert")

    def total(self) -> Locator:
        """The price in the sheet."""
        return self.sheet.locator("[data-total]")
