"""Every page that a customer of the example shop passes, under axe-core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.axe import violations
from tests.exhaustive import one_of

if TYPE_CHECKING:
    from tests.journeys.conftest import NewCustomer
    from tests.journeys.customer import Customer

pytestmark = pytest.mark.browser


def look(customer: Customer, found: dict[str, list[str]], page: str) -> None:
    """Note what axe finds on the page that is open."""
    if faults := violations(customer.page):
        found[page] = faults


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
    customer.page.goto(customer.shop)
    look(customer, found, "shelf")
    customer.page.goto(f"{customer.shop}/products/harbour-mug/")
    look(customer, found, "product")
    customer.page.goto(f"{customer.shop}/cart/")
    look(customer, found, "empty cart")
    customer.takes("harbour-mug")
    look(customer, found, "cart")
    customer.goes_to_the_review()
    look(customer, found, "review")
    customer.places_the_order()
    look(customer, found, "order")
    customer.opens_the_payment_page()
    look(customer, found, "payment page")
    customer.decides(outcome)
    look(customer, found, "result")
    customer.goes_back_to_the_order()
    look(customer, found, "order, afterwards")
    assert found == {}
