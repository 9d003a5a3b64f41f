"""Walks through every page of the demo and takes its picture: for the gallery of ``docs/gallery.md``.

``take.py`` starts the demo and the browser. Each picture is a WebP of one window; the page
``docs/gallery.md`` is written anew from the captions here.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import oscar_shop
from playwright.sync_api import Browser, Page

from wallet_gateway.testing.control import SandboxControl

FOLDER = Path(__file__).resolve().parent / "gallery"
DOCUMENT = FOLDER.parent.parent / "gallery.md"
QUALITY = 0.72
DESK, PHONE = {"width": 1120, "height": 760}, {"width": 390, "height": 760}
BUTTON = ".wallet-button__place button"
STAFF, PASSWORD = "staff", "clay-and-larks"
HEAD = """<!-- run: nothing, because it only shows pictures -->

# Gallery

The pages of the example shop, the admin and the sandbox, as `make demo` shows them, and a page of a
django-oscar shop.
"""
# Chromium writes WebP, and needs no library for it.
TO_WEBP = """
async ([png, quality]) => {
  const image = new Image()
  image.src = `data:image/png;base64,${png}`
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  canvas.getContext("2d").drawImage(image, 0, 0)
  return canvas.toDataURL("image/webp", quality).split(",")[1]
}
"""


@dataclass(kw_only=True)
class Gallery:
    """The pictures taken so far, and the browser, shop and sandbox they are taken of."""

    browser: Browser
    shop: str
    control: SandboxControl
    oscars_order: str
    lines: list[str] = field(default_factory=list)

    def take_all(self) -> None:
        """Take every picture and write the page that shows them."""
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.glob("*.webp"):
            old.unlink()
        self.section("The customer's pages")
        with self.tab() as page:
            self.shelf_to_order(page)
            self.button(page)
        self.endings()
        self.section("The operator's pages")
        self.admin()
        self.section("The operator's page in a django-oscar shop")
        self.oscars_dashboard()
        self.section("The sandbox's console")
        self.console()
        DOCUMENT.write_text(HEAD + "\n".join(self.lines) + "\n", encoding="utf-8")

    def section(self, title: str) -> None:
        """Begin a section of the page."""
        self.lines.append(f"\n## {title}")

    def take(self, page: Page, name: str, caption: str, *, is_loading: bool = False) -> None:
        """Take one picture, of a page that still waits for a request if so told."""
        if not is_loading:
            page.wait_for_load_state("networkidle")
        png = base64.b64encode(page.screenshot(animations="disabled")).decode()
        with self.tab() as blank:
            webp = blank.evaluate(TO_WEBP, [png, QUALITY])
        (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(webp))
        self.lines.append(f"\n{caption}\n\n![{caption}](images/gallery/{name}.webp)")

    @contextmanager
    def tab(self, **options: Any) -> Iterator[Page]:
        """Open a browser as new."""
        context = self.browser.new_context(**{"viewport": DESK, "locale": "en", **options})
        page = context.new_page()
        yield page
        context.close()

    # The customer's pages

    def shelf_to_order(self, page: Page) -> None:
        """Fill a cart and order."""
        page.goto(self.shop)
        self.take(page, "shelf", "The example shop")
        page.goto(f"{self.shop}/products/harbour-mug/")
        self.take(page, "product", "A product")
        page.locator(".buy button").click()
        page.wait_for_url("**/cart/")
        self.take(page, "cart", "The cart")
        page.locator(".sums .button").click()
        self.take(page, "address", "The address")
        page.locator("button[value=example]").click()
        page.wait_for_url("**/checkout/")
        self.take(page, "review", "The review before the order is placed")
        page.locator("button[value=place]").click()
        page.wait_for_url(re.compile("/orders/"))

    def button(self, page: Page) -> None:
        """Show the wallet's button in each of its states, and pay with it."""
        order = page.url
        self.ready(page)
        self.take(page, "button-ready", "An order with both ways to pay")
        page.route("**/wallet/pay.js", lambda _route: None)
        page.reload(wait_until="commit")
        page.locator("#standing-heading").wait_for()
        page.evaluate("Promise.all(Array.from(document.images, (image) => image.decode()))")
        self.take(page, "button-loading", "While the wallet loads", is_loading=True)
        page.unroute_all(behavior="ignoreErrors")
        self.control.wallet("not_ready")
        page.goto(order)
        self.take(page, "button-unavailable", "No wallet: the gateway's page is offered")
        self.control.wallet("ready")
        page.goto(order)
        self.opens_sheet(page)
        self.take(page, "sheet", "The wallet's sheet, here the sandbox's")
        self.control.fault("authorization", "errored", times=1)
        inside = page.frame_locator("dialog iframe")
        inside.locator("[data-pay]").click()
        inside.get_by_role("alert").wait_for()
        self.take(page, "sheet-declined", "A card is declined: the sheet stays open for another one")
        inside.locator("[data-row=card] summary").click()
        inside.locator("[data-row=card] label", has_text="1881").click()
        inside.locator("[data-pay][aria-disabled=false]").click()
        page.wait_for_url(re.compile("/three-d-secure/"))
        self.take(page, "three-d-secure", "The bank asks: 3-D Secure, here the sandbox's page")
        page.locator("button[name=outcome][value=success]").click()
        page.wait_for_url(re.compile("/wallet/result/"))
        self.take(page, "paid", "Paid, as the gateway has confirmed")
        page.goto(order)
        self.take(page, "order-paid", "The order, paid")

    def endings(self) -> None:
        """Leave the hosted page in every other way."""
        for outcome, caption in (
            ("refused", "Refused: both ways to pay again"),
            ("cancelled", "Cancelled by the customer"),
            ("pending", "Pending: the page checks again"),
            ("error", "The payment failed"),
        ):
            with self.tab() as page:
                self.to_the_hosted_page(page, "first-light")
                if outcome == "refused":
                    self.take(page, "hosted", "The hosted page, here the sandbox's")
                self.decide(page, outcome)
                self.take(page, outcome, caption)
        with self.tab() as page:
            self.to_the_hosted_page(page, "hearth-teapot")
            self.decide(page, "success")
            self.take(page, "authorized", "Reserved and not yet charged")
        with self.tab(viewport=PHONE, color_scheme="dark") as page:
            self.to_the_hosted_page(page, "harbour-mug")
            self.take(page, "hosted-phone-dark", "The hosted page on a phone, dark mode")
            self.decide(page, "success")
            self.take(page, "paid-phone-dark", "The paid page on a phone, dark mode")
        with self.tab() as page:
            page.goto(f"{self.shop}/nowhere/")
            self.take(page, "not-found", "A broken link")

    def to_the_hosted_page(self, page: Page, slug: str) -> None:
        """Order a product and go to the gateway's page."""
        page.goto(f"{self.shop}/products/{slug}/")
        page.locator(".buy button").click()
        page.wait_for_url("**/cart/")
        page.locator(".sums .button").click()
        page.locator("button[value=example]").click()
        page.wait_for_url("**/checkout/")
        page.locator("button[value=place]").click()
        page.wait_for_url(re.compile("/orders/"))
        page.locator(".wallet-checkout__button").click()
        page.wait_for_url(re.compile(r"/checkout/[^/]{20,}/"))

    def decide(self, page: Page, outcome: str) -> None:
        """Press a button of the hosted page."""
        page.locator(f"button[name=outcome][value={outcome}]").click()
        page.wait_for_url(re.compile("/wallet/result/"))
        page.locator("h1").wait_for()

    def ready(self, page: Page) -> None:
        """Wait for the wallet's button."""
        page.locator(BUTTON).wait_for()

    def opens_sheet(self, page: Page) -> None:
        """Press the wallet's button and wait until the sheet can be paid on."""
        self.ready(page)
        page.locator(BUTTON).click()
        page.frame_locator("dialog iframe").locator("[data-pay][aria-disabled=false]").wait_for()

    # The operator's pages

    def admin(self) -> None:
        """Look at every page of the admin that the demo has something for."""
        with self.tab(viewport={"width": 1280, "height": 860}) as page:
            page.goto(f"{self.shop}/admin/login/?next=/admin/")
            page.locator("#id_username").fill(STAFF)
            page.locator("#id_password").fill(PASSWORD)
            page.locator("#login-form [type=submit]").click()
            page.wait_for_url("**/admin/")
            admin = f"{self.shop}/admin/wallet_gateway"
            for path, name, caption in (
                ("dashboard/", "dashboard", "The payments dashboard"),
                ("dashboard/keys/", "keys", "The keys of the wallet's button"),
                ("dashboard/health/", "health", "The health view"),
                ("dashboard/default/stop/", "stop", "The emergency stop, before it is confirmed"),
                ("paymentorder/", "orders", "Orders"),
                ("gatewaytransaction/", "transactions", "Transactions with the gateway"),
                ("transactionevent/", "events", "Every answer and decision, in order"),
                ("discrepancy/", "discrepancies", "Differences between the shop's and the gateway's records"),
                ("approval/", "approvals", "What waits for a second person"),
                ("operationbatch/", "batches", "Operations on many orders"),
                ("migrateddeposit/", "deposits", "Payments of an earlier provider"),
                ("migrateddeposit/import/", "import", "The import of these payments"),
            ):
                page.goto(f"{admin}/{path}")
                self.take(page, f"admin-{name}", caption)
            self.one_order(page, f"{admin}/paymentorder/")
            page.emulate_media(color_scheme="dark")
            page.goto(f"{admin}/dashboard/")
            self.take(page, "admin-dashboard-dark", "The dashboard in dark mode")

    def one_order(self, page: Page, orders: str) -> None:
        """Open a paid order, the page that confirms its refund, and the one that cancels an order."""
        page.goto(orders)
        page.locator("#result_list tbody tr", has_text="Paid").first.locator("th a").click()
        page.wait_for_url("**/change/**")
        self.take(page, "admin-order", "One order")
        page.locator(".wallet-card .wallet-button", has_text="Refund").first.click()
        page.locator("[name=ticket]").wait_for(state="attached")
        self.take(page, "admin-refund", "A refund, before it is confirmed")
        page.goto(orders)
        page.locator("#result_list tbody tr", has_text="Failed").first.locator("th a").click()
        page.get_by_role("link", name="Cancel the order").click()
        page.wait_for_url("**/cancel/")
        self.take(page, "admin-cancel", "An unpaid order is cancelled")

    def oscars_dashboard(self) -> None:
        """Choose one of two pieces of an order in oscar's dashboard, and refund it."""
        with self.tab(viewport={"width": 1280, "height": 760}) as page:
            page.goto(self.oscars_order)
            page.locator("#id_username").fill(oscar_shop.EMAIL)
            page.locator("#id_password").fill(oscar_shop.PASSWORD)
            page.locator("#dashboard_login_form [type=submit]").click()
            page.wait_for_url(self.oscars_order)
            page.locator("[name=selected_line]").check()
            page.locator("[name^=selected_line_qty]").fill("1")
            page.locator("#payment_event_check").check()
            page.locator("#payment_event_type_select").select_option(label="Refunded")
            page.locator("#amount_input").scroll_into_view_if_needed()
            page.locator("[name=selected_line]").evaluate("(box) => box.closest('table').scrollIntoView()")
            self.take(page, "oscar-refund", "A refund of one of two pieces in oscar's dashboard")

    # The sandbox

    def console(self) -> None:
        """Look at every page of the console."""
        self.control.fault("refund", "delay_after", times=3, seconds=5)
        base = self.control.base_url
        with self.tab() as page:
            for path, name, caption in (
                ("", "overview", "The overview"),
                ("controls/", "controls", "Controls: each button with its curl command"),
                ("checkouts/", "checkouts", "Checkouts"),
                ("accounts/", "wallet", "Payment accounts and open 3-D Secure pages"),
                ("transactions/", "transactions", "Transactions"),
                ("requests/", "requests", "Requests received"),
            ):
                page.goto(f"{base}/{path}")
                self.take(page, f"console-{name}", caption)
                if name in {"transactions", "requests"}:
                    page.locator("tbody a").first.click()
                    self.take(page, f"console-{name[:-1]}", f"One {name[:-1]}")
