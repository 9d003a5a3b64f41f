"""The pages in a real browser: the policy lets them work, nothing spills over, all can be read."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.sandbox.conftest import Pay
from tests.sandbox.looks import complaints, faint, spills
from tests.sandbox.visitor import Visitor
from tests.support.chromium import PATIENCE_MS
from tests.support.exhaustive import LANGUAGES, one_of
from tests.support.local_server import LocalServer

pytestmark = pytest.mark.browser


class Shop(BaseHTTPRequestHandler):
    """Answers at every address with the address, at one of them slowly."""

    def do_GET(self) -> None:
        if self.path == "/slow/":
            time.sleep(2)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(self.path.encode())

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    with LocalServer(Shop) as server:
        yield server.url


def urls_of(shop: str) -> dict[str, str]:
    names = ("return", "success", "pending", "error", "cancel", "refused")
    return {f"{name}Url": f"{shop}/{name}/" for name in names}


@pytest.mark.parametrize("script", one_of([True, False]))
def test_a_press_ends_in_the_shop(
    visitor: Visitor, open_page: Callable[..., Page], shop: str, script: bool
) -> None:
    buttons = {
        "Pay €10.00": "/success/",
        "Stay pending": "/pending/",
        "Be refused": "/refused/",
        "Run into an error": "/error/",
        "Cancel payment": "/cancel/",
        "Back to the shop": "/return/",
    }
    page = open_page(shop, java_script_enabled=script)
    for button, path in buttons.items():
        page.goto(visitor.start_checkout(amount="10.00", changes={"redirectDetails": urls_of(shop)}))
        page.get_by_role("button", name=button).click()
        page.wait_for_url(f"{shop}{path}")
    assert complaints[page] == []


def test_a_second_press_while_the_shop_is_slow_changes_nothing(
    visitor: Visitor, open_page: Callable[..., Page], shop: str
) -> None:
    urls = {**urls_of(shop), "successUrl": f"{shop}/slow/"}
    page = open_page(visitor.start_checkout(amount="10.00", changes={"redirectDetails": urls}))
    refuse = page.get_by_role("button", name="Be refused").bounding_box()
    assert refuse is not None
    with page.expect_request("**/slow/"):
        page.get_by_role("button", name="Pay €10.00").click(no_wait_after=True)
    page.mouse.click(refuse["x"] + 20, refuse["y"] + 20)
    page.wait_for_url(f"{shop}/slow/", timeout=PATIENCE_MS)


def test_the_keyboard_reaches_every_button_in_order(visitor: Visitor, open_page: Callable[..., Page]) -> None:
    page = open_page(visitor.start_checkout(amount="10.00"))
    seen = []
    for _ in range(7):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.value || document.activeElement.className"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert seen == ["skip", "success", "return", "cancelled", "pending", "refused", "error"]


@pytest.mark.exhaustive
def test_the_time_left_runs_down_without_moving_anything(
    visitor: Visitor, open_page: Callable[..., Page]
) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=600)
    still, moving = open_page(link, java_script_enabled=False), open_page(link)
    timer = moving.locator("[data-countdown]")
    first = timer.inner_text()
    assert re.fullmatch(r"Time left \d{1,2}:\d\d", first)
    moving.wait_for_function(
        "text => document.querySelector('[data-countdown]').innerText !== text", arg=first
    )
    for selector in ("[data-countdown]", "button[value=success]", "button[value=error]"):
        assert still.locator(selector).bounding_box() == moving.locator(selector).bounding_box()


@pytest.mark.exhaustive
def test_when_the_time_is_over_only_going_back_is_left(
    visitor: Visitor, open_page: Callable[..., Page]
) -> None:
    link = visitor.start_checkout(redirectUrlTimeout=2)
    page = open_page(link)
    page.wait_for_selector("[data-countdown][data-state=over]")
    assert page.locator("[data-countdown]").inner_text() == "This link has expired"
    enabled = page.locator("button:enabled").evaluate_all("buttons => buttons.map(button => button.value)")
    assert enabled == ["return"]


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_no_language_spills_over_the_edge(
    visitor: Visitor, open_page: Callable[..., Page], language: str
) -> None:
    name = "W" * 60
    page = open_page(
        visitor.start_checkout(
            "KWD", language=language, cardholderFirstName=name, cardholderEmail=f"{name}@shop.example"
        )
    )
    assert page.locator("html").get_attribute("lang") == language
    assert spills(page) == {}
    assert complaints[page] == []


@pytest.mark.exhaustive
def test_every_text_stands_out_from_its_ground(visitor: Visitor, open_page: Callable[..., Page]) -> None:
    link = visitor.start_checkout(skinId="outlet", cardholderFirstName="Grace")
    page = open_page(link)
    assert faint(page) == {}
    visitor.post(link, {"outcome": "success"})
    page.goto(link)
    assert faint(page) == {}


@pytest.fixture
def busy(visitor: Visitor, pay: Pay) -> Visitor:
    for outcome in ("success", "pending", "refused"):
        pay(outcome)
    visitor.control.fault("refund", "delay_after", times=5, seconds=1)
    visitor.control.advance_clock(1000)
    visitor.start_checkout()
    return visitor


def test_the_console_fits_the_screen(busy: Visitor, open_page: Callable[..., Page]) -> None:
    page = open_page(busy.base_url)
    for path in ("/", "/checkouts/", "/accounts/", "/transactions/", "/requests/", "/controls/"):
        page.goto(f"{busy.base_url}{path}")
        assert spills(page) == {}
    assert faint(page) == {}
    assert complaints[page] == []
