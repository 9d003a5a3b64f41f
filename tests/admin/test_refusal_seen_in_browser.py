"""The button that marks a refusal as seen, pressed in a real Chromium on each page that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.admin.conftest import MakePerson
from tests.admin.staff_tab import SIDEWAYS, staff_tab
from tests.admin.test_transactions import pages_of, refused

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.mark.parametrize("width", [360, 1280])
def test_each_page_with_the_button_comes_back_without_it(
    width: int, make_person: MakePerson, live_server: LiveServer, browser: Browser
) -> None:
    clerk = make_person("refund_payment")
    with staff_tab(browser, live_server, clerk, viewport={"width": width, "height": 900}) as page:
        for number in range(3):
            transaction = refused()
            page.goto(pages_of(transaction)[number])
            assert page.evaluate(SIDEWAYS) == 0
            page.get_by_role("button", name="Mark as seen").click()
            page.get_by_text("Marked as seen.").wait_for()
            assert page.url.endswith(pages_of(transaction)[number])
            assert page.get_by_role("button", name="Mark as seen").count() == 0
            transaction.refresh_from_db()
            assert transaction.refusal_seen_by
