"""What the wallet's sheet adds to an order of the shop, and takes off."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from example_project.shop.models import Order
from example_project.shop.sheet_pricing import price_sheet
from wallet_gateway import payments
from wallet_gateway.payments.wallet import SheetPricing, SheetQuestion

if TYPE_CHECKING:
    from tests.example_project.conftest import Visitor


def ask(order: Order, *, country: str = "", **chosen: Any) -> SheetPricing:
    address = {"countryCode": country} if country else None
    question = SheetQuestion(order=payments.get_order(order.number), shipping_address=address, **chosen)
    return price_sheet(question)


def amounts(answer: SheetPricing) -> dict[str, str]:
    return {option.id: str(option.amount) for option in answer.options}


@pytest.fixture
def order(visitor: Visitor) -> Order:
    return visitor.order()


def test_the_ordered_way_costs_nothing_more_and_a_dearer_one_the_difference(order: Order) -> None:
    Order.objects.update(sheet={"shipping": True})

    answer = ask(order)

    assert amounts(answer) == {"post": "0.00", "courier": "5.00"}
    assert [option.label for option in answer.options] == ["Post, as ordered", "Courier instead"]


def test_abroad_costs_one_stamp_more(order: Order) -> None:
    Order.objects.update(sheet={"shipping": True})

    assert amounts(ask(order, country="FR")) == {"post": "4.90", "courier": "9.90"}


def test_outside_europe_nothing_is_delivered(order: Order) -> None:
    Order.objects.update(sheet={"shipping": True})
    (fault,) = ask(order, country="US").errors

    assert (fault.intent, fault.reason) == ("SHIPPING_ADDRESS", "SHIPPING_ADDRESS_UNSERVICEABLE")


@pytest.mark.parametrize(
    ("code", "amount"), [("LARK10", "2.40"), ("lark10", "2.40"), ("THANKYOU", "5.00")], ids=str
)
def test_a_code_forgotten_at_the_review_counts_on_the_sheet(order: Order, code: str, amount: str) -> None:
    (discount,) = ask(order, offers=(code,)).discounts

    assert (discount.code, discount.amount) == (code, Decimal(amount))


@pytest.mark.parametrize("codes", [("SWALLOW",), ("LARK10", "THANKYOU")])
def test_a_wrong_code_and_a_second_one_are_refused_in_words(order: Order, codes: tuple[str, ...]) -> None:
    (fault,) = ask(order, offers=codes).errors

    assert (fault.intent, fault.reason) == ("OFFER", "OFFER_INVALID")
    assert fault.message


def test_an_order_that_had_its_code_gets_no_other(visitor: Visitor) -> None:
    assert ask(visitor.order(code="LARK10"), offers=("THANKYOU",)).errors


@pytest.mark.parametrize("sheet", [{}, {"shipping": False}, {"shipping": True, "prices_open": False}])
def test_without_the_choice_there_are_no_ways_to_ship(order: Order, sheet: dict[str, Any]) -> None:
    Order.objects.update(sheet=sheet)

    assert ask(order).options == ()


def test_an_order_that_is_not_the_shops_costs_what_it_costs(order: Order) -> None:
    payments.create_order(reference="elsewhere", currency="EUR", amount=payments.Money.parse("1", "EUR"))
    question = SheetQuestion(order=payments.get_order("elsewhere"), offers=("LARK10",))

    assert price_sheet(question) == SheetPricing()
