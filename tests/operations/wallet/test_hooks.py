"""What a shop's own functions are asked hides the customer, and cannot be changed by them."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

import pytest

from tests.models.rows import an_order
from wallet_gateway.operations.wallet.hooks import SheetQuestion, ShippingOption


@pytest.mark.django_db
def test_a_question_does_not_show_the_address() -> None:
    order = an_order(reference="ORDER-OF-HOOKS")
    question = SheetQuestion(order=order, shipping_address={"locality": "Berlin"})
    assert "Berlin" not in repr(question)
    with pytest.raises(dataclasses.FrozenInstanceError):
        question.shipping_option = "std"  # type: ignore[misc]


def test_an_option_needs_its_price_by_name() -> None:
    assert ShippingOption(id="a", label="A", amount=Decimal("1")).description == ""
    with pytest.raises(TypeError):
        ShippingOption("a", "A", Decimal("1"))  # type: ignore[call-arg]
