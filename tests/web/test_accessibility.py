"""Every page of this app in a browser: under axe, in the dark, from right to left, with less movement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.template.loader import get_template
from django.test import RequestFactory
from django.utils import timezone, translation

import wallet_gateway
from tests.support.axe import violations, violations_in_the_dark
from tests.support.still_pages import show
from tests.web.page_reader import Page as Source
from tests.web.page_reader import assert_nothing_inline
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

FOLDER = Path(wallet_gateway.__file__).parent / "templates" / "wallet_gateway"
PARTS = {"base", "page", "checkout_button", "wallet_button"}
"""What other templates extend or include, as those do whose name begins with an underscore."""
EVERY_PAGE = sorted({file.stem for file in FOLDER.glob("[!_]*.html")} - PARTS)
IN_THE_DARK = ["pay", "paid", "pending", "refused"]
"""A page of each colour, and the one with the button."""
SPILLS = "document.documentElement.scrollWidth > innerWidth"
# What turns or moves by itself, or under a finger.
MOVING = """() => document.getAnimations({subtree: true}).length"""
# Where each box is, from the side at which a line begins.
BOXES = """() => [...document.querySelectorAll("body *:not(svg *)")]
  .filter((each) => each.checkVisibility() && !getComputedStyle(each).display.startsWith("inline"))
  .map((each) => {
    const { left, right, top, width } = each.getBoundingClientRect()
    const begins = document.dir === "rtl" ? innerWidth - right : left
    return [each.tagName, each.className.baseVal ?? each.className, ...[begins, top, width].map(Math.round)]
  })"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One tab for all pages."""
    with browser.new_context(color_scheme="light", viewport={"width": 1280, "height": 844}) as context:
        yield context.new_page()


def rendered(name: str) -> str:
    """A page about an order that nobody has stored."""
    now = timezone.now()
    order = PaymentOrder(
        reference="SHOP-1",
        order_number="A-1001",
        currency="EUR",
        amount_minor=2490,
        state=OrderState.OPEN,
        token="t0ken",
        created_at=now,
        updated_at=now,
    )
    links = {"result_url": "/wallet/result/t0ken/", "status_url": "/wallet/api/status/t0ken/"}
    context = {"order": order, "page": {"kind": name, "order": order, "offers_payment": True, **links}}
    return get_template(f"wallet_gateway/{name}.html").render(context, RequestFactory().get("/"))


def test_axe_finds_nothing_on_any_page_light_or_dark_and_none_spills_over_a_narrow_screen(page: Page) -> None:
    assert len(EVERY_PAGE) > 20
    found: dict[str, list[str]] = {}
    for name in EVERY_PAGE:
        assert_nothing_inline(Source(rendered(name)))
        page.set_viewport_size({"width": 1280, "height": 844})
        show(page, rendered(name))
        found[name] = violations(page)
        if name in IN_THE_DARK:
            found[name] += violations_in_the_dark(page)
        page.set_viewport_size({"width": 320, "height": 844})
        if page.evaluate(SPILLS):
            found[name].append("stands out over the edge")
    assert {name: seen for name, seen in found.items() if seen} == {}


def test_read_from_right_to_left_every_box_of_a_page_stands_on_the_other_side(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for name in ("pay", "paid", "pending", "undecided"):
        show(page, rendered(name))
        left_to_right = page.evaluate(BOXES)
        page.evaluate("document.dir = 'rtl'")
        assert page.evaluate(BOXES) == left_to_right, name
    with translation.override("ar"):
        show(page, rendered("paid"))
    assert page.evaluate("document.dir") == "rtl"
    assert not page.evaluate(SPILLS)


@pytest.mark.parametrize(
    ("motion", "moving"),
    [pytest.param("no-preference", 1, id="the ring turns"), pytest.param("reduce", 0, id="nothing moves")],
)
def test_a_waiting_page_turns_its_ring_only_for_who_does_not_mind_movement(
    page: Page, motion: str, moving: int
) -> None:
    page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
    show(page, rendered("pending"))
    assert page.evaluate(MOVING) == moving
