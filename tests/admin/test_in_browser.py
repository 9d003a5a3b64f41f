"""The admin in a real Chromium: a journey for each kind of page, under a policy without inline code, and axe.

Each run looks at a page of each template, some of them dark or from right to left, `make test-all` at every
page in every look.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from playwright.sync_api import expect
from pytest_django import Settings

from tests.admin.pages import DASHBOARD, DEPOSITS, HOME, order_url
from tests.admin.scenery import ONE_OF_EACH, Scenery
from tests.admin.test_deposits import GOOD, HEADER
from tests.models.rows import an_order
from tests.support.axe import violations, violations_in_every_look, violations_in_the_dark
from tests.support.gateway import StubGateway, answering
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, OperationBatchRow, RowState

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

NOTHING_INLINE = {
    "default-src": ["'none'"],
    "img-src": ["'self'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
}
CHART = "[data-wallet-chart] canvas"
# Draws as a person sees it: some pixel of the canvas is not transparent.
PAINTED = """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
    .data.some(part => part > 0)"""


@contextmanager
def staff_tab(browser: Browser, live_server: LiveServer, staff: Client, **options: Any) -> Iterator[Page]:
    """Open a tab in which the user of a client is signed in, before any page is open.

    `options` are those of Playwright's `new_context`; addresses may be relative to the server.
    """
    session = {"name": "sessionid", "value": staff.cookies["sessionid"].value, "url": live_server.url}
    with browser.new_context(base_url=live_server.url, reduced_motion="reduce", **options) as context:
        context.add_cookies([session])  # type: ignore[list-item]
        page = context.new_page()
        page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
        yield page


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer, superuser: Client, settings: Settings) -> Iterator[Page]:
    """Root's tab; at the end of the journey no script and no style has broken a policy without inline."""
    settings.SECURE_CSP = NOTHING_INLINE
    middleware = "example_project.shop.middleware.ContentSecurityPolicyMiddleware"
    settings.MIDDLEWARE = [middleware, *settings.MIDDLEWARE]
    complaints: list[str] = []
    with staff_tab(browser, live_server, superuser, viewport={"width": 1280, "height": 900}) as page:
        page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        yield page
    assert complaints == []


def test_by_keyboard_a_reference_is_copied_a_batch_paused_and_sending_stopped_beside_drawn_charts(
    desk: Page,
) -> None:
    scenery = Scenery()
    reference, batch = scenery.payment.reference, scenery.running
    scenery.payment.transactions.filter(kind="CHECKOUT").update(reference=reference)
    desk.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.goto(order_url(scenery.paid))
    desk.get_by_role("button", name=f"Copy {reference}").press("Enter")
    desk.get_by_role("status").filter(has_text="Copied").wait_for()
    assert desk.evaluate("navigator.clipboard.readText()") == reference

    desk.goto(f"{HOME}operationbatch/{batch.pk}/progress/")
    desk.get_by_text("2 of 3 orders").wait_for()
    pause = desk.get_by_role("button", name="Pause")
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
    desk.get_by_text("3 of 5 orders").wait_for()
    assert pause.evaluate("button => button === document.activeElement")
    desk.keyboard.press("Enter")
    desk.get_by_role("button", name="Resume").wait_for()

    desk.goto(DASHBOARD)
    desk.locator(CHART).first.wait_for()
    canvases = desk.locator(CHART)
    assert canvases.count() >= 5, "four for each currency, and the gateway's"
    for index in range(canvases.count()):
        assert canvases.nth(index).evaluate(PAINTED)

    desk.get_by_role("link", name="Stop all sending").focus()
    desk.keyboard.press("Enter")
    desk.get_by_label("Reason").fill("double captures")
    desk.keyboard.press("Tab")
    desk.keyboard.press("Enter")
    desk.wait_for_url("**/dashboard/")
    assert desk.get_by_text("double captures").is_visible()
    assert desk.get_by_role("link", name="Resume sending").is_visible()


def test_where_the_figures_are_not_fetched_a_link_leads_to_them(
    browser: Browser, live_server: LiveServer, superuser: Client
) -> None:
    an_order()
    for has_scripts in (False, True):
        with staff_tab(browser, live_server, superuser, java_script_enabled=has_scripts) as page:
            page.route("**/figures/part/**", lambda route: route.abort())
            page.goto(f"{DASHBOARD}?currency=JPY")
            page.locator("[data-wallet-figures]:not([aria-busy])").wait_for()
            page.get_by_role("link", name="Show the figures").click()
            page.wait_for_url("**/dashboard/figures/?currency=JPY#wallet-figures")


