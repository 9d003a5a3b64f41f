"""Which counters a transition changes: every kind, with and without a reservation, to the unit."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from wallet_gateway.domain.lifecycle import FINAL_STATES, TransactionKind, TransactionState
from wallet_gateway.domain.outcomes import Finding, Verdict
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.operations.settlement.counters import (
    NOTHING,
    Booking,
    VersionConflict,
    book,
    retry_conflicts,
)

S, K = TransactionState, TransactionKind
NOT_FINAL = sorted(set(S) - FINAL_STATES - {S.UNKNOWN})
WITHOUT_MONEY = sorted(FINAL_STATES - {S.APPROVED})


def booked(
    kind: TransactionKind,
    after: TransactionState = S.APPROVED,
    *,
    payment: dict[str, Any] | None = None,
    deposit: dict[str, Any] | None = None,
    told: int | None = None,
    before: TransactionState = S.UNKNOWN,
    **columns: Any,
) -> Booking:
    """Book the end of a transaction over 5.00 of a payment over 20.00, or of a deposit."""
    paid = {"type": "preauthorization", "amount_minor": 2000} | (payment or {})
    transaction = GatewayTransaction(
        kind=kind,
        payment=Payment(**paid) if deposit is None else None,
        deposit=MigratedDeposit(**deposit) if deposit is not None else None,
        **({"amount_minor": 500, "holds_reservation": True} | columns),
    )
    finding = Finding(verdict=Verdict.APPROVED, amount=told)
    return book(transaction, before=before, after=after, finding=finding)


@pytest.mark.parametrize("kind", [K.CHECKOUT, K.AUTHORIZATION])
@pytest.mark.parametrize(
    ("type_", "changes"),
    [("preauthorization", {"authorized": 2000}), ("sale", {"authorized": 2000, "captured": 2000})],
)
def test_an_approved_payment_is_authorized_once_and_a_sale_is_captured_with_it(
    kind: TransactionKind, type_: str, changes: dict[str, int]
) -> None:
    new: dict[str, Any] = {"amount_minor": 2000, "holds_reservation": False}
    assert booked(kind, payment={"type": type_}, **new) == Booking(changes=changes)
    assert booked(kind, payment={"type": type_, "authorized": 2000}, **new) == NOTHING
    for after in sorted(set(S) - {S.APPROVED, S.UNKNOWN}):
        assert booked(kind, after, payment={"type": type_}, **new) == NOTHING


@pytest.mark.parametrize("kind", sorted(K))
def test_a_state_that_stays_moves_nothing(kind: TransactionKind) -> None:
    assert booked(kind, S.APPROVED, before=S.APPROVED) == NOTHING


@pytest.mark.parametrize("kind", [K.CAPTURE, K.REFUND, K.DETACHED_REFUND, K.REVERSAL])
@pytest.mark.parametrize("after", NOT_FINAL)
def test_before_the_end_a_follow_up_keeps_what_it_reserved(
    kind: TransactionKind, after: TransactionState
) -> None:
    assert booked(kind, after) == NOTHING


# Captures and refunds

CAPTURABLE = {"authorized": 2000, "captured": 300, "capture_reserved": 500}
REFUNDABLE = {"authorized": 2000, "captured": 2000, "refunded": 300, "refund_reserved": 500}
RELEASED = {"holds_reservation": False}


@pytest.mark.parametrize("after", WITHOUT_MONEY)
@pytest.mark.parametrize(
    ("kind", "reserved"), [(K.CAPTURE, "capture_reserved"), (K.REFUND, "refund_reserved")]
)
def test_a_follow_up_that_ends_without_money_gives_back_its_reservation_and_no_other(
    kind: TransactionKind, reserved: str, after: TransactionState
) -> None:
    released = Booking(changes={reserved: -500}, transaction_columns=RELEASED)
    assert booked(kind, after, payment=CAPTURABLE) == released
    assert booked(kind, after, payment=CAPTURABLE, holds_reservation=False).changes == {}


@pytest.mark.parametrize(
    ("kind", "reserved", "settled", "payment"),
    [
        (K.CAPTURE, "capture_reserved", "captured", CAPTURABLE),
        (K.REFUND, "refund_reserved", "refunded", REFUNDABLE),
    ],
)
def test_an_approval_moves_the_reserved_amount_to_the_settled_one(
    kind: TransactionKind, reserved: str, settled: str, payment: dict[str, Any]
) -> None:
    columns = RELEASED | {"excess_minor": 0}
    moved = Booking(changes={reserved: -500, settled: 500}, transaction_columns=columns)
    assert booked(kind, payment=payment) == moved
    assert booked(kind, payment=payment, told=500) == moved
    less = Booking(changes={reserved: -500, settled: 200}, transaction_columns=columns)
    assert booked(kind, payment=payment, told=200) == less
    assert booked(kind, payment=payment, approved_minor=500).changes == {reserved: -500}, "in the totals"


@pytest.mark.parametrize(
    ("kind", "settled", "payment", "free"),
    [
        # Of 2000, 300 are settled and 1500 reserved, 500 of them by this one.
        (K.CAPTURE, "captured", CAPTURABLE | {"capture_reserved": 1500}, 200),
        (K.REFUND, "refunded", REFUNDABLE | {"refund_reserved": 1500}, 200),
        # More is settled than the limit leaves: nothing but its own reservation is free to it.
        (K.CAPTURE, "captured", CAPTURABLE | {"captured": 1900}, 0),
        (K.REFUND, "refunded", REFUNDABLE | {"refunded": 1900}, 0),
    ],
)
def test_what_was_approved_above_the_limit_is_an_excess_and_in_no_counter(
    kind: TransactionKind, settled: str, payment: dict[str, Any], free: int
) -> None:
    for over in (0, 1, 300):
        booking = booked(kind, payment=payment, told=free + 500 + over)
        assert (booking.changes[settled], booking.excess) == (free + 500, over)
        late = booked(kind, payment=payment, told=free + 500 + over, holds_reservation=False)
        assert (late.changes, late.excess) == ({settled: free}, 500 + over)


@pytest.mark.parametrize("reversal", [Reversal.RESERVED, Reversal.DONE])
def test_a_capture_of_what_is_being_reversed_is_an_excess_and_a_refund_is_not(reversal: Reversal) -> None:
    capture = booked(K.CAPTURE, payment=CAPTURABLE | {"reversal": reversal})
    assert (capture.changes["captured"], capture.excess) == (0, 500)
    refund = booked(K.REFUND, payment=REFUNDABLE | {"reversal": reversal})
    assert (refund.changes["refunded"], refund.excess) == (500, 0)


@pytest.mark.parametrize(
    ("amount", "told", "refunded", "excess"),
    [
        # 10.00 are refunded by others, 5.00 by us, and 8.00 reserved, 5.00 of them by this one.
        (3000, 500, 500, 0),
        (3000, 1200, 1200, 0),
        (3000, 1201, 1200, 1),
        # Nothing but its own reservation is left.
        (2300, 600, 500, 100),
        (2000, 500, 500, 0),
        # An unknown deposit has no limit but what was asked for.
        (None, 500, 500, 0),
        (None, 700, 500, 200),
    ],
)
def test_a_deposit_is_refunded_up_to_what_is_left_of_it(
    amount: int | None, told: int, refunded: int, excess: int
) -> None:
    deposit = {"amount_minor": amount, "refunded_before": 1000, "refunded": 500, "refund_reserved": 800}
    booking = booked(K.DETACHED_REFUND, deposit=deposit, told=told)
    assert booking.changes == {"refund_reserved": -500, "refunded": refunded}
    assert booking.excess == excess


# Reversals


def test_an_approved_reversal_of_an_untouched_authorization_is_done() -> None:
    for reversal in (Reversal.NONE, Reversal.RESERVED):
        booking = booked(K.REVERSAL, payment={"authorized": 2000, "reversal": reversal}, amount_minor=2000)
        assert booking == Booking(reversal=Reversal.DONE, transaction_columns=RELEASED)


@pytest.mark.parametrize("touched", [{"captured": 1}, {"capture_reserved": 1}, {"reversal": Reversal.DONE}])
def test_an_approved_reversal_of_anything_else_is_an_excess(touched: dict[str, Any]) -> None:
    booking = booked(K.REVERSAL, payment={"authorized": 2000} | touched, amount_minor=2000)
    assert booking == Booking(transaction_columns=RELEASED | {"excess_minor": 2000})


def test_a_reversal_whose_approval_is_in_the_totals_is_not_booked_again() -> None:
    approved: dict[str, Any] = {"amount_minor": 2000, "approved_minor": 2000}
    assert booked(K.REVERSAL, **approved) == Booking(transaction_columns=RELEASED)
    assert booked(K.REVERSAL, S.ANOMALY, before=S.APPROVED, **approved) == NOTHING


@pytest.mark.parametrize("after", WITHOUT_MONEY)
def test_a_reversal_that_ends_without_money_releases_what_it_held(after: TransactionState) -> None:
    released = Booking(reversal=Reversal.NONE, transaction_columns=RELEASED)
    assert booked(K.REVERSAL, after) == released
    assert booked(K.REVERSAL, after, holds_reservation=False) == NOTHING


# What is written of it


def test_a_booking_writes_the_reversal_alone_beside_what_it_adds() -> None:
    assert (NOTHING.columns, NOTHING.excess) == ({}, 0)
    booking = Booking(changes={"captured": 5, "capture_reserved": -5}, reversal=Reversal.DONE)
    assert booking.columns == {"reversal": Reversal.DONE}


@pytest.mark.parametrize("conflicts", [0, 1, 5])
def test_a_writer_tries_six_times(conflicts: int) -> None:
    work = Mock(side_effect=[*[VersionConflict] * conflicts, "done"])
    assert retry_conflicts(work) == "done"
    assert work.call_count == conflicts + 1


def test_after_six_conflicts_a_writer_gives_up() -> None:
    work = Mock(side_effect=VersionConflict)
    with pytest.raises(VersionConflict):
        retry_conflicts(work)
    assert work.call_count == 6
