"""One price for sheet, snapshot and authorization, whatever the shop's own function answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, MakeOrder
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.operations.wallet.hooks import (
    SheetDiscount,
    SheetPricing,
    ShippingOption,
)
from wallet_gateway.operations.wallet.pricing import (
    NOTHING_CHOSEN,
    price_sheet,
    region_of,
)

pytestmark = pytest.mark.django_db


def test_an_order_of_a_bare_amount_is_one_line(make_order: MakeOrder, make_context: MakeContext) -> None:
    order = make_order(items=(), amount=Decimal("7.00"), order_number="No. 7")
    price = price_sheet(order, NOTHING_CHOSEN, context=make_context())
    assert price.display_items == (("No. 7", "SUBTOTAL", "7.00"),)


BAD: list[Any] = [
    None,
    {"options": []},
    SheetPricing(options=(ShippingOption(id="a", label="A", amount=5),)),  # type: ignore[arg-type]
    SheetPricing(options=(ShippingOption(id="a", label="A", amount=Decimal("-1")),)),
    SheetPricing(options=(ShippingOption(id="a", label="A", amount=Decimal("1.005")),)),
    SheetPricing(options=(ShippingOption(id="a", label="A", amount=Decimal("NaN")),)),
    SheetPricing(discounts=(SheetDiscount(label="All", amount=Decimal("20.00")),)),
    SheetPricing(discounts=(SheetDiscount(label="More", amount=Decimal("99.00")),)),
]


@pytest.mark.parametrize("answer", BAD)
def test_an_answer_that_is_no_price_is_the_shops_fault_and_is_said(
    answer: Any,  # noqa: ANN401
    make_order: MakeOrder,
    make_context: MakeContext,
) -> None:
    with pytest.raises(OperationError):
        price_sheet(make_order(), NOTHING_CHOSEN, context=make_context(price=lambda question: answer))


def test_of_an_address_only_the_region_is_kept() -> None:
    address = {"name": "Ada", "address1": "Street 1", "countryCode": "DE", "postalCode": "1" * 999}
    assert region_of(address) == {"countryCode": "DE", "postalCode": "1" * 255}
    assert region_of(None) is None
