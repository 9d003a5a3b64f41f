"""Faults: the tree of errors, error bodies, and the four amounts of a refund that was too much."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.samples import checkout, follow_up_response, record
from tests.support.tables import every
from wallet_gateway.protocol.errors import (
    FieldError,
    InvalidMessage,
)
from wallet_gateway.protocol.faults import (
    ErrorBody,
    RefundLimit,
    is_contradictory,
    looks_like_error,
    names_a_fault,
    read_refund_amount_exceeded,
    refund_amount_exceeded,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import loads

ERROR = {"code": "4107940", "details": {"message": "SchemaValidationError: amount is missing"}}


def euros(text: str) -> Money:
    return Money.parse(text, "EUR")


# Errors of the language


def test_an_invalid_message_lists_every_fault_on_a_line_of_its_own_and_survives_copying() -> None:
    error = InvalidMessage([FieldError("amount", "is missing"), FieldError("", "is strange")])
    for each in (error, copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert str(each) == "amount: is missing\nis strange"
        assert each.errors == (FieldError("amount", "is missing"), FieldError("", "is strange"))


# Error bodies


@every(
    ("rest", "message"),
    [
        ({}, ""),
        ({"description": "GeneralValidationError", "details": {}}, "GeneralValidationError"),
        ({"description": "GeneralValidationError", "details": {"message": "x"}}, "x"),
        ({"details": None}, ""),
        ({"details": {"message": None}}, ""),
    ],
)
def test_an_error_body_says_what_there_is(rest: dict[str, Any], message: str) -> None:
    error = ErrorBody.from_wire({"code": "4100001", **rest})
    assert (error.code, error.message) == ("4100001", message)


def test_a_code_makes_an_error_whatever_else_is_missing_and_anything_less_is_none() -> None:
    for error in (
        ERROR,
        {"Code": "1", "Details": {"Message": ""}},
        {"CODE": "1", "description": "x"},
        {"code": "1", "details": None},
        {"code": "1", "State": None, "ID": None, "redirectURL": None},
    ):
        assert looks_like_error(error), error
        assert names_a_fault(error), error
    for less in (
        *(None, "error", [], [ERROR], {}, checkout(), follow_up_response(), record()),
        *({"details": ERROR["details"]}, {"code": None, "details": ERROR["details"]}),
        *({"\u0421ode": "1", "details": ERROR["details"]}, {"code": "1", "state": "Errored"}),
        *(loads(f'{{"code": {code}}}') for code in ("4107940", "true", '["1"]', '{"value": "1"}')),
    ):
        assert not looks_like_error(less), less


@every("name", ["state", "id", "redirectUrl", "State", "REDIRECTURL"])
def test_a_code_beside_a_field_of_a_success_is_a_contradiction_and_no_error(name: str) -> None:
    value = {"CODE": "1", "DETAILS": {"MESSAGE": "x"}, name: ""}
    assert (is_contradictory(value), looks_like_error(value)) == (True, False)
    assert names_a_fault(value), "among records a fault is one all the same"
    assert not is_contradictory({name: ""})


def test_an_endpoint_names_one_more_field_of_a_success() -> None:
    assert is_contradictory({"code": "1", "apiKey": "k"}, "apikey")
    assert not is_contradictory({"code": "1", "apiKey": None}, "apikey")
    assert not is_contradictory({"code": "1", "": "x", "\u017ftate": "Approved"}, "")


def test_a_record_may_have_a_code_of_its_own() -> None:
    assert not names_a_fault(record() | {"code": "1"})
    assert names_a_fault(record() | {"code": "1", "details": {"message": "x"}})


# A refund that was too much


def test_the_refusal_of_a_refund_names_the_four_amounts_in_order() -> None:
    error = refund_amount_exceeded(euros("100"), euros("92.5"), euros("7.5"), euros("10"))
    assert error.code == "4107940"
    assert error.message == (
        "RefundAmountExceeded: deposit amount 100.00, refunded amount 92.50, "
        "maximum refundable amount 7.50, requested refund amount 10.00"
    )
    assert json.loads(error.to_json()) == {"code": "4107940", "details": {"message": error.message}}


@every(
    "message",
    [
        "RefundAmountExceeded DepositAmount=100.00 Refunded=92.50 MaxRefundable=7.50 Requested=10.00",
        "RefundAmountExceeded; 100; 92.5; 7.5; 10",
        "RefundAmountExceeded\n100.00\n92.50\n7.50\n10.00.",
        "RefundAmountExceeded: EUR 100.00, EUR 92.50, EUR 7.50, EUR 10.00 (see manual)",
    ],
)
def test_the_four_amounts_are_found_whatever_words_stand_between(message: str) -> None:
    assert read_refund_amount_exceeded(message) == RefundLimit(
        deposit=Decimal(100), refunded=Decimal("92.5"), maximum=Decimal("7.5"), requested=Decimal(10)
    )


@every(
    "message",
    [
        "",
        "RefundAmountExceeded: 100, 92, 8",
        "SchemaValidationError: 100.00, 92.50, 7.50, 10.00",
        "Refund: RefundAmountExceeded 100.00, 92.50, 7.50, 10.00",
        "RefundAmountExceeded: a, b, c, d",
        "RefundAmountExceeded: \u0661\u0660, \u0662, \u0663, \u0664",
        "RefundAmountExceeded 100 92 8 " + "x" * 100 + " 10",
        "RefundAmountExceeded 123456789012345 1 2 3",
        "RefundAmountExceeded: 100,00 92,50",
        "RefundAmountExceeded: 1.000.00, 92.50, 7.50, 10.00",
        "RefundAmountExceeded: 100.00001 92.50 7.50 10.00",
    ],
)
def test_a_message_without_the_four_amounts_says_nothing_of_them(message: str) -> None:
    assert read_refund_amount_exceeded(message) is None


AMOUNTS = st.integers(min_value=0, max_value=10**14 - 1)


@given(
    currency=st.sampled_from(["JPY", "EUR", "KWD", "CLF"]),
    units=st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS),
)
def test_the_amounts_that_are_written_are_read_back(currency: str, units: tuple[int, int, int, int]) -> None:
    deposit, refunded, maximum, requested = (Money.from_minor_units(each, currency) for each in units)
    message = refund_amount_exceeded(deposit, refunded, maximum, requested).message
    assert read_refund_amount_exceeded(message) == RefundLimit(
        deposit=deposit.amount, refunded=refunded.amount, maximum=maximum.amount, requested=requested.amount
    )
