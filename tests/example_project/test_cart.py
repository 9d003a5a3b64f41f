"""The cart: what is put in, changed and taken out, and what the visitor is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from example_project.shop.cart import Cart
from example_project.shop.models import Product

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

    from tests.example_project.conftest import Visitor


def told(answer: Answer) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def quantities(client: Client) -> dict[str, int]:
    return {line.product.slug: line.quantity for line in Cart(client.session).lines()}


def test_adding_twice_adds_up(visitor: Visitor, client: Client) -> None:
    visitor.add("harbour-mug", 2)
    visitor.add("harbour-mug")

    assert quantities(client) == {"harbour-mug": 3}


def test_zero_takes_the_line_out_and_leaves_the_others(visitor: Visitor, client: Client) -> None:
    visitor.add("harbour-mug")
    visitor.add("tide-bowl")
    answer = visitor.change("harbour-mug", 0)

    assert quantities(client) == {"tide-bowl": 1}
    assert told(answer)[-1] == "Harbour mug is no longer in your cart."


def test_no_more_than_there_is_can_be_put_in(visitor: Visitor, client: Client) -> None:
    answer = visitor.add("lichen-ink", 9)

    assert quantities(client) == {"lichen-ink": 3}
    assert told(answer) == ["Lichen ink: 3 in your cart, more we cannot promise."]


@pytest.mark.parametrize("quantity", ["", "x", "-1", "1.5", "100", "1e1"])
def test_a_quantity_that_is_no_small_number_is_refused_by_name(
    visitor: Visitor, client: Client, quantity: str
) -> None:
    answer = visitor.add("harbour-mug", quantity)

    assert quantities(client) == {}
    assert told(answer) == ["Please give a whole number from 0 to 99 as the quantity of Harbour mug."]


def test_a_sold_out_product_stays_on_the_shelf(visitor: Visitor, client: Client) -> None:
    Product.objects.filter(slug="harbour-mug").update(stock=0)
    visitor.add("harbour-mug")

    assert quantities(client) == {}


def test_a_product_that_is_no_longer_sold_leaves_the_cart(visitor: Visitor, client: Client) -> None:
    visitor.add("harbour-mug")
    visitor.add("tide-bowl")
    Product.objects.filter(slug="harbour-mug").delete()

    assert quantities(client) == {"tide-bowl": 1}
    assert client.get(reverse("shop:cart")).status_code == 200
