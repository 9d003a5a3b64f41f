"""An argument of a wrong type is refused with what came and what to pass."""

from __future__ import annotations

from django.utils.functional import SimpleLazyObject

from tests.tables import every
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.argument_types import (
    EXPECTED,
    check_order,
    lines_of,
    not_a_text,
)
from wallet_gateway.protocol.cart import Discount
from wallet_gateway.protocol.errors import FieldError


def test_an_order_passes_even_a_lazy_one() -> None:
    check_order(PaymentOrder(pk=1))
    check_order(SimpleLazyObject(lambda: PaymentOrder(pk=1)))


def test_every_class_says_where_to_get_one() -> None:
    values = {int: "whole number", str: "text"}
    assert all(values.get(kind, kind.__name__) in expected for kind, expected in EXPECTED.items())


def test_a_number_is_shown_without_the_digits_of_a_card_and_however_long_it_is() -> None:
    assert "411111111111" not in not_a_text(4111111111111111)
    assert "a number of many digits" in not_a_text(10**5000)


@every(
    ("given", "faults"),
    [
        (None, []),
        ([], []),
        (Discount(name="x", amount=1), ["is one Discount; give a list: discounts=[Discount(…)]"]),  # type: ignore[arg-type]
        ("x", ["must be a list of Discount, not str"]),
        ({"name": "x"}, ["must be a list of Discount, not dict"]),
        (7, ["must be a list of Discount, not int"]),
        ([{"name": "x"}], ["must be a Discount, not dict: write Discount(**…)"]),
        ([None], ["must be a Discount, not None"]),
    ],
)
def test_lines_are_a_list_of_their_class(given: object, faults: list[str]) -> None:
    found: list[FieldError] = []
    assert lines_of("discounts", given, Discount, found) == (tuple(given) if isinstance(given, list) else ())
    assert [fault.message for fault in found] == faults


def test_lines_of_a_generator_are_read_once() -> None:
    lines = (Discount(name=name, amount=1) for name in "ab")  # type: ignore[arg-type]
    assert [line.name for line in lines_of("discounts", lines, Discount, [])] == ["a", "b"]
