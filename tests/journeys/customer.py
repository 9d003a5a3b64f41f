"""What a customer does in the shop and on the gateway's page, and what they read there. No opinion on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

HOSTED_PAGE = re.compile(r"/checkout/[^/]{20,}/")
RESULT_PAGE = re.compile(r"/wallet/result/")
ORDER_PAGE = re.compile(r"/orders/")


@dataclass(kw_only=True)
class Customer:
    """One person with one tab open."""

    page: Page
    shop: str

    def puts_into_the_cart(self, name: str, quantity: int = 1) -> None:
        """Find a product on the shelf by its name, and put it into the cart."""
        self.page.goto(self.shop)
        self.page.get_by_role("link", name=name).click()
        self.page.locator("#quantity").fill(str(quantity))
        self.page.locator(".buy button").click()
        self.page.wait_for_url("**/cart/")

    def goes_to_the_review(self) -> None:
        """From the cart by way of the address."""
        self.page.locator(".sums .button").click()
        self.page.locator("button[value=example]").click()
        self.page.wait_for_url("**/checkout/")

    def places_the_order(self) -> str:
        """Confirm; give the address of the order's page."""
        self.page.locator("button[value=place]").click()
        self.page.wait_for_url(ORDER_PAGE)
        return self.page.url

    def opens_the_payment_page(self) -> str:
        """Press the pay button; give the payment's reference as the gateway's page shows it."""
        self.page.locator(".wallet-checkout__button").click()
        self.page.wait_for_url(HOSTED_PAGE)
        return self.page.locator(".facts .code").inner_text()

    def decides(self, outcome: str) -> None:
        """Press one of the outcomes' buttons of the gateway's page."""
        self.page.locator(f"button[name=outcome][value={outcome}]").click()
        self.page.wait_for_url(RESULT_PAGE)

    def goes_back_to_the_order(self) -> None:
        """Follow the result page's link."""
        self.page.locator(".wallet__actions a").click()
        self.page.wait_for_url(ORDER_PAGE)

    @property
    def heading(self) -> Locator:
        """The result page's sentence."""
        return self.page.locator("h1")

    @property
    def standing(self) -> Locator:
        """The order page's words for how the payment stands."""
        return self.page.locator("#standing-heading")

    @property
    def timeline(self) -> list[str]:
        """What the order page says happened, oldest first, without amounts."""
        texts = self.page.locator(".timeline__text").all_inner_texts()
        return [re.split(r"\s+(?=[€¥]|KWD)", text)[0] for text in texts]
