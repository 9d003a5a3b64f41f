"""The page of an order in a real Chromium: a reference is copied with one press, and nothing sticks out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest
from django.test import Client

from tests.admin.conftest import order_url
from tests.admin.scenery import Scenery
from tests.admin.staff_tab import SIDEWAYS, staff_tab
from tests.axe import violations
from tests.exhaustive import one_of
from tests.models.rows import a_payment, a_transaction

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.fixture
def desk(
    browser: Browser, live_server: LiveServer, superuser: Client, permissions: None, nothing_inline: None
) -> Iterator[Page]:
    """Root's tab under a policy that forbids everything inline; it may write to the clipboard."""
    with staff_tab(browser, live_server, superuser) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield page


def test_a_reference_is_copied_with_one_press_and_the_page_says_so(desk: Page) -> None:
    payment = a_payment()
    a_transaction(payment, kind="CHECKOUT", state="REJECTED", reference=payment.reference)
    desk.goto(order_url(payment.order))

    desk.get_by_role("button", name=f"Copy {payment.reference}").press("Enter")

    desk.get_by_role("status").filter(has_text="Copied").wait_for()
    assert desk.evaluate("navigator.clipboard.readText()") == payment.reference


@pytest.mark.parametrize(("scheme", "width"), one_of([("dark", 320), ("light", 1280)]))
def test_a_frozen_order_and_a_busy_one_keep_to_axe_and_to_the_window(
    desk: Page, scheme: Literal["light", "dark"], width: int
) -> None:
    scenery, found = Scenery(), []
    desk.emulate_media(color_scheme=scheme)
    desk.set_viewport_size({"width": width, "height": 900})
    for order in (scenery.paid, scenery.waiting):
        desk.goto(order_url(order))
        found += violations(desk)
        assert desk.evaluate(SIDEWAYS) <= 0
    assert not found, "\n".join(found)
