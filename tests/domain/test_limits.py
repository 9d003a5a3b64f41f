"""What is left, and the words for why it is not enough."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tables import every
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.limits import (
    available,
    capturable,
    refundable,
    reversible,
    why_not_capture,
    why_not_refund,
    why_not_reverse,
    why_nothing_left,
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
    ],
    ids=["authorized", "in part", "frozen", "going back", "empty"],
)
def test_what_is_left_counts_what_is_under_way(
    totals: PaymentTotals, capture: int, refund: int, reversal: int
) -> None:
    assert (capturable(totals), refundable(totals), reversible(totals)) == (capture, refund, reversal)


@every(
    ("totals", "wanted", "words"),
    [
        (AUTHORIZED, 1000, ""),
        (AUTHORIZED, 1001, "above what is left"),
        (IN_PART, 101, "above what is left"),
        (FROZEN, 1, "frozen"),
        (GOING_BACK, 1, "reversed"),
        (EMPTY, 1, "nothing is authorized"),
    ],
)
def test_a_refused_capture_says_why(totals: PaymentTotals, wanted: int, words: str) -> None:
    assert (words in why_not_capture(totals, wanted)) if words else why_not_capture(totals, wanted) == ""


@pytest.mark.parametrize(
    ("totals", "wanted", "words"),
    [
        (IN_PART, 450, ""),
        (IN_PART, 451, "above what is left"),
        (FROZEN, 1, "frozen"),
        (AUTHORIZED, 1, "nothing"),
    ],
)
def test_a_refused_refund_says_why(totals: PaymentTotals, wanted: int, words: str) -> None:
    assert (words in why_not_refund(totals, wanted)) if words else why_not_refund(totals, wanted) == ""


@pytest.mark.parametrize(
    ("totals", "words"),
    [
        (AUTHORIZED, ""),
        (IN_PART, "capture"),
        (FROZEN, "frozen"),
        (GOING_BACK, "already"),
        (EMPTY, "nothing"),
    ],
)
def test_a_refused_reversal_says_why(totals: PaymentTotals, words: str) -> None:
    assert (words in why_not_reverse(totals)) if words else why_not_reverse(totals) == ""


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
    ("kind", "totals", "words"),
    [
        (TransactionKind.CAPTURE, FROZEN, "frozen"),
        (TransactionKind.CAPTURE, AUTHORIZED, "nothing is left to capture"),
        (TransactionKind.REFUND, IN_PART, "nothing is left to refund"),
        (TransactionKind.REVERSAL, EMPTY, "nothing is authorized"),
    ],
)
def test_why_nothing_is_left_is_always_said(kind: TransactionKind, totals: PaymentTotals, words: str) -> None:
    assert words in why_nothing_left(kind, totals)
