"""An argument of a wrong type is refused with what came and what to pass."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.utils.functional import SimpleLazyObject

from tests.refusals import refuses
from tests.tables import every
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.argument_types import (
    EXPECTED,
    check_list,
    check_order,
    check_text,
    check_type,
    lines_of,
    not_a_text,
)
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.protocol.cart import Discount
from wallet_gateway.protocol.errors import FieldError


@every(
    ("given", "name"),
    [("ORDER-1", "str"), (None, "None"), (17, "int"), (SimpleNamespace(), "SimpleNamespace")],
)
def test_what_is_no_order_is_named_by_its_type(given: object, name: str) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_TYPE, argument="order", given=name):
        check_order(given)


def test_an_order_passes_even_a_lazy_one() -> None:
    check_order(PaymentOrder(pk=1))
    check_order(SimpleLazyObject(lambda: PaymentOrder(pk=1)))


def test_an_order_that_is_not_stored_is_none() -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_TYPE, argument="order", given="one that is not stored"):
        check_order(PaymentOrder())


def test_true_is_no_whole_number() -> None:
    check_type("days", 7, int)
    with refuses(InvalidInput, ErrorCode.ARGUMENT_TYPE, argument="days", given="bool"):
        check_type("days", True, int)


@every(("given", "argument"), [("R-1", "orders"), (None, "orders"), ({}, "orders"), (["R-1"], "orders[0]")])
def test_what_is_no_list_of_its_class_is_named_with_its_place(given: object, argument: str) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_TYPE, argument=argument):
        check_list("orders", given, PaymentOrder)


def test_an_argument_of_several_classes_names_them_all() -> None:
    with pytest.raises(InvalidInput, match=r"subject must be a PaymentOrder, .*, or a Payment, .*, not int"):
        check_type("subject", 7, PaymentOrder, Payment)


def test_every_class_says_where_to_get_one() -> None:
    values = {int: "whole number", str: "text"}
    assert all(values.get(kind, kind.__name__) in expected for kind, expected in EXPECTED.items())


def test_a_number_is_no_text_and_how_to_write_it_is_told() -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_TYPE, argument="reference", expected="a text", given="int"):
        check_text("reference", 17)
    assert not_a_text(17) == "is no text, but int; write str(17) or '17'"
    assert not_a_text(None) == "is no text, but None; give one"


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
