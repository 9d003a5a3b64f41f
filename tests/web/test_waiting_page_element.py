"""The waiting page in a shop that exchanges its pages without loading them, and after the back button."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django import Settings

from tests.exhaustive import one_of
from tests.web.conftest import address, let_the_gateway_be_asked_again
from tests.web.test_browser import PAID, MakeOrder, complaints, context, page, pending, shop
from tests.web.test_pay_button_element import MODULES
from wallet_gateway import payments
from wallet_gateway.models import Payment
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

__all__ = ["complaints", "context", "page", "pending", "shop"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.web.shop_urls"),
]

WAITING = "We are checking your payment"
STATUS = "**/api/status/**"
# What such libraries do: other content in the same document, whose scripts are put in once more.
BY_HAND = """async (path) => {
  const other = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html")
  document.body.replaceWith(other.body)
  for (const script of document.body.querySelectorAll("script")) {
    const again = document.createElement("script")
    for (const { name, value } of script.attributes) again.setAttribute(name, value)
    script.replaceWith(again)
  }
}"""
LIBRARIES = {
    "no library": ("", BY_HAND),
    "turbo": ("@hotwired/turbo/dist/turbo.es2017-umd.js", "(path) => Turbo.visit(path)"),
    "htmx": ("htmx.org/dist/htmx.js", "(path) => void htmx.ajax('GET', path, {target: 'body'})"),
    "htmx 2": ("htmx-2/dist/htmx.js", "(path) => void htmx.ajax('GET', path, {target: 'body'})"),
}
# A page of a shop's own that knows nothing of the plugin's element.
OLDER = """{% extends "wallet_gateway/base.html" %}{% load wallet_gateway %}
{% block wallet_content %}<h1>We are checking your payment</h1>
<p><b data-wallet-poll="{{ page.status_url }}" data-wallet-result="{{ page.result_url }}">Wait</b></p>
{% wallet_script "pending" %}{% endblock %}"""


def _bring(page: Page, library: str) -> str:
    """Put a library on the open page; gives the script that goes to another page with it."""
    file, visit = LIBRARIES[library]
    if file and not (MODULES / file).exists():
        pytest.skip("the libraries of other pages are not installed: run npm ci in tests/js")
    if file:
        page.add_script_tag(content=(MODULES / file).read_text(encoding="utf-8"))
    return visit


@pytest.fixture
def older_template(settings: Settings, tmp_path: Path) -> None:
    """A shop that has its own waiting page."""
    (tmp_path / "wallet_gateway").mkdir()
    (tmp_path / "wallet_gateway/pending.html").write_text(OLDER, encoding="utf-8")
    changed = copy.deepcopy(settings.TEMPLATES)
    changed[0]["DIRS"] = [tmp_path]
    settings.TEMPLATES = changed


@pytest.fixture
def other(shop: str, wallet_sandbox: SandboxControl, make_order: MakeOrder) -> Payment:
    """Another order's attempt that the gateway holds as pending."""
    attempt = payments.start_checkout(make_order())
    wallet_sandbox.complete_checkout(attempt.reference, "pending")
    return attempt


def _waits(page: Page, visit: str, attempt: Payment) -> None:
    page.evaluate(visit, address("return", attempt, ReturnOutcome.PENDING))
    expect(page.locator("h1")).to_have_text(WAITING)
    # What Turbo shows at first is a copy of a page that was there before.
    expect(page.locator("html[aria-busy]")).to_have_count(0)


def _leave(page: Page, visit: str, attempt: Payment) -> None:
    page.evaluate(visit, f"/buy/{attempt.order.reference}/")
    expect(page.locator("h1")).to_have_text("Checkout")
    expect(page.locator("html[aria-busy]")).to_have_count(0)


def _walks(
    page: Page, shop: str, left: Payment, other: Payment, control: SandboxControl, library: str
) -> None:
    """Leave one waiting page while it asks, and see another one turn into paid, all in one document."""
    held: list[Route] = []
    page.clock.install()
    page.goto(f"{shop}/buy/{left.order.reference}/")
    visit = _bring(page, library)
    page.evaluate("window.isOneDocument = true")
    page.route(STATUS, lambda route: held.append(route))
    _waits(page, visit, left)
    with page.expect_request(STATUS):
        page.clock.fast_forward(3_000)
    _leave(page, visit, left)
    for route in held:
        route.fulfill(json={"state": "PAID", "final": True, "next": "/"})
    page.clock.fast_forward(120_000)
    page.unroute(STATUS)
    _waits(page, visit, other)
    assert page.evaluate("window.isOneDocument")
    assert len(held) == 1
    control.settle_pending(other.reference, "success")
    page.clock.fast_forward(3_000)
    expect(page.locator("h1")).to_have_text(PAID)


@pytest.mark.parametrize("library", one_of(LIBRARIES))
def test_a_waiting_page_that_was_left_takes_nobody_away_and_the_next_one_asks(
    page: Page,
    shop: str,
    pending: Payment,
    other: Payment,
    wallet_sandbox: SandboxControl,
    library: str,
) -> None:
    _walks(page, shop, pending, other, wallet_sandbox, library)


@pytest.mark.usefixtures("older_template")
@pytest.mark.parametrize("library", one_of(LIBRARIES))
def test_so_does_the_waiting_page_of_a_shop_with_an_older_template(
    page: Page,
    shop: str,
    pending: Payment,
    other: Payment,
    wallet_sandbox: SandboxControl,
    library: str,
) -> None:
    _walks(page, shop, pending, other, wallet_sandbox, library)


def test_after_the_back_button_the_waiting_page_asks_at_once(
    page: Page, shop: str, pending: Payment, wallet_sandbox: SandboxControl, complaints: list[str]
) -> None:
    # Playwright's browsers keep no pages for the back button: the page is told what a browser tells it.
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
    expect(page.locator("h1")).to_have_text(WAITING)
    wallet_sandbox.settle_pending(pending.reference, "success")
    let_the_gateway_be_asked_again()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.locator("h1")).to_have_text(PAID)
    assert complaints == []
