"""The journeys once in WebKit and in Firefox, where they are installed; all other tests drive Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.journeys.live_shop import LiveShop
from tests.webdriver import Missing, Tab, firefox, webkit

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

PAID = "Your payment went through"
BUTTON = ".wallet-button__place button"
SHEET = "dialog iframe"


@pytest.fixture(scope="module", params=[webkit, firefox], ids=["webkit", "firefox"])
def tab(request: pytest.FixtureRequest) -> Iterator[Tab]:
    """The only tab of one of the browsers."""
    try:
        with request.param() as tab:
            yield tab
    except Missing as missing:
        pytest.skip(f"*** NO {request.node.name.upper()}: ITS JOURNEYS DID NOT RUN. *** {missing}")


@pytest.fixture
def order(tab: Tab, live_shop: LiveShop) -> Iterator[str]:
    """The page of an order that has just been placed."""
    address = live_shop.places_an_order()
    tab.goto(address)
    yield address
    tab.leaves_frames()


def goes_to_the_payment_page(tab: Tab) -> None:
    tab.clicks(".wallet-checkout__button")
    tab.waits_for_page("/checkout/")


def decides(tab: Tab, outcome: str) -> None:
    tab.clicks(f"button[name=outcome][value={outcome}]")
    tab.waits_for_page("/wallet/result/")


def opens_the_sheet(tab: Tab) -> None:
    tab.clicks(BUTTON)
    tab.enters(SHEET)
    tab.waits_for(lambda: tab.has("[data-sheet][aria-busy=false]"), "the sheet does not settle")
    tab.waits_for(lambda: tab.has("[data-pay][aria-disabled=false]"), "the sheet cannot be paid on")


def test_a_customer_finds_a_product_and_pays_on_the_hosted_page(tab: Tab, live_shop: LiveShop) -> None:
    tab.goto(f"{live_shop.url}/products/harbour-mug/")
    tab.clicks(".buy button")
    tab.waits_for_page("/cart/")
    tab.clicks(".sums .button")
    tab.clicks("button[value=example]")
    tab.waits_for_page("/checkout/")
    tab.clicks("button[value=place]")
    tab.waits_for_page("/orders/")
    address = tab.url
    goes_to_the_payment_page(tab)
    decides(tab, "success")
    tab.waits_for_text("h1", PAID)
    tab.goto(address)
    tab.waits_for_text("#standing-heading", "Paid, thank you")


@pytest.mark.parametrize(
    ("outcome", "heading", "standing"),
    [
        ("pending", "We are checking your payment", "Payment pending"),
        ("refused", "Your payment was refused", "Not paid"),
        ("cancelled", "You cancelled the payment", "Not paid"),
    ],
)
def test_any_other_end_of_the_payment_page_is_told_as_it_is(
    tab: Tab, order: str, outcome: str, heading: str, standing: str
) -> None:
    goes_to_the_payment_page(tab)
    decides(tab, outcome)
    tab.waits_for_text("h1", heading)
    tab.goto(order)
    tab.waits_for_text("#standing-heading", standing)


def test_a_customer_pays_with_the_button_in_the_wallets_sheet(tab: Tab, order: str) -> None:
    opens_the_sheet(tab)
    tab.clicks("[data-pay]")
    tab.leaves_frames()
    tab.waits_for_page("/wallet/result/")
    tab.waits_for_text("h1", PAID)
    tab.goto(order)
    tab.waits_for_text("#standing-heading", "Paid, thank you")
