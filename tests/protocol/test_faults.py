"""Error bodies, what looks like one, and the four amounts of a refund that was too much."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.samples import checkout, follow_up_response, paths, record
from tests.tables import every
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.faults import (
    ErrorBody,
    is_contradictory,
    looks_like_error,
    names_a_fault,
    read_refund_amount_exceeded,
    refund_amount_exceeded,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import loads

if TYPE_CHECKING:
    pass

ERROR = {"code": "4107940", "details": {"message": "SchemaValidationError: amount is missing"}}


def euros(text: str) -> Money:
    return Money.parse(text, "EUR", allow_zero=True)


@pytest.mark.parametrize("code", ["4107940", "4.1e6", "true", '["4107940"]', '{"value": "4107940"}'])
def test_a_code_that_is_no_text_makes_no_error(code: str) -> None:
    assert not looks_like_error(loads(f'{{"code": {code}, "details": {{"message": "x"}}}}'))


@every(
    ("values", "path"),
    [
        ({"details": {"message": "x"}}, "code"),
        ({"code": "", "details": {"message": "x"}}, "code"),
        ({"code": "1", "details": "x"}, "details"),
        ({"code": "1", "details": {"message": ["x"]}}, "details.message"),
        ({"code": "1", "description": ["x"]}, "description"),
    ],
)
def test_an_error_body_without_a_code_or_with_what_is_no_text_is_refused(
    values: dict[str, Any], path: str
) -> None:
    with pytest.raises(InvalidMessage) as caught:
        ErrorBody.from_wire(values)
    assert paths(caught.value) == [path]


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ({}, ""),
        ({"description": "GeneralValidationError"}, "GeneralValidationError"),
        ({"description": "GeneralValidationError", "details": {}}, "GeneralValidationError"),
        ({"description": "GeneralValidationError", "details": {"message": "x"}}, "x"),
        ({"details": None}, ""),
        ({"details": {"message": None}}, ""),
        ({"details": {"message": ""}}, ""),
    ],
    ids=repr,
)
def test_an_error_body_says_what_there_is(rest: dict[str, Any], message: str) -> None:
    error = ErrorBody.from_wire({"code": "4100001", **rest})
    assert (error.code, error.message) == ("4100001", message)


@pytest.mark.parametrize(
    "value",
    [
        ERROR,
        {"Code": "1", "Details": {"Message": ""}},
        {"code": "1"},
        {"CODE": "1", "description": "x"},
        {"code": "1", "details": None},
        {"code": "1", "details": {"message": None}},
        {"code": "1", "State": None, "ID": None, "redirectURL": None},
    ],
    ids=repr,
)
def test_a_code_makes_an_error_whatever_else_is_missing(value: object) -> None:
    assert looks_like_error(value) is True
    assert names_a_fault(value) is True


@pytest.mark.parametrize("name", ["state", "id", "redirectUrl", "State", "ID", "REDIRECTURL"])
def test_a_code_beside_a_field_of_a_success_is_a_contradiction_and_no_error(name: str) -> None:
    value = {"CODE": "1", "DETAILS": {"MESSAGE": "x"}, name: ""}
    assert is_contradictory(value)
    assert not looks_like_error(value)
    assert names_a_fault(value), "among records a fault is one all the same"
    assert not is_contradictory({name: ""})


def test_an_endpoint_names_one_more_field_of_a_success() -> None:
    assert is_contradictory({"code": "1", "apiKey": "k"}, "apikey")
    assert not is_contradictory({"code": "1", "apiKey": None}, "apikey")
    assert not is_contradictory({"code": "1", "": "x"}, "")


def test_a_record_may_have_a_code_of_its_own() -> None:
    assert not names_a_fault(record() | {"code": "1"})
    assert names_a_fault(record() | {"code": "1", "details": {"message": "x"}})


@every(
    "value",
    [
        None,
        "error",
        [],
        [ERROR],
        {},
        {"details": {"message": "x"}},
        {"code": None, "details": {"message": "x"}},
        {"code": "1", "state": "Errored"},
        checkout(),
        follow_up_response(),
        record(),
        {"redirectUrl": "https://gateway.example/x"},
    ],
    ids=lambda value: repr(value)[:50],
)
def test_anything_less_is_no_error(value: object) -> None:
    assert looks_like_error(value) is False


def test_a_letter_that_only_resembles_one_of_a_name_makes_no_error() -> None:
    assert not looks_like_error({"\u0421ode": "1", "details": {"message": "x"}})
    assert not is_contradictory({"code": "1", "\u017ftate": "Approved"})


def test_the_refusal_of_a_refund_names_the_four_amounts_in_order() -> None:
    error = refund_amount_exceeded(euros("100"), euros("92.5"), euros("7.5"), euros("10"))
    assert error.code == "4107940"
    assert error.message == (
        "RefundAmountExceeded: deposit amount 100.00, refunded amount 92.50, "
        "maximum refundable amount 7.50, requested refund amount 10.00"
    )
    assert json.loads(error.to_json()) == {"code": "4107940", "details": {"message": error.message}}


@pytest.mark.parametrize(
    "message",
    [
        "RefundAmountExceeded: deposit 100.00, refunded 92.50, maximum refundable 7.50, requested 10.00",
        "RefundAmountExceeded DepositAmount=100.00 Refunded=92.50 MaxRefundable=7.50 Requested=10.00",
        "RefundAmountExceeded; 100; 92.5; 7.5; 10",
        "RefundAmountExceeded\n100.00\n92.50\n7.50\n10.00.",
        "RefundAmountExceeded: EUR 100.00, EUR 92.50, EUR 7.50, EUR 10.00 (see manual)",
    ],
)
def test_the_four_amounts_are_found_whatever_words_stand_between(message: str) -> None:
    limit = read_refund_amount_exceeded(message)
    assert limit is not None
    assert (limit.deposit, limit.refunded) == (Decimal(100), Decimal("92.5"))
    assert (limit.maximum, limit.requested) == (Decimal("7.5"), Decimal(10))


@every(
    "message",
    [
        "",
        "RefundAmountExceeded",
        "RefundAmountExceeded: 100, 92, 8",
        "SchemaValidationError: 100.00, 92.50, 7.50, 10.00",
        "Refund: RefundAmountExceeded 100.00, 92.50, 7.50, 10.00",
        "RefundAmountExceeded: a, b, c, d",
        "RefundAmountExceeded: \u0661\u0660, \u0662, \u0663, \u0664",
        "RefundAmountExceeded 100 92 8 " + "x" * 100 + " 10",
        "RefundAmountExceeded 123456789012345 1 2 3",
        "RefundAmountExceeded: 100.00, 92.50, 7.50",
        "RefundAmountExceeded: 100.00, 92.50",
        "RefundAmountExceeded: 100,00 92,50",
        "RefundAmountExceeded: 1.000.00, 92.50, 7.50, 10.00",
        "RefundAmountExceeded: 100.00001 92.50 7.50 10.00",
    ],
    ids=ascii,
)
def test_a_message_without_the_four_amounts_says_nothing_of_them(message: str) -> None:
    assert read_refund_amount_exceeded(message) is None


AMOUNTS = st.integers(min_value=0, max_value=10**14 - 1)


@pytest.mark.parametrize("currency", ["JPY", "EUR", "KWD", "CLF"])
@given(units=st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS))
def test_the_amounts_that_are_written_are_read_back(currency: str, units: tuple[int, int, int, int]) -> None:
    amounts = [Money.from_minor_units(each, currency) for each in units]
    limit = read_refund_amount_exceeded(refund_amount_exceeded(*amounts).message)
    assert limit is not None
    assert [limit.deposit, limit.refunded, limit.maximum, limit.requested] == [
        each.amount for each in amounts
    ]
