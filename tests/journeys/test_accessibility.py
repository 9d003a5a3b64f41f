"""Every page that a customer of the example shop passes, under axe-core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.axe import violations, violations_in_every_look
from tests.exhaustive import LANGUAGES, one_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.journeys.conftest import NewCustomer
    from tests.journeys.customer import Customer

pytestmark = pytest.mark.browser


def passes_every_page(customer: Customer, outcome: str, look: Callable[[str], None]) -> None:
    """Go from the shelf to the result, and look at each page on the way."""
    customer.page.goto(customer.shop)
    look("shelf")
    customer.page.goto(f"{customer.shop}/products/harbour-mug/")
    look("product")
    customer.page.goto(f"{customer.shop}/cart/")
    look("empty cart")
    customer.takes("harbour-mug")
    look("cart")
    customer.goes_to_the_review()
    look("review")
    customer.places_the_order()
    look("order")
    customer.opens_the_payment_page()
    look("payment page")
    customer.decides(outcome)
    look("result")
    customer.goes_back_to_the_order()
    look("order, afterwards")


@pytest.mark.parametrize(
    ("scheme", "outcome"),
    one_of([("light", "success"), ("dark", "refused"), ("light", "cancelled"), ("dark", "pending")]),
)
def test_axe_finds_nothing_from_the_shelf_to_the_result(
    new_customer: NewCustomer, scheme: str, outcome: str
) -> None:
    customer = new_customer(
        language="ar" if outcome == "success" else "en",
        color_scheme=scheme,
        viewport={"width": 390, "height": 844},
    )
    found: dict[str, list[str]] = {}

    def look(page: str) -> None:
        if faults := violations(customer.page):
            found[page] = faults

    passes_every_page(customer, outcome, look)
    assert found == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_in_any_language_and_look(new_customer: NewCustomer, language: str) -> None:
    customer = new_customer(language=language)
    found: dict[str, list[str]] = {}

    def look(page: str) -> None:
        assert customer.page.locator("html").get_attribute("lang") == language
        if faults := violations_in_every_look(customer.page):
            found[page] = faults

    passes_every_page(customer, "success", look)
    assert found == {}
