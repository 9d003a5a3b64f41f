"""The list of orders in a real Chromium: the sums of what is ticked, and its rows on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from playwright.sync_api import expect

from tests.admin.staff_tab import staff_tab
from tests.models.rows import an_order
from wallet_gateway.domain.lifecycle import OrderState

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

LIST = "/admin/wallet_gateway/paymentorder/"


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, superuser: Client, permissions: None) -> Iterator[Page]:
    """Root's tab on a phone, before any page is open."""
    with staff_tab(browser, live_server, superuser, viewport={"width": 390, "height": 844}) as page:
        yield page


def test_what_is_ticked_is_added_up_as_the_server_writes_it_and_the_state_is_in_view(page: Page) -> None:
    for number, (minor, currency) in enumerate([(123_456_789, "EUR"), (1, "EUR"), (4200, "JPY")]):
        an_order(
            reference=f"SHOP-{number}-2026", amount_minor=minor, currency=currency, state=OrderState.PENDING
        )
    page.set_extra_http_headers({"Accept-Language": "de"})
    page.goto(LIST)
    boxes, line = page.locator("input.action-select"), page.locator("[data-wallet-ticked]")
    assert line.inner_text() == ""

    boxes.nth(1).check()
    page.wait_for_function("document.querySelector('[data-wallet-ticked]').textContent.includes('0,01')")
    page.locator("#action-toggle").check()
    page.wait_for_function(
        "document.querySelector('[data-wallet-ticked]').textContent.includes('1.234.567,90')"
    )

    ticked = line.inner_text()
    assert "1.234.567,90\N{NO-BREAK SPACE}€" in ticked
    assert "4.200\N{NO-BREAK SPACE}¥" in ticked
    assert all(part in page.locator(".wallet-sums dl").inner_text() for part in ticked.split()[2:3])

    page.locator("#action-toggle").uncheck()
    page.wait_for_function("document.querySelector('[data-wallet-ticked]').textContent === ''")
    for badge in page.locator("#result_list .wallet-badge").all():
        box = badge.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390, "the state is seen without scrolling sideways"


def test_rows_without_room_for_their_columns_are_cards_and_columns_again_once_there_is(page: Page) -> None:
    an_order(reference="SHOP-1234", order_number="2026-1234", state=OrderState.PART_REFUNDED)
    page.set_extra_http_headers({"Accept-Language": "de"})
    page.goto(LIST)
    rows = page.locator("#result_list tbody")
    shown = "cell => getComputedStyle(cell, '::before').content"
    overflow = "box => box.scrollWidth - box.clientWidth"

    assert page.locator(".results").evaluate(overflow) <= 0
    assert rows.locator(".field-name").evaluate(shown) == '"Bestellung"'
    # Beside the sidebar and the filters, too.
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator("#result_list.wallet-cards")).to_have_count(0)
    assert rows.locator(".field-name").evaluate(shown) == "none"
    assert page.locator(".results").evaluate(overflow) <= 0
