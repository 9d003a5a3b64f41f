"""The pages of the admin in a real Chromium: under axe, light and dark, narrow and wide, right to left.

One browser goes through them, since opening one costs more than looking at a page. Each run looks at a page
of each kind, `make test-all` at every page. With `PICTURES` set to a folder, a picture of each is left.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.test import Client

from tests.admin.scenery import Scenery
from tests.admin.staff_tab import staff_tab
from tests.axe import violations, violations_in_every_look
from tests.exhaustive import LANGUAGES, one_of
from tests.models.rows import an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import OperationBatchRow, RowState

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

# The page, a list and a table to be filled in; a chart's table of figures may.
SIDEWAYS = """Math.max(...["html", ".results", ".wallet-panel .wallet-scroll"]
  .flatMap((box) => [...document.querySelectorAll(box)])
  .map((box) => box.scrollWidth - box.clientWidth))"""
# Each is a form with its faults: what to press on which page, and nothing else filled in.
FAULTS = {
    "confirm capture": "button[name=confirm]",
    "decide": ".wallet-buttons button",
    "send again": ".wallet-buttons button",
    "close discrepancy": ".wallet-buttons button",
    "book discrepancy": ".wallet-buttons button",
    "import": "button[name=check]",
    "refund deposits": ".wallet-buttons button",
    "draft batch": ".wallet-buttons button",
    "raise limits": ".wallet-buttons button",
    "emergency stop": ".wallet-buttons button",
}
# One page of each kind and, by one form, how a form says what is wrong.
ONE_OF_EACH = {
    "list of paymentorder",
    "busy order",
    "confirm capture",
    "decide",
    "approval",
    "import",
    "refund deposits",
    "draft batch",
    "running batch",
    "dashboard",
}
REFUSED = "decide"
# Django's own: links that differ from the text around them by colour only, and a field named by its title.
DJANGOS_OWN = ("body:not(.wallet-admin) .breadcrumbs", "#changelist-search")


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, superuser: Client, permissions: None) -> Iterator[Page]:
    """Root's tab, before any page is open."""
    with staff_tab(browser, live_server, superuser) as page:
        yield page


def take_picture(page: Page, name: str) -> None:
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"{name.replace(' ', '-')}.png", full_page=True)


def walk(page: Page, looked_at: Callable[[str], None], *, whole: bool = True) -> None:
    """Open each page, and each form once more with its faults; or do so with one page of each kind."""
    pages = dict(Scenery().pages())
    assert pages.keys() >= ONE_OF_EACH | FAULTS.keys()
    for name in pages if whole else sorted(ONE_OF_EACH):
        address = pages[name]
        answer = page.goto(address)
        assert answer is not None
        assert answer.ok, name
        looked_at(name)
        if name in FAULTS and (whole or name == REFUSED):
            for reason in page.locator("select[name=reason]").all():
                # It needs a note, which is not there.
                reason.select_option("other")
            page.locator(FAULTS[name]).first.click()
            page.locator(".wallet-field__error, .messagelist .error").first.wait_for()
            # The words are there before the styles.
            page.wait_for_load_state()
            looked_at(f"{name}, refused")


@pytest.mark.parametrize(
    ("scheme", "width", "whole"), one_of([("light", 1280, False), ("light", 1280, True), ("dark", 390, True)])
)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    page: Page, scheme: str, width: int, whole: bool
) -> None:
    found: list[str] = []
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})

    def look(name: str) -> None:
        take_picture(page, f"{name} {scheme}")
        faults = violations(page, without=DJANGOS_OWN)
        faults += ["it scrolls sideways"] * (page.evaluate(SIDEWAYS) > 0)
        found.extend(f"{name}: {fault}" for fault in faults)

    walk(page, look, whole=whole)
    assert not found, "\n".join(found)


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_on_any_page_in_any_look(page: Page, language: str) -> None:
    page.set_extra_http_headers({"Accept-Language": language})
    found = []
    for name, address in Scenery().pages():
        page.goto(address)
        assert page.locator("html").get_attribute("lang") == language
        found += [f"{name}: {fault}" for fault in violations_in_every_look(page, without=DJANGOS_OWN)]
    assert not found, "\n".join(found)


@pytest.mark.exhaustive
def test_a_batch_that_goes_on_leaves_the_focus_on_its_button(page: Page) -> None:
    batch = Scenery().running
    page.goto(f"/admin/wallet_gateway/operationbatch/{batch.pk}/progress/")
    page.get_by_text("2 of 3 orders").wait_for()
    pause = page.get_by_role("button", name="Pause")
    pause.focus()

    # Two more come, one of which is done: the page goes on without being loaded anew.
    rows = list(batch.rows.filter(state=RowState.WORKING))
    OperationBatchRow.objects.bulk_create(
        OperationBatchRow(
            batch=batch, order=row.order, payment=row.payment, state=state, leased_until=row.leased_until
        )
        for row in rows
        for state in (RowState.WORKING, RowState.REFUSED)
    )
    page.get_by_text("3 of 5 orders").wait_for()
    assert pause.evaluate("button => button === document.activeElement")

    page.keyboard.press("Enter")
    page.get_by_role("button", name="Resume").wait_for()
    assert page.get_by_text("Paused", exact=True).is_visible()


@pytest.mark.exhaustive
def test_beside_sidebar_and_filters_the_list_of_orders_shows_all_its_columns(page: Page) -> None:
    an_order(reference="SHOP-1234", order_number="2026-1234", state=OrderState.PART_REFUNDED)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/admin/wallet_gateway/paymentorder/")

    assert page.locator("#result_list thead th").last.inner_text().lower() == "created at"
    assert page.locator(".results").evaluate("box => box.scrollWidth - box.clientWidth") <= 0
