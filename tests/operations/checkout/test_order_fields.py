"""What an order's arguments may be where the protocol has no rule of its own."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from tests.operations.conftest import MUG
from wallet_gateway.operations.checkout.order_fields import (
    too_long_names,
    wrong_reference,
    wrong_texts,
)
from wallet_gateway.protocol.cart import Discount
from wallet_gateway.protocol.errors import FieldError


def test_a_wrong_reference_is_quoted_without_a_card_number() -> None:
    (fault,) = wrong_reference("4111 1111 1111 1111")
    assert "4111 1111 1111" not in fault.message
    assert fault.message.startswith("must be 1 to 64 visible ASCII characters without blanks, not '")


def test_texts_are_limited_as_their_columns() -> None:
    assert list(wrong_texts(order_number="x" * 127, language=None, continue_url="/" * 500)) == []
    faults = list(wrong_texts(order_number="x" * 128, language=7, continue_url="a\0"))
    assert [fault.path for fault in faults] == ["order_number", "language", "continue_url"]


def lines(**given: Any) -> list[FieldError]:
    return list(too_long_names(given.get("items", ()), given.get("shipping"), given.get("discounts", ())))


def test_the_longest_texts_are_taken() -> None:
    whole = replace(MUG, product_name="x" * 255, product_description="x" * 2000)
    assert lines(items=[whole], discounts=[Discount(name="x" * 255, amount=Decimal(1))]) == []
