"""One price for sheet, snapshot and authorization, whatever the shop's own function answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import MUG, MakeContext, MakeOrder
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.operations.wallet.hooks import (
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)
from wallet_gateway.operations.wallet.pricing import (
    NOTHING_CHOSEN,
    choices_in,
    price_sheet,
    region_of,
    snapshot_of,
)
from wallet_gateway.protocol.cart import Discount, Shipping

pytestmark = pytest.mark.django_db
STANDARD = ShippingOption(id="std", label="Standard", amount=Decimal("5.00"))
EXPRESS = ShippingOption(id="express", label="Express", amount=Decimal("12.50"), description="tomorrow")


def test_without_a_pricing_function_an_order_costs_what_it_costs(
    make_order: MakeOrder, make_context: MakeContext
) -> None:
    order = make_order(
        items=(MUG,),
        shipping=Shipping(name="Post", amount=Decimal("4.00")),
        discounts=(Discount(name="Spring", amount=Decimal("1.00")),),
    )
    price = price_sheet(order, NOTHING_CHOSEN, context=make_context())
    assert price.total == order.amount
    assert price.display_items == (
        ("Mug", "LINE_ITEM", "20.00"),
        ("Post", "LINE_ITEM", "4.00"),
        ("Spring", "LINE_ITEM", "-1.00"),
    )
    assert sum(Decimal(line[2]) for line in price.display_items) == order.amount.amount


def test_an_order_of_a_bare_amount_is_one_line(make_order: MakeOrder, make_context: MakeContext) -> None:
    order = make_order(items=(), amount=Decimal("7.00"), order_number="No. 7")
    price = price_sheet(order, NOTHING_CHOSEN, context=make_context())
    assert price.display_items == (("No. 7", "SUBTOTAL", "7.00"),)


@pytest.mark.parametrize(
    ("wanted", "total", "selected"),
    [(None, 3250, "express"), ("std", 2500, "std"), ("no such", 3250, "express")],
)
def test_the_chosen_way_of_shipping_is_added(
    wanted: str | None, total: int, selected: str, make_order: MakeOrder, make_context: MakeContext
) -> None:
    asked: list[SheetQuestion] = []

    def pricing(question: SheetQuestion) -> SheetPricing:
        asked.append(question)
        return SheetPricing(options=(STANDARD, EXPRESS), selected_option="express")

    order, chosen = make_order(), {**NOTHING_CHOSEN, "option": wanted, "offers": ["X"]}
    price = price_sheet(order, chosen, context=make_context(price=pricing))
    assert (price.total.minor_units, price.selected_option) == (total, selected)
    assert asked[0].offers == ("X",)
    assert snapshot_of(price, chosen)["total"] == total
    assert choices_in(snapshot_of(price, chosen)) == {"address": None, "option": selected, "offers": ["X"]}


def test_a_code_takes_something_off(make_order: MakeOrder, make_context: MakeContext) -> None:
    off = SheetDiscount(label="Half price", amount=Decimal("10.00"), code="HALF")
    shop = make_context(price=lambda question: SheetPricing(discounts=(off,)))
    price = price_sheet(make_order(), NOTHING_CHOSEN, context=shop)
    assert price.total.minor_units == 1000
    assert price.display_items[-1] == ("Half price", "LINE_ITEM", "-10.00")
    assert price.offers == (("HALF", "Half price"),)


def test_a_fault_leaves_the_price_alone(make_order: MakeOrder, make_context: MakeContext) -> None:
    fault = SheetFault(
        intent="SHIPPING_ADDRESS", reason="SHIPPING_ADDRESS_UNSERVICEABLE", message="Not there"
    )
    shop = make_context(price=lambda question: SheetPricing(errors=(fault,), options=(EXPRESS,)))
    price = price_sheet(make_order(), NOTHING_CHOSEN, context=shop)
    assert price.total.minor_units == 2000
    assert price.errors == (fault,)


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
