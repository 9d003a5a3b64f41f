"""Every page of this app in a browser: under axe, in the dark, from right to left, with less movement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.template.loader import get_template
from django.test import RequestFactory
from django.utils import timezone, translation

from tests.support.axe import violations, violations_in_the_dark
from tests.support.still_pages import show
from tests.web.page_reader import Page as Source
from tests.web.page_reader import assert_nothing_inline
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.web.pages import PageKind, ResultPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

EVERY_PAGE = [*PageKind, "unavailable", "link_unknown"]
IN_THE_DARK = [PageKind.PAY, PageKind.PAID, PageKind.PENDING, PageKind.REFUSED]
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
    kind = PageKind(name) if name in set(PageKind) else PageKind.FAILED
    context = {"order": order, "page": ResultPage(kind=kind, order=order, token="t0ken")}
    return get_template(f"wallet_gateway/{name}.html").render(context, RequestFactory().get("/"))


def test_axe_finds_nothing_on_any_page_light_or_dark_and_none_spills_over_a_narrow_screen(page: Page) -> None:
    found: dict[str, list[str]] = {}
    for name in EVERY_PAGE:
        assert_nothing_inline(Source(rendered(name)))
        page.set_viewport_size({"width": 1280, "height": 844})
        show(page, rendered(name))
        found[str(name)] = violations(page)
        if name in IN_THE_DARK:
            found[str(name)] += violations_in_the_dark(page)
        page.set_viewport_size({"width": 320, "height": 844})
        if page.evaluate(SPILLS):
            found[str(name)].append("stands out over the edge")
    assert {name: seen for name, seen in found.items() if seen} == {}


def test_read_from_right_to_left_every_box_of_a_page_stands_on_the_other_side(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for name in (PageKind.PAY, PageKind.PAID, PageKind.PENDING, PageKind.UNDECIDED):
        show(page, rendered(name))
        left_to_right = page.evaluate(BOXES)
        page.evaluate("document.dir = 'rtl'")
        assert page.evaluate(BOXES) == left_to_right, name
    with translation.override("ar"):
        show(page, rendered(PageKind.PAID))
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
    show(page, rendered(PageKind.PENDING))
    assert page.evaluate(MOVING) == moving
