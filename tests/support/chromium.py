"""The one browser of all tests that need one: started once for files that follow each other."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

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


@pytest.fixture(scope="session")
def browser_of_another() -> None:
    """For a test whose browser something else starts: without one it is skipped, in CI it fails."""
    if os.environ.get("CI") != "true" and installed_chromium() is None and not _has_playwrights():
        pytest.skip("*** NO BROWSER: THE TESTS THAT NEED ONE DID NOT RUN. ***")


def _has_playwrights() -> bool:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


_RUNNING = pytest.StashKey[tuple["Browser", ExitStack]]()


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Browser:
    """A Chromium. In CI a missing one is a failure, elsewhere a skip that says so loudly."""
    stash = request.config.stash
    if _RUNNING not in stash:
        with ExitStack() as stack:
            stash[_RUNNING] = (_start(stack), stack.pop_all())
    return stash[_RUNNING][0]


def _start(stack: ExitStack) -> Browser:
    # Here, because the quick tests do without Playwright.
    from playwright.sync_api import Error, expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    # Playwright runs an event loop in this thread, which Django takes for asynchronous code.
    stack.enter_context(pytest.MonkeyPatch.context()).setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    playwright = stack.enter_context(sync_playwright())
    try:
        started = playwright.chromium.launch(executable_path=installed_chromium(), args=arguments)
    except Error as fault:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"*** NO BROWSER: THE TESTS THAT NEED ONE DID NOT RUN. *** {fault}")
    stack.callback(started.close)
    return started


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """Close it after a file whose next has no use for it: no other loop could run beside Playwright's."""
    yield
    if _RUNNING not in item.config.stash:
        return
    is_last = nextitem is None or nextitem.path != item.path
    if is_last and not _drives_it(nextitem):
        _, stack = item.config.stash[_RUNNING]
        del item.config.stash[_RUNNING]
        stack.close()


def _drives_it(item: pytest.Item | None) -> bool:
    if item is None or item.get_closest_marker("browser") is None:
        return False
    return "browser" in getattr(item, "fixturenames", ())
