"""What is left, and the words for why it is not enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.tables import every
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.limits import (
    available,
    capturable,
    refundable,
    reversible,
    why_not_begin,
    why_not_capture,
    why_not_refund,
    why_not_reverse,
)
from wallet_gateway.domain.totals import PaymentTotals, Reversal

AUTHORIZED = PaymentTotals(amount=1000, authorized=1000)
IN_PART = PaymentTotals(
    amount=1000, authorized=1000, captured=600, refunded=100, capture_reserved=300, refund_reserved=50
)
FROZEN = PaymentTotals(amount=1000, authorized=1000, captured=500, is_frozen=True)
GOING_BACK = PaymentTotals(amount=1000, authorized=1000, reversal=Reversal.RESERVED)
EMPTY = PaymentTotals(amount=1000)


@pytest.mark.parametrize(
    ("totals", "capture", "refund", "reversal"),
    [
        (AUTHORIZED, 1000, 0, 1000),
        (IN_PART, 100, 450, 0),
        (FROZEN, 0, 0, 0),
        (GOING_BACK, 0, 0, 0),
        (EMPTY, 0, 0, 0),
        (replace(AUTHORIZED, is_frozen=True), 0, 0, 0),
    ],
    ids=["authorized", "in part", "frozen", "going back", "empty", "frozen and untouched"],
)
def test_what_is_left_counts_what_is_under_way(
    totals: PaymentTotals, capture: int, refund: int, reversal: int
) -> None:
    assert (capturable(totals), refundable(totals), reversible(totals)) == (capture, refund, reversal)


@every(
    ("totals", "wanted", "code"),
    [
        (AUTHORIZED, 1000, None),
        (AUTHORIZED, 1001, ErrorCode.AMOUNT_TOO_HIGH),
        (IN_PART, 101, ErrorCode.AMOUNT_TOO_HIGH),
        (FROZEN, 1, ErrorCode.PAYMENT_FROZEN),
        (GOING_BACK, 1, ErrorCode.NOTHING_LEFT),
        (EMPTY, 1, ErrorCode.NOTHING_LEFT),
    ],
)
def test_a_refused_capture_says_why(totals: PaymentTotals, wanted: int, code: ErrorCode | None) -> None:
    assert getattr(why_not_capture(totals, wanted), "code", None) is code


@pytest.mark.parametrize(
    ("totals", "wanted", "code"),
    [
        (IN_PART, 450, None),
        (IN_PART, 451, ErrorCode.AMOUNT_TOO_HIGH),
        (FROZEN, 1, ErrorCode.PAYMENT_FROZEN),
        (AUTHORIZED, 1, ErrorCode.NOTHING_LEFT),
    ],
)
def test_a_refused_refund_says_why(totals: PaymentTotals, wanted: int, code: ErrorCode | None) -> None:
    assert getattr(why_not_refund(totals, wanted), "code", None) is code


@pytest.mark.parametrize(
    ("totals", "code"),
    [
        (AUTHORIZED, None),
        (IN_PART, ErrorCode.REFUND_NEEDED),
        (FROZEN, ErrorCode.PAYMENT_FROZEN),
        (GOING_BACK, ErrorCode.NOTHING_LEFT),
        (EMPTY, ErrorCode.NOTHING_LEFT),
    ],
)
def test_a_refused_reversal_says_why(totals: PaymentTotals, code: ErrorCode | None) -> None:
    assert getattr(why_not_reverse(totals), "code", None) is code


@pytest.mark.parametrize(
    ("kind", "left"), [(TransactionKind.CAPTURE, capturable), (TransactionKind.REFUND, refundable)]
)
def test_what_is_left_for_an_operation_is_what_its_own_rule_says(
    kind: TransactionKind, left: Callable[[PaymentTotals], int]
) -> None:
    assert [available(kind, totals) for totals in (AUTHORIZED, IN_PART, FROZEN)] == [
        left(totals) for totals in (AUTHORIZED, IN_PART, FROZEN)
    ]
    assert available(TransactionKind.REVERSAL, AUTHORIZED) == reversible(AUTHORIZED)


@pytest.mark.parametrize(
    ("kind", "totals", "code"),
    [
        (TransactionKind.CAPTURE, FROZEN, ErrorCode.PAYMENT_FROZEN),
        (
            TransactionKind.CAPTURE,
            replace(AUTHORIZED, captured=AUTHORIZED.authorized),
            ErrorCode.NOTHING_LEFT,
        ),
        (TransactionKind.REFUND, AUTHORIZED, ErrorCode.NOTHING_LEFT),
        (TransactionKind.REVERSAL, EMPTY, ErrorCode.NOTHING_LEFT),
        (TransactionKind.CAPTURE, AUTHORIZED, None),
        (TransactionKind.CAPTURE, replace(AUTHORIZED, captured=999), None),
        (TransactionKind.CAPTURE, GOING_BACK, ErrorCode.NOTHING_LEFT),
        (TransactionKind.REFUND, FROZEN, ErrorCode.PAYMENT_FROZEN),
        (TransactionKind.REFUND, replace(AUTHORIZED, captured=1000, refunded=999), None),
        (
            TransactionKind.REFUND,
            replace(AUTHORIZED, captured=1000, refunded=999, refund_reserved=1),
            ErrorCode.NOTHING_LEFT,
        ),
        (TransactionKind.REVERSAL, AUTHORIZED, None),
        (TransactionKind.REVERSAL, IN_PART, ErrorCode.REFUND_NEEDED),
    ],
)
def test_why_nothing_is_left_is_always_said(
    kind: TransactionKind, totals: PaymentTotals, code: ErrorCode | None
) -> None:
    assert getattr(why_not_begin(kind, totals, awaits_outcome=False), "code", None) is code
