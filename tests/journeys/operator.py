"""What an operator does on the payments dashboard, and what they read there. No opinion on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PASSWORD = "a-long-pass-phrase"


@dataclass(kw_only=True)
class Operator:
    """One person of the staff with one tab open."""

    page: Page
    shop: str

    @property
    def admin(self) -> str:
        """Where the admin of the wallet app is."""
        return f"{self.shop}/admin/wallet_gateway"

    def logs_in(self, name: str) -> None:
        """Enter name and password."""
        self.page.goto(f"{self.shop}/admin/login/?next=/admin/")
        self.page.locator("#id_username").fill(name)
        self.page.locator("#id_password").fill(PASSWORD)
        self.page.locator("#login-form [type=submit]").click()
        self.page.wait_for_url("**/admin/")

    def finds(self, text: str) -> None:
        """Search the list of orders and open the one that is found."""
        self.page.goto(f"{self.admin}/paymentorder/")
        self.page.locator("#searchbar").fill(text)
        self.page.locator("#searchbar").press("Enter")
        self.page.locator("#result_list th a").click()
        self.page.wait_for_url("**/change/**")

    def presses(self, verb: str) -> None:
        """Press a button of the order's page, and come to its confirm page."""
        self.page.locator(".wallet-card .wallet-button", has_text=verb).click()
        self.page.locator("[name=ticket]").wait_for(state="attached")

    def confirms(self, *, reason: str, amount: str | None = None, comment: str = "") -> None:
        """Fill in the confirm page and submit it; confirm what its button then names."""
        if amount is not None:
            self.page.locator("#id_amount").fill(amount)
        self.page.locator("#id_reason").select_option(reason)
        self.page.locator("#id_comment").fill(comment)
        with self.page.expect_navigation():
            self.page.locator("button[name=confirm]").click()
        if self.page.locator("[role=alert]", has_text="Nothing was sent yet").count():
            self.page.locator("button[name=confirm]").click()

    @property
    def told(self) -> Locator:
        """What the page says was done."""
        return self.page.locator(".messagelist li")

    @property
    def state(self) -> Locator:
        """The order's state."""
        return self.page.locator(".wallet-order__head .wallet-badge")
