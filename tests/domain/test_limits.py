"""What is left, and the words for why it is not enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tests.support.tables import every
from wallet_gateway.domain.error_codes import ErrorCode, Refusal
from wallet_gateway.domain.states import (
    PaymentTotals,
    Reversal,
    TransactionKind,
    available,
    capturable,
    refundable,
    reversible,
    why_not_begin,
    why_not_capture,
    why_not_refund,
    why_not_reverse,
)

E, K = ErrorCode, TransactionKind
AUTHORIZED = PaymentTotals(amount=1000, authorized=1000)
IN_PART = PaymentTotals(
    amount=1000, authorized=1000, captured=600, refunded=100, capture_reserved=300, refund_reserved=50
)
FROZEN = PaymentTotals(amount=1000, authorized=1000, captured=500, is_frozen=True)
GOING_BACK = PaymentTotals(amount=1000, authorized=1000, reversal=Reversal.RESERVED)
EMPTY = PaymentTotals(amount=1000)


@every(
    ("totals", "capture", "refund", "reversal"),
    [
        (AUTHORIZED, 1000, 0, 1000),
        (IN_PART, 100, 450, 0),
        (FROZEN, 0, 0, 0),
        (GOING_BACK, 0, 0, 0),
        (EMPTY, 0, 0, 0),
        (replace(AUTHORIZED, is_frozen=True), 0, 0, 0),
    ],
)
def test_what_is_left_counts_what_is_under_way(
    totals: PaymentTotals, capture: int, refund: int, reversal: int
) -> None:
    left = {K.CAPTURE: capture, K.REFUND: refund, K.REVERSAL: reversal}
    assert {kind: available(kind, totals) for kind in left} == left
    assert (capturable(totals), refundable(totals), reversible(totals)) == (capture, refund, reversal)


@every(
    ("why_not", "totals", "code"),
    [
        (partial(why_not_capture, wanted=1000), AUTHORIZED, None),
        (partial(why_not_capture, wanted=1001), AUTHORIZED, E.AMOUNT_TOO_HIGH),
        (partial(why_not_capture, wanted=101), IN_PART, E.AMOUNT_TOO_HIGH),
        (partial(why_not_capture, wanted=1), FROZEN, E.PAYMENT_FROZEN),
        (partial(why_not_capture, wanted=1), GOING_BACK, E.NOTHING_LEFT),
        (partial(why_not_capture, wanted=1), EMPTY, E.NOTHING_LEFT),
        (partial(why_not_refund, wanted=450), IN_PART, None),
        (partial(why_not_refund, wanted=451), IN_PART, E.AMOUNT_TOO_HIGH),
        (partial(why_not_refund, wanted=1), FROZEN, E.PAYMENT_FROZEN),
        (partial(why_not_refund, wanted=1), AUTHORIZED, E.NOTHING_LEFT),
        (why_not_reverse, AUTHORIZED, None),
        (why_not_reverse, IN_PART, E.REFUND_NEEDED),
        (why_not_reverse, FROZEN, E.PAYMENT_FROZEN),
        (why_not_reverse, GOING_BACK, E.NOTHING_LEFT),
        (why_not_reverse, EMPTY, E.NOTHING_LEFT),
    ],
)
def test_a_refusal_says_why(
    why_not: Callable[[PaymentTotals], Refusal | None], totals: PaymentTotals, code: ErrorCode | None
) -> None:
    assert getattr(why_not(totals), "code", None) is code


@every(
    ("kind", "totals", "code"),
    [
        (K.CAPTURE, FROZEN, E.PAYMENT_FROZEN),
        (K.CAPTURE, replace(AUTHORIZED, captured=1000), E.NOTHING_LEFT),
        (K.CAPTURE, AUTHORIZED, None),
        (K.CAPTURE, replace(AUTHORIZED, captured=999), None),
        (K.CAPTURE, GOING_BACK, E.NOTHING_LEFT),
        (K.REFUND, AUTHORIZED, E.NOTHING_LEFT),
        (K.REFUND, FROZEN, E.PAYMENT_FROZEN),
        (K.REFUND, replace(AUTHORIZED, captured=1000, refunded=999), None),
        (K.REFUND, replace(AUTHORIZED, captured=1000, refunded=999, refund_reserved=1), E.NOTHING_LEFT),
        (K.REVERSAL, EMPTY, E.NOTHING_LEFT),
        (K.REVERSAL, AUTHORIZED, None),
        (K.REVERSAL, IN_PART, E.REFUND_NEEDED),
    ],
)
def test_why_nothing_can_begin_is_always_said_and_an_open_outcome_first_unless_it_is_frozen(
    kind: TransactionKind, totals: PaymentTotals, code: ErrorCode | None
) -> None:
    assert getattr(why_not_begin(kind, totals, awaits_outcome=False), "code", None) is code
    awaited = code if totals.is_frozen else E.OPERATION_OUTSTANDING
    assert getattr(why_not_begin(kind, totals, awaits_outcome=True), "code", None) is awaited
