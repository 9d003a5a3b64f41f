"""What only a real browser can show of the waiting page: it turns, keeps script out, leads nowhere else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.web.conftest import PAID_HEADING, address, bring_turbo, state_of
from wallet_gateway import payments
from wallet_gateway.return_tokens import ReturnOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

    from wallet_gateway.models import Payment, PaymentOrder
    from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WAITS = "We are checking your payment"

# What moves without a hand on the page: how far, and which elements, from where to where.
SHIFTS = """window.shifts = []
const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ")
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    const moved = sources.map(({ node, previousRect, currentRect }) =>
      `${node?.outerHTML ?? node?.textContent}: ${place(previousRect)} to ${place(currentRect)}`)
    window.shifts.push(`${value}: ${moved.join("; ")}`)
  }
}).observe({ type: "layout-shift", buffered: true })"""
# What changes now is drawn with the next frame, and is an entry after it.
SHIFTED = """async () => {
  for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame)
  return window.shifts
}"""


@pytest.fixture
def pending(shop: str, wallet_sandbox: SandboxControl, open_attempt: Payment) -> Payment:
    """An attempt that the gateway holds as pending."""
    wallet_sandbox.complete_checkout(open_attempt.reference, "pending")
    return open_attempt


def waiting_page(shop: str, attempt: Payment) -> str:
    return shop + address("return", attempt, ReturnOutcome.PENDING)


def test_a_waiting_page_stands_still_and_turns_into_paid_by_itself(
    page: Page, shop: str, pending: Payment, wallet_sandbox: SandboxControl, complaints: list[str]
) -> None:
    page.set_viewport_size({"width": 320, "height": 800})
    page.add_init_script(SHIFTS)
    page.goto(waiting_page(shop, pending))
    expect(page.locator("h1")).to_have_text(WAITS)
    page.get_by_role("status").evaluate("(news) => { news.textContent = 'News' }")
    assert page.evaluate(SHIFTED) == []
    wallet_sandbox.settle_pending(pending.reference, "success")
    expect(page.locator("h1")).to_have_text(PAID_HEADING)
    assert state_of(pending.order) == "PAID"
    assert complaints == []
    # The page that waited is not left behind in the browser's history.
    page.go_back()
    assert page.url == "about:blank"


def test_a_waiting_page_turns_into_paid_without_javascript(
    browser: Browser, shop: str, pending: Payment, wallet_sandbox: SandboxControl
) -> None:
    with browser.new_context(java_script_enabled=False, locale="en") as context:
        page = context.new_page()
        page.goto(waiting_page(shop, pending))
        expect(page.get_by_role("link", name="Check again")).to_be_visible()
        wallet_sandbox.settle_pending(pending.reference, "success")
        expect(page.locator("h1")).to_have_text(PAID_HEADING)


INJECTIONS = """() => {
  const made = (name, fill) => {
    const element = document.createElement(name)
    fill(element)
    document.body.append(element)
  }
  for (const attempt of [
    () => made("script", (script) => (script.textContent = "window.injected = true")),
    () => made("script", (script) => script.append("window.injected = true")),
    () => made("img", (image) => image.setAttribute("onerror", "window.injected = true")),
    () => document.body.insertAdjacentHTML("beforeend", "<img onerror='window.injected = true'>"),
  ]) {
    try { attempt() } catch {}
  }
  const failed = (image) => new Promise((resolve) => {
    image.addEventListener("error", resolve)
    image.src = "data:,none"
  })
  return Promise.all([...document.images].map(failed)).then(() => window.injected ?? null)
}"""


def test_no_injected_script_runs_and_no_answer_leads_out_of_the_shop(
    page: Page, shop: str, pending: Payment, complaints: list[str]
) -> None:
    page.clock.install()
    answer = {"state": "PAID", "final": True, "next": "https://evil.example/"}
    page.route("**/api/status/**", lambda route: route.fulfill(json=answer))
    page.goto(waiting_page(shop, pending))
    assert page.evaluate(INJECTIONS) is None
    told = " ".join(complaints)
    assert "requires 'TrustedHTML'" in told
    assert "requires 'TrustedScript'" in told
    with page.expect_navigation(url=re.compile(re.escape(shop) + "/wallet/result/")):
        page.clock.fast_forward(3_000)


# A shop that exchanges its pages without loading them does this: other content, whose scripts run once more.
VISIT = "(path) => Turbo.visit(path)"


def test_a_waiting_page_that_was_left_takes_nobody_away_and_the_next_one_asks(
    page: Page,
    shop: str,
    pending: Payment,
    make_order: Callable[..., PaymentOrder],
    wallet_sandbox: SandboxControl,
) -> None:
    other = payments.start_checkout(make_order())
    wallet_sandbox.complete_checkout(other.reference, "pending")
    page.clock.install()
    page.goto(f"{shop}/buy/{pending.order.reference}/")
    bring_turbo(page)
    with page.expect_request("**/api/status/**"):
        page.evaluate(VISIT, address("return", pending, ReturnOutcome.PENDING))
        expect(page.locator("h1")).to_have_text(WAITS)
        page.clock.fast_forward(3_000)
    page.evaluate(VISIT, f"/buy/{pending.order.reference}/")
    expect(page.locator("h1")).to_have_text("Checkout")
    wallet_sandbox.settle_pending(pending.reference, "success")
    page.clock.fast_forward(120_000)
    expect(page.locator("h1")).to_have_text("Checkout")
    page.evaluate(VISIT, address("return", other, ReturnOutcome.PENDING))
    expect(page.locator("h1")).to_have_text(WAITS)
    expect(page.locator("html[aria-busy]")).to_have_count(0)
    assert page.evaluate("window.isOneDocument")
    wallet_sandbox.settle_pending(other.reference, "success")
    page.clock.fast_forward(3_000)
    expect(page.locator("h1")).to_have_text(PAID_HEADING)
