"""The goods on an order's page: each line with quantity, price and tax, and the sums down to the total."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.test import Client

from tests.admin.conftest import order_url
from tests.admin.scenery import CONTENT
from tests.models.rows import an_order
from wallet_gateway.admin.order_goods import MAX_LINES, goods_of

pytestmark = pytest.mark.django_db


def with_items(*items: Mapping[str, object]) -> dict[str, object]:
    return {"shoppingCartDetails": {"itemDetails": list(items)}}


def test_a_line_has_quantity_unit_price_tax_discount_and_sum() -> None:
    goods = goods_of(an_order(content=CONTENT))
    assert goods is not None
    line = goods.lines[0]
    assert (line.name, line.product_id, line.quantity) == ("Garden gloves", "SKU-1", "2")
    assert [line.unit, line.tax, line.tax_rate] == ["€7.00", "€2.08", "19%"]
    assert [line.discount_name, line.discount, line.total] == ["Spring", "\N{MINUS SIGN}€1.00", "€13.00"]


def test_the_sums_lead_from_the_lines_to_the_total() -> None:
    goods = goods_of(an_order(content=CONTENT))
    assert goods is not None
    assert [(str(label), amount) for label, amount in goods.sums] == [
        ("By post", "€4.90"),
        ("Gift card", "\N{MINUS SIGN}€10.00"),
        ("Tax, contained in the total", "€2.35"),
    ]
    assert goods.total == "€20.00"


def test_an_amount_that_cannot_be_read_is_shown_as_it_is_stored() -> None:
    goods = goods_of(an_order(content=with_items({"unitAmount": "1,50\u202e"})))
    assert goods is not None
    assert goods.lines[0].unit == "1,50\\u202e"


def test_a_very_long_cart_is_cut_and_says_how_much_is_missing(onlooker: Client) -> None:
    order = an_order(content=with_items(*[{"productName": "Seeds"}] * (MAX_LINES + 2)))
    page = onlooker.get(order_url(order)).content.decode()
    assert page.count("Seeds") == MAX_LINES
    assert "2 more lines are not shown." in page