def test_what_is_ticked_is_added_up_and_rows_without_room_for_their_columns_are_cards(desk: Page) -> None:
    for number, (minor, currency) in enumerate([(123_456_789, "EUR"), (1, "EUR"), (4200, "JPY")]):
        an_order(reference=f"SHOP-{number}-2026", amount_minor=minor, currency=currency, state="PENDING")
    desk.set_viewport_size({"width": 390, "height": 844})
    desk.set_extra_http_headers({"Accept-Language": "de"})
    desk.goto(f"{HOME}paymentorder/")
    boxes, line = desk.locator("input.action-select"), desk.locator("[data-wallet-ticked]")
    assert line.inner_text() == ""
    boxes.nth(1).check()
    expect(line).to_contain_text("0,01")
    desk.locator("#action-toggle").check()
    expect(line).to_contain_text("1.234.567,90\N{NO-BREAK SPACE}€")
    expect(line).to_contain_text("4.200\N{NO-BREAK SPACE}¥")
    desk.locator("#action-toggle").uncheck()
    expect(line).to_have_text("")

    name, shown = (
        desk.locator("#result_list tbody .field-name").first,
        "cell => getComputedStyle(cell, '::before').content",
    )
    overflow = "box => box.scrollWidth - box.clientWidth"
    assert desk.locator(".results").evaluate(overflow) <= 0
    assert name.evaluate(shown) == '"Bestellung"'
    # Beside the sidebar and the filters, too.
    desk.set_viewport_size({"width": 1280, "height": 900})
    expect(desk.locator("#result_list.wallet-cards")).to_have_count(0)
    assert name.evaluate(shown) == "none"
    assert desk.locator(".results").evaluate(overflow) <= 0


def test_a_file_is_checked_and_taken_in_and_two_of_its_customers_are_repaid(
    desk: Page, gateway: StubGateway, tmp_path: Path
) -> None:
    desk.goto(f"{DEPOSITS}import/")
    take = desk.get_by_role("button", name="Take it in")
    assert take.is_disabled()
    file = tmp_path / "old.csv"
    file.write_text(HEADER + GOOD + GOOD.replace("OLD-1", "OLD-4").replace("PRV-1", "PRV-4"))
    desk.get_by_label("Migration file (CSV)").set_input_files(file)
    desk.get_by_role("button", name="Check the file").click()
    desk.get_by_text("2 rows are good, 0 are bad. Nothing is taken in yet.").wait_for()
    assert not MigratedDeposit.objects.exists()
    take.click()
    desk.get_by_text("The good rows are taken in.").wait_for()
    desk.get_by_role("link", name="See the deposits").click()

    desk.locator("#searchbar").fill("PRV-")
    desk.locator("#searchbar").press("Enter")
    # Until its script runs, the box that ticks all rows ticks nothing.
    desk.wait_for_url("**q=PRV-*")
    desk.locator("#action-toggle").check()
    desk.locator("select[name=action]").select_option("refund_many")
    desk.locator("button[name=index]").click()
    desk.wait_for_url(f"**{DEPOSITS}refund/**")
    desk.get_by_label("Reason").select_option("returned")
    for typed, said in (("1,234", "“1,234” can be read as €1,234.00"), ("1,50", "Nothing was sent yet.")):
        desk.get_by_label("Amount in EUR for OLD-1").fill(typed)
        desk.get_by_role("button", name="Check the sum").click()
        desk.get_by_text(said).wait_for()
        assert not GatewayTransaction.objects.exists()
    gateway.answers.append(answering(amount="0.75"))
    desk.get_by_role("button", name="Refund 2 deposits, €41.50").click()
    desk.get_by_text("2 of 2 deposits").wait_for()

    assert desk.get_by_text("Finished", exact=True).is_visible()
    results = desk.locator(".wallet-table tbody tr")
    short = "Asked for €1.50, approved €0.75. The rest is a task on the dashboard."
    assert short in results.nth(0).inner_text()
    assert "Detached refund of €40.00: Approved." in results.nth(1).inner_text()


# How they look


# The page, a list and a table to be filled in; a chart's table of figures may.
SIDEWAYS = """Math.max(...["html", ".results", ".wallet-panel .wallet-scroll"]
  .flatMap((box) => [...document.querySelectorAll(box)])
  .map((box) => box.scrollWidth - box.clientWidth))"""
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
        faults += violations_in_the_dark(page, without=DJANGOS_OWN)
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
