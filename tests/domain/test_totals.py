"""Sums to states, as worked examples over an order of 10.00."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionKind, TransactionState
from wallet_gateway.domain.totals import (
    OrderTotals,
    PaymentSnapshot,
    PaymentTotals,
    Reversal,
    order_state,
    order_totals,
    payment_state,
)

S = TransactionState


def totals(**given: object) -> PaymentTotals:
    return PaymentTotals(**({"amount": 1000} | given))  # type: ignore[arg-type]


PAYMENTS = [
    ("nothing known", totals(), TransactionState.SENDING, PaymentState.OPEN),
    ("page open", totals(), TransactionState.OPEN, PaymentState.OPEN),
    ("pending", totals(), TransactionState.PENDING, PaymentState.PENDING),
    ("refused", totals(), TransactionState.REJECTED, PaymentState.FAILED),
    ("page lost", totals(), TransactionState.ABANDONED, PaymentState.FAILED),
    ("expired", totals(), TransactionState.EXPIRED, PaymentState.EXPIRED),
    ("contradicted", totals(), TransactionState.ANOMALY, PaymentState.FROZEN),
    ("authorized", totals(authorized=1000), TransactionState.APPROVED, PaymentState.AUTHORIZED),
    (
        "captured in part",
        totals(authorized=1000, captured=1),
        TransactionState.APPROVED,
        PaymentState.PART_CAPTURED,
    ),
    ("paid", totals(authorized=1000, captured=1000), TransactionState.APPROVED, PaymentState.PAID),
    (
        "refunded in part",
        totals(authorized=1000, captured=1000, refunded=1),
        TransactionState.APPROVED,
        PaymentState.PART_REFUNDED,
    ),
    (
        "refunded",
        totals(authorized=1000, captured=600, refunded=600),
        TransactionState.APPROVED,
        PaymentState.REFUNDED,
    ),
    (
        "reversed",
        totals(authorized=1000, reversal=Reversal.DONE),
        TransactionState.APPROVED,
        PaymentState.REVERSED,
    ),
    (
        "frozen though paid",
        totals(authorized=1000, captured=1000, is_frozen=True),
        TransactionState.APPROVED,
        PaymentState.FROZEN,
    ),
]


@every(("given", "opening", "expected"), [row[1:] for row in PAYMENTS], ids=[row[0] for row in PAYMENTS])
def test_a_payment_stands_as_its_sums_say(
    given: PaymentTotals, opening: TransactionState, expected: PaymentState
) -> None:
    assert payment_state(given, opening, TransactionKind.CHECKOUT) is expected


AUTHORIZATIONS = [
    (TransactionState.AWAITING_RESULT, PaymentState.OFFERED),
    (TransactionState.SENDING, PaymentState.PENDING),
    (TransactionState.NOT_SENT, PaymentState.PENDING),
    (TransactionState.UNKNOWN, PaymentState.PENDING),
    (TransactionState.AWAITING_3DS, PaymentState.PENDING),
    (TransactionState.PENDING, PaymentState.PENDING),
    (TransactionState.REJECTED, PaymentState.FAILED),
    (TransactionState.ABANDONED, PaymentState.FAILED),
    (TransactionState.EXPIRED, PaymentState.EXPIRED),
]


@every(("opening", "expected"), AUTHORIZATIONS)
def test_an_authorization_keeps_others_from_paying_from_its_sending_on(
    opening: TransactionState, expected: PaymentState
) -> None:
    assert payment_state(totals(), opening, TransactionKind.AUTHORIZATION) is expected


def standing(
    opening: TransactionState, kind: TransactionKind = TransactionKind.CHECKOUT, **given: object
) -> PaymentSnapshot:
    made = totals(**given)
    return PaymentSnapshot(state=payment_state(made, opening, kind), totals=made)


PAID = standing(TransactionState.APPROVED, authorized=1000, captured=1000)
FAILED = standing(TransactionState.REJECTED)
EXPIRED = standing(TransactionState.EXPIRED)
OPEN = standing(TransactionState.OPEN)
PENDING = standing(TransactionState.PENDING)
BUTTON = standing(TransactionState.AWAITING_RESULT, TransactionKind.AUTHORIZATION)
RETURNED = standing(TransactionState.APPROVED, authorized=1000, captured=1000, refunded=1000)
AUTHORIZED = standing(TransactionState.APPROVED, authorized=1000)
REVERSED = standing(TransactionState.APPROVED, authorized=1000, reversal=Reversal.DONE)
FROZEN = standing(TransactionState.ANOMALY)

ORDERS = [
    ("no attempt", [], OrderState.OPEN),
    ("one open", [OPEN], OrderState.OPEN),
    ("failed, then open", [FAILED, OPEN], OrderState.OPEN),
    ("failed, then pending", [FAILED, PENDING], OrderState.PENDING),
    ("open beside pending", [PENDING, OPEN], OrderState.PENDING),
    ("failed, then expired", [FAILED, EXPIRED], OrderState.EXPIRED),
    ("expired, then failed", [EXPIRED, FAILED], OrderState.FAILED),
    ("a button nobody has pressed", [BUTTON], OrderState.OPEN),
    ("failed, then a button", [FAILED, BUTTON], OrderState.FAILED),
    ("a button, then expired", [BUTTON, EXPIRED], OrderState.EXPIRED),
    ("reversed, then a button", [REVERSED, BUTTON], OrderState.REVERSED),
    ("a button beside an open page", [OPEN, BUTTON], OrderState.OPEN),
    ("a button beside pending", [BUTTON, PENDING], OrderState.PENDING),
    ("paid beside a button", [PAID, BUTTON], OrderState.PAID),
    ("paid", [PAID], OrderState.PAID),
    ("failed, then paid", [FAILED, PAID], OrderState.PAID),
    ("a late success of the first attempt", [PAID, OPEN], OrderState.PAID),
    ("paid twice", [PAID, PAID], OrderState.OVERPAID),
    ("authorized twice", [AUTHORIZED, AUTHORIZED], OrderState.OVERPAID),
    ("paid twice, one refunded", [RETURNED, PAID], OrderState.PAID),
    ("refunded", [RETURNED], OrderState.REFUNDED),
    ("paid twice, both refunded", [RETURNED, RETURNED], OrderState.REFUNDED),
    ("one refunded, one authorized", [RETURNED, AUTHORIZED], OrderState.AUTHORIZED),
    (
        "one refunded, one captured in part",
        [RETURNED, standing(TransactionState.APPROVED, authorized=1000, captured=400)],
        OrderState.PART_CAPTURED,
    ),
    (
        "one captured in part and that refunded, one authorized over the rest",
        [
            standing(TransactionState.APPROVED, authorized=1000, captured=600, refunded=600),
            standing(TransactionState.APPROVED, amount=500, authorized=500),
        ],
        OrderState.AUTHORIZED,
    ),
    ("authorized", [AUTHORIZED], OrderState.AUTHORIZED),
    ("reversed", [REVERSED], OrderState.REVERSED),
    ("reversed, then paid", [REVERSED, PAID], OrderState.PAID),
    ("frozen beside paid", [PAID, FROZEN], OrderState.FROZEN),
    (
        "captured in part",
        [standing(TransactionState.APPROVED, authorized=1000, captured=400)],
        OrderState.PART_CAPTURED,
    ),
    (
        "captured in part, a part of that refunded",
        [standing(TransactionState.APPROVED, authorized=1000, captured=400, refunded=100)],
        OrderState.PART_REFUNDED,
    ),
]


@every(("payments", "expected"), [row[1:] for row in ORDERS], ids=[row[0] for row in ORDERS])
def test_an_order_stands_as_its_payments_say(payments: list[PaymentSnapshot], expected: OrderState) -> None:
    assert order_state(1000, payments) is expected


def test_a_cancelled_order_is_cancelled_once_nothing_of_it_is_pending_or_holds_money() -> None:
    for nothing in ([], [FAILED], [EXPIRED, OPEN], [REVERSED], [BUTTON]):
        assert order_state(1000, nothing, is_cancelled=True) is OrderState.CANCELLED
    assert order_state(1000, [PENDING, FAILED], is_cancelled=True) is OrderState.PENDING
    assert order_state(1000, [PAID], is_cancelled=True) is OrderState.PAID


@every(
    ("late", "payments", "expected"),
    [
        (LatePayment.REPORTED, [PAID], OrderState.FROZEN),
        (LatePayment.REPORTED, [standing(S.APPROVED, authorized=1)], OrderState.FROZEN),
        (LatePayment.REPORTED, [RETURNED], OrderState.REFUNDED),
        (LatePayment.ACCEPTED, [PAID], OrderState.PAID),
        (LatePayment.NONE, [PAID], OrderState.PAID),
    ],
)
def test_a_late_payment_waits_for_a_person_as_long_as_it_holds_money(
    late: LatePayment, payments: list[PaymentSnapshot], expected: OrderState
) -> None:
    assert order_state(1000, payments, is_cancelled=True, late_payment=late) is expected


def test_the_totals_of_an_order_are_the_sums_of_its_payments() -> None:
    one = totals(authorized=1000, captured=700, refunded=30, capture_reserved=200, refund_reserved=4)
    other = totals(authorized=500, captured=50, refunded=7, capture_reserved=10, refund_reserved=3)
    added = order_totals([one, other])
    assert added == OrderTotals(authorized=1500, captured=750, refunded=37, reserved=217)
    assert added.held == 1463


def test_a_payment_begins_with_nothing() -> None:
    assert PaymentTotals(amount=1) == PaymentTotals(
        amount=1,
        authorized=0,
        captured=0,
        refunded=0,
        capture_reserved=0,
        refund_reserved=0,
        reversal=Reversal.NONE,
        is_frozen=False,
    )


@pytest.mark.parametrize("agreed", [700, 1500])
def test_an_order_is_paid_when_what_the_sheet_agreed_on_is_paid(agreed: int) -> None:
    paid = standing(TransactionState.APPROVED, amount=agreed, authorized=agreed, captured=agreed)
    assert order_state(1000, [FAILED, paid, OPEN]) is OrderState.PAID
    assert order_state(1000, [RETURNED, paid]) is OrderState.PAID
    assert order_state(1000, [paid, PAID]) is OrderState.OVERPAID
