"""The dashboard in a real Chromium under a policy that allows nothing inline: charts are still drawn."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.admin.conftest import MakePerson
from tests.admin.staff_tab import staff_tab
from tests.explanations import commented
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import TransactionEvent

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

DASHBOARD = "/admin/wallet_gateway/dashboard/"
CHART = "[data-wallet-chart] canvas"
# Draws as a person sees it: some pixel of the canvas is not transparent.
PAINTED = """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
    .data.some(part => part > 0)"""


def some_weeks() -> None:
    now = datetime.now(UTC)
    states = [TransactionState.APPROVED] * 5 + [
        TransactionState.REJECTED,
        TransactionState.EXPIRED,
        TransactionState.APPROVED,
    ]
    for number in range(90):
        at, state = now - timedelta(days=number % 28, hours=2), states[number % 8]
        currency, minor = (
            ("JPY", 4200 + 31 * number) if number % 9 == 0 else ("EUR", 1990 + 137 * (number % 23))
        )
        kind = TransactionKind.AUTHORIZATION if number % 3 == 0 else TransactionKind.CHECKOUT
        approved = minor if state is TransactionState.APPROVED else None
        columns = {"currency": currency, "amount_minor": minor}
        transaction = a_transaction(
            a_payment(an_order(**columns)),
            kind=kind,
            state=state,
            approved_minor=approved,
            created_at=at,
            state_changed_at=at + timedelta(seconds=40 + number % 31),
            **columns,
        )
        TransactionEvent.objects.create(
            transaction=transaction,
            kind="FAULT" if number % 17 == 0 else "ANSWER",
            state_after=state,
            http_status=503 if number % 17 == 0 else 200,
            elapsed_ms=120 + 7 * (number % 40),
            occurred_at=at,
        )
    a_transaction(
        state=TransactionState.UNKNOWN,
        state_changed_at=now - timedelta(minutes=40),
        **commented("no answer came"),
    )
    a_transaction(
        state=TransactionState.ANOMALY,
        state_changed_at=now - timedelta(hours=7),
        **commented("two approved records"),
    )


@pytest.fixture
def open_dashboard(
    browser: Browser, live_server: LiveServer, make_person: MakePerson, nothing_inline: None
) -> Iterator[tuple[Page, list[str]]]:
    some_weeks()
    person, complaints, heard = make_person("stop_sending"), list[str](), {"error", "warning"}
    with staff_tab(browser, live_server, person, viewport={"width": 1280, "height": 900}) as page:
        page.on("console", lambda line: complaints.append(line.text) if line.type in heard else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(DASHBOARD)
        page.locator(CHART).first.wait_for()
        yield page, complaints


def test_every_chart_is_drawn_and_no_policy_is_broken(open_dashboard: tuple[Page, list[str]]) -> None:
    page, complaints = open_dashboard
    canvases = page.locator(CHART)
    assert canvases.count() == 9, "four for each of two currencies, and the gateway's"
    for index in range(canvases.count()):
        assert canvases.nth(index).evaluate(PAINTED)
    assert complaints == []


def test_the_stop_is_reached_and_confirmed_by_keyboard(open_dashboard: tuple[Page, list[str]]) -> None:
    page, _ = open_dashboard
    page.get_by_role("link", name="Stop all sending").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Reason").fill("double captures")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/dashboard/")
    assert page.get_by_text("double captures").is_visible()
    assert page.get_by_role("link", name="Resume sending").is_visible()


def test_without_scripts_a_link_leads_to_the_figures(
    browser: Browser, live_server: LiveServer, make_person: MakePerson
) -> None:
    some_weeks()
    with staff_tab(browser, live_server, make_person(), java_script_enabled=False) as page:
        page.goto(f"{DASHBOARD}?currency=JPY")
        page.get_by_role("link", name="Show the figures").click()
        page.wait_for_url("**/dashboard/figures/?currency=JPY#wallet-figures")
        assert page.get_by_role("heading", name="JPY").is_visible()
        assert page.get_by_role("heading", name="EUR").count() == 0


def test_where_the_figures_cannot_be_fetched_the_link_stays(
    browser: Browser, live_server: LiveServer, make_person: MakePerson
) -> None:
    with staff_tab(browser, live_server, make_person()) as page:
        page.route("**/figures/part/", lambda route: route.abort())
        with page.expect_event("requestfailed"):
            page.goto(DASHBOARD)
        page.locator("[data-wallet-figures]:not([aria-busy])").wait_for()
        page.get_by_role("link", name="Show the figures").click()
        page.locator(CHART).first.wait_for()
