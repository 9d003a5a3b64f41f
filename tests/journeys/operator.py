"""What an operator does on the payments dashboard, and what they read there. No opinion on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import APIResponse, Locator, Page, Route

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

    def chooses(self, references: list[str], action: str) -> None:
        """Tick orders in the list and go to the page that confirms an action for them."""
        self.page.goto(f"{self.admin}/paymentorder/")
        for reference in references:
            row = self.page.locator("#result_list tbody tr", has_text=reference)
            row.locator(".action-select").check()
        self.page.locator("select[name=action]").select_option(action)
        self.page.locator("button[name=index]").click()
        self.page.wait_for_url("**/confirm/")

    def submits_batch(self) -> Callable[[], None]:
        """Press the button of a batch's page. Its answer reaches the tab when what this gives is called."""
        answered: list[tuple[Route, APIResponse]] = []
        self.page.route(
            "**/confirm/", lambda route: answered.append((route, route.fetch(max_redirects=0))), times=1
        )
        self.page.locator(".wallet-buttons button").click(no_wait_after=True)
        while not answered:
            self.page.wait_for_timeout(20)
        [(route, answer)] = answered
        return lambda: route.fulfill(response=answer)

    @property
    def told(self) -> Locator:
        """What the page says was done."""
        return self.page.locator(".messagelist li")

    @property
    def fault(self) -> Locator:
        """What stands beside the amount."""
        return self.page.locator("#id_amount_error")

    @property
    def state(self) -> Locator:
        """The order's state."""
        return self.page.locator(".wallet-order__head .wallet-badge")

    def result_of(self, reference: str) -> Locator:
        """What a batch's page says of one order."""
        return self.page.locator(".wallet-table tbody tr", has_text=reference).locator("td").last
