"""A shop's lines become items through its own door, and an order of exactly its total."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal

import pytest

from wallet_gateway import payments
from wallet_gateway.payments.errors import ErrorCode, InvalidInput
from wallet_gateway.payments.prices import PriceLine, items_from

APPLES = PriceLine(
    product_id="APPLE",
    product_name="Apples",
    price=Decimal("2.4900"),
    quantity=Decimal("1.25"),
    unit="kg",
    tax_rate=Decimal(7),
)
MUGS = PriceLine(
    product_id="MUG", product_name="Mug", price=Decimal("10.00"), quantity=3, tax_rate=Decimal(19)
)


def lines() -> Iterator[PriceLine]:
    yield APPLES
    yield MUGS


@pytest.mark.django_db
@pytest.mark.every_database
def test_an_order_of_the_items_is_stored_with_the_shops_own_total() -> None:
    total = Decimal("39.03")  # 3.11 and 0.22 of tax, 30.00 and 5.70
    items = items_from(lines(), currency="EUR", total=total, prices_include_tax=False)
    order = payments.create_order(reference="PRICES", currency="EUR", items=items, amount=total)
    cart = order.content["shoppingCartDetails"]
    assert (order.amount_minor, cart["totalTaxAmount"]) == (3903, "5.92")
    assert [(line["productName"], line["productQuantity"]) for line in cart["itemDetails"]] == [
        ("1.25 kg x Apples", 1),
        ("Mug", 3),
    ]


def test_every_rule_of_a_shop_counts() -> None:
    half = PriceLine(product_id="A", product_name="A", price=Decimal("0.25"), tax_rate=Decimal(10))

    def tax(total: str, **rules: str) -> list[Decimal | None]:
        given = items_from(
            [half, half], currency="EUR", total=Decimal(total), prices_include_tax=False, **rules
        )
        return [item.total_tax_amount for item in given]

    assert tax("0.56") == [Decimal("0.03"), Decimal("0.03")]
    assert tax("0.54", rounding=ROUND_HALF_EVEN) == [Decimal("0.02"), Decimal("0.02")]
    assert tax("0.55", round_per="order") == [Decimal("0.03"), Decimal("0.02")]


def test_another_total_is_refused_as_an_error_of_the_public_api() -> None:
    with pytest.raises(InvalidInput) as caught:
        items_from(lines(), currency="EUR", total=Decimal("39.04"), prices_include_tax=False)
    assert caught.value.code is ErrorCode.FIELDS_INVALID
    assert [fault.path for fault in caught.value.errors] == ["total"]
    assert "the lines come to 39.03 EUR" in str(caught.value)
