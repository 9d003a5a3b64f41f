"""What only a real browser can show: policies it enforces, scripts it runs or does not, forms it posts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Route,
    expect,
)
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.chromium import PATIENCE_MS
from tests.exhaustive import one_of
from tests.waiting import eventually
from tests.web.conftest import address, state_of
from wallet_gateway import payments
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.web.shop_urls"),
]

MakeOrder = Callable[..., PaymentOrder]
PAID = "Your payment went through"


@pytest.fixture
def shop(live_server: LiveServer, wallet_sandbox: SandboxControl, settings: Settings) -> str:
    """The address of a shop that the sandbox sends its customers back to."""
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"PUBLIC_ORIGIN": live_server.url}
    return live_server.url


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained about."""
    return []


@pytest.fixture
def context(browser: Browser, complaints: list[str]) -> Iterator[BrowserContext]:
    """A customer's browser, as new; whatever it complains about is collected."""

    def comment(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and "favicon" not in message.location.get("url", ""):
            complaints.append(message.text)

    with browser.new_context(locale="en") as context:
        context.on("console", comment)
        context.on("weberror", lambda fault: complaints.append(str(fault.error)))
        context.set_default_timeout(PATIENCE_MS)
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """One tab."""
    return context.new_page()


def _decide(page: Page, outcome: str) -> None:
    page.locator(f"button[name=outcome][value={outcome}]").click()


def _heading(page: Page) -> str:
    return page.locator("h1").inner_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("outcome", "heading"),
    one_of(
        [
            ("success", PAID),
            ("pending", "We are checking your payment"),
            ("refused", "Your payment was refused"),
            ("cancelled", "You cancelled the payment"),
            ("error", "Your payment did not go through"),
            ("return", "Your payment is not finished"),
        ]
    ),
)
def test_a_customer_pays_and_comes_back(
    page: Page, shop: str, make_order: MakeOrder, complaints: list[str], outcome: str, heading: str
) -> None:
    order = make_order()
    page.goto(f"{shop}/buy/{order.reference}/")
    page.get_by_role("button", name="Pay with your wallet").click()
    _decide(page, outcome)
    expect(page).to_have_url(re.compile("/wallet/result/"))
    expect(page.locator("h1")).to_have_text(heading)
    assert complaints == []


@pytest.fixture
def pending(shop: str, wallet_sandbox: SandboxControl, make_order: MakeOrder) -> Payment:
    """An attempt that the gateway holds as pending."""
    attempt = payments.start_checkout(make_order())
    wallet_sandbox.complete_checkout(attempt.reference, "pending")
    return attempt


def test_a_waiting_page_turns_into_paid_by_itself(
    page: Page, shop: str, pending: Payment, wallet_sandbox: SandboxControl, complaints: list[str]
) -> None:
    page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
    expect(page.locator("h1")).to_have_text("We are checking your payment")
    wallet_sandbox.settle_pending(pending.reference, "success")
    expect(page.locator("h1")).to_have_text(PAID)
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
        page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
        assert _heading(page) == "We are checking your payment"
        expect(page.get_by_role("link", name="Check again")).to_be_visible()
        wallet_sandbox.settle_pending(pending.reference, "success")
        expect(page.locator("h1")).to_have_text(PAID)


def _answer(page: Page, body: dict[str, object] | None, status: int = 200) -> list[str]:
    """Let the poll be answered with this, or not at all; return the list of polls that were made."""
    polls: list[str] = []

    def reply(route: Route) -> None:
        polls.append(route.request.url)
        if body is None:
            route.abort()
        else:
            route.fulfill(status=status, json=body)

    page.route("**/api/status/**", reply)
    return polls


def _stop_the_clock(page: Page) -> None:
    """Let the page's time stand still but for what it is told, and count what the page does in it."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.add_init_script(
        """window.asked = window.armed = 0
        const [ask, arm] = [window.fetch, window.setTimeout]
        window.fetch = (...given) => { window.asked += 1; return ask(...given) }
        window.setTimeout = (...given) => { window.armed += 1; return arm(...given) }"""
    )


def _wait_until_it_waits(page: Page) -> None:
    """Wait until the page has set its clock for the next question: every one before is answered then."""
    # Playwright's own waiting needs `eval`, which the page's policy forbids.
    assert eventually(lambda: bool(page.evaluate("window.armed > window.asked")))


@pytest.mark.exhaustive
def test_a_page_that_cannot_reach_the_shop_says_so_and_keeps_asking(
    page: Page, shop: str, pending: Payment, wallet_sandbox: SandboxControl
) -> None:
    _stop_the_clock(page)
    _answer(page, None)
    page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
    page.clock.run_for(2_500)
    expect(page.get_by_role("status")).to_have_text("We cannot reach the shop right now. We keep trying.")
    page.unroute("**/api/status/**")
    page.clock.run_for(4_500)
    expect(page.get_by_role("status")).to_be_empty()
    wallet_sandbox.settle_pending(pending.reference, "success")
    # The shop asks the gateway no oftener than this, whatever the page's clock says.
    page.wait_for_timeout(2_100)
    page.clock.run_for(8_500)
    expect(page.locator("h1")).to_have_text(PAID)


@pytest.mark.exhaustive
def test_the_page_asks_ever_more_seldom(page: Page, shop: str, pending: Payment) -> None:
    _stop_the_clock(page)
    polls = _answer(page, {"state": "PENDING", "final": False, "next": "/"})
    page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
    made = []
    for seconds in (1, 1, 3, 1, 7, 1, 15, 1, 31, 1, 59, 1, 59, 1):
        page.clock.run_for(seconds * 1000)
        _wait_until_it_waits(page)
        made.append(len(polls))
    assert made == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]


@pytest.mark.parametrize(
    "url", one_of(["https://evil.example/", "//evil.example/", "javascript:alert(1)", "data:text/html,x"])
)
def test_the_page_follows_no_answer_out_of_the_shop(
    page: Page, shop: str, pending: Payment, url: str
) -> None:
    _answer(page, {"state": "PAID", "final": True, "next": url})
    page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
    with page.expect_navigation(url=re.compile(re.escape(shop) + "/wallet/result/")):
        pass


def test_the_policy_of_a_page_keeps_injected_script_from_running(
    page: Page, shop: str, pending: Payment, complaints: list[str]
) -> None:
    page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
    page.evaluate(
        """() => {
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
          for (const image of document.images) image.src = "data:,none"
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.injected") is None
    told = " ".join(complaints)
    assert "requires 'TrustedHTML'" in told
    assert "requires 'TrustedScript'" in told


# By turns on a narrow, a middling and a wide screen, and then on the others.
@pytest.mark.parametrize(("language", "width"), one_of([("ar", 320), ("de", 390), ("en", 1280)]))
def test_nothing_sticks_out_and_nothing_moves(
    browser: Browser, shop: str, pending: Payment, width: int, language: str
) -> None:
    with browser.new_context(viewport={"width": width, "height": 800}, locale=language) as context:
        page = context.new_page()
        page.add_init_script(
            """window.shift = 0
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries()) window.shift += entry.value
            }).observe({ type: "layout-shift", buffered: true })"""
        )
        page.goto(shop + address("return", pending, ReturnOutcome.PENDING))
        page.get_by_role("status").evaluate("(news) => { news.textContent = 'News' }")
        page.wait_for_timeout(300)
        assert page.evaluate("window.shift") == 0
        for any_width in (320, 390, 1280):
            page.set_viewport_size({"width": any_width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= any_width
