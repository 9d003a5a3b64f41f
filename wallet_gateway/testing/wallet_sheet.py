"""The wallet's button and sheet in a browser: what a customer does there, by mouse. Needs Playwright.

Playwright is no dependency of this package, so it is imported only when a browser is started.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import Browser, FrameLocator, Locator, Page, Playwright

INSTALL: Final = "python -m pip install playwright && python -m playwright install chromium"
_INSTALLED: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class NoBrowser(RuntimeError):
    """Playwright or a browser for it is not installed; the message says how to install it."""


class WalletSheet:
    """One page of the shop in a browser, with its wallet button and the sheet over it."""

    def __init__(self, page: Page, *, origin: str) -> None:
        self.page = page
        """Playwright's page, for everything else that a customer does there."""
        self._origin = origin

    @property
    def button(self) -> Locator:
        """The wallet's button on the shop's page."""
        return self.page.locator(".wallet-button__place button")

    @property
    def inside(self) -> FrameLocator:
        """The document in the sheet."""
        return self.page.frame_locator("dialog iframe")

    def visit(self, path: str) -> None:
        """Open a page of the shop.

        :param path: its path: ``"/orders/7/"``.
        """
        self.page.goto(urljoin(self._origin, path))

    def open(self) -> None:
        """Press the button, and wait until the sheet can be approved."""
        self.button.click()
        self._wait_for_price()

    def choose(self, row: str, words: str) -> None:
        """Choose an entry in a row of the sheet, and wait for the new price.

        :param row: which row: ``card``, ``address`` or ``option``.
        :param words: a part of the entry's text: ``"Express"``.
        """
        place = self.inside.locator(f"[data-row={row}]")
        if place.get_attribute("open") is None:
            place.locator("summary").click()
        place.locator("label", has_text=words).click()
        self._wait_for_price()

    def approve(self) -> None:
        """Approve what the sheet shows. What becomes of it is on the page a moment later: wait for it."""
        self.inside.locator("[data-pay][aria-disabled=false]").click()

    def close(self) -> None:
        """Close the sheet without a payment, and wait until it is gone."""
        self.inside.locator("[data-close]").click()
        self.page.locator("dialog iframe").wait_for(state="detached")

    def _wait_for_price(self) -> None:
        self.inside.locator("[data-sheet][aria-busy=false]").wait_for()
        self.inside.locator("[data-pay]").wait_for()


@contextmanager
def browser(options: Mapping[str, Any]) -> Iterator[Browser]:
    """Start a Chromium: Playwright's own, or one that is installed. Raises `NoBrowser`.

    ``options`` are those of Playwright's `BrowserType.launch`.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise NoBrowser(f"Playwright is not installed: {INSTALL}") from error
    with sync_playwright() as playwright, _launch(playwright, options) as started:
        yield started


def _launch(playwright: Playwright, options: Mapping[str, Any]) -> Browser:
    from playwright.sync_api import Error

    try:
        return playwright.chromium.launch(**options)
    except Error as error:
        installed = next(filter(None, map(shutil.which, _INSTALLED)), None)
        if options or installed is None:
            raise NoBrowser(f"Playwright has no browser to start: {INSTALL}\n{error}") from error
    return playwright.chromium.launch(executable_path=installed)
