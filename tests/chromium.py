"""The one browser of all tests that need one: started once for a file, closed after it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

# The one without windows does the same work in half the time.
INSTALLED = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# With every window Chromium would draw the pages of its own address bar, for three times what our page takes.
# The last list counts, so what is good in Playwright's own list is said again.
WITHOUT = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
]
ARGUMENTS = [
    f"--disable-features={','.join(WITHOUT)}",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# A wait ends when what is waited for comes; this is only where a busy machine is taken for a broken page.
PATIENCE_MS = 60_000


def installed_chromium() -> str | None:
    """The browser to use: the one that is named, else one that is installed, else (None) Playwright's own."""
    named = os.environ.get("PLAYWRIGHT_CHROMIUM")
    return named or next(filter(None, map(shutil.which, INSTALLED)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium. In CI a missing one is a failure, elsewhere a skip that says so loudly."""
    # Here, because the quick tests do without Playwright.
    from playwright.sync_api import Error, expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    # Playwright runs an event loop in this thread, which Django takes for asynchronous code.
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        try:
            browser = playwright.chromium.launch(executable_path=installed_chromium(), args=arguments)
        except Error as fault:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(f"*** NO BROWSER: THE TESTS THAT NEED ONE DID NOT RUN. *** {fault}")
        yield browser
        browser.close()
