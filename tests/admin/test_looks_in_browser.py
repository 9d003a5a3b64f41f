"""The pages of the admin in a real Chromium: under axe, none scrolls sideways, dark, right to left.

One browser goes through them, since opening one costs more than looking at a page. Each run looks at a page
of each template, `make test-all` at every page in every look.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.test import Client

from tests.admin.scenery import Scenery
from tests.admin.staff_tab import staff_tab
from tests.axe import violations, violations_in_every_look

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

# The page, a list and a table to be filled in; a chart's table of figures may.
SIDEWAYS = """Math.max(...["html", ".results", ".wallet-panel .wallet-scroll"]
  .flatMap((box) => [...document.querySelectorAll(box)])
  .map((box) => box.scrollWidth - box.clientWidth))"""
ONE_OF_EACH = (
    "list of paymentorder",
    "busy order",
    "confirm capture",
    "approval",
    "import",
    "report",
    "refund deposits",
    "draft batch",
    "running batch",
    "dashboard",
    "health",
    "keys",
)
"""A page of each template."""
REFUSED = "decide"
"""The form that is looked at with its faults."""
RIGHT_TO_LEFT = "busy order"
IN_THE_DARK = {"list of paymentorder", "busy order", "dashboard"}
"""A list, a page of every colour, and charts."""
# Django's own: links that differ from the text around them by colour only, and a field named by its title.
DJANGOS_OWN = ("body:not(.wallet-admin) .breadcrumbs", "#changelist-search")


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, superuser: Client) -> Iterator[Page]:
    """Root's tab, before any page is open."""
    with staff_tab(browser, live_server, superuser) as page:
        yield page


def look(page: Page, name: str) -> list[str]:
    """Return what is wrong with an open page."""
    faults = violations(page, without=DJANGOS_OWN)
    faults += ["it scrolls sideways"] * (page.evaluate(SIDEWAYS) > 0)
    if name in IN_THE_DARK:
        page.emulate_media(color_scheme="dark")
        faults += [f"in the dark: {fault}" for fault in violations(page, without=DJANGOS_OWN)]
        page.emulate_media(color_scheme="light")
    return [f"{name}: {fault}" for fault in faults]


def test_axe_finds_nothing_and_nothing_scrolls_sideways(page: Page) -> None:
    pages, found = dict(Scenery().pages()), []
    page.set_viewport_size({"width": 1280, "height": 900})
    for name in ONE_OF_EACH:
        page.goto(pages[name])
        found += look(page, name)
    page.goto(pages[REFUSED])
    page.locator(".wallet-buttons button").first.click()
    page.locator(".wallet-field__error, .messagelist .error").first.wait_for()
    # The words are there before the styles.
    page.wait_for_load_state()
    found += look(page, f"{REFUSED}, refused")
    page.set_extra_http_headers({"Accept-Language": "ar"})
    page.goto(pages[RIGHT_TO_LEFT])
    assert page.locator("html").get_attribute("dir") == "rtl"
    found += look(page, f"{RIGHT_TO_LEFT}, from right to left")
    assert not found, "\n".join(found)


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", ["en", "ar"])
def test_axe_finds_nothing_on_any_page_in_any_look(page: Page, language: str) -> None:
    page.set_extra_http_headers({"Accept-Language": language})
    found = []
    for name, address in Scenery().pages():
        page.goto(address)
        found += [f"{name}: {fault}" for fault in violations_in_every_look(page, without=DJANGOS_OWN)]
    assert not found, "\n".join(found)
