"""Sums to states, as worked examples over an order of 10.00."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.domain import states

S, Reversal, Late = states.TransactionState, states.Reversal, states.LatePayment
C, A = states.TransactionKind.CHECKOUT, states.TransactionKind.AUTHORIZATION
P, T = states.PaymentState, states.OrderState


def sums(**given: object) -> states.PaymentTotals:
    return states.PaymentTotals(**({"amount": 1000} | given))  # type: ignore[arg-type]


PAYMENTS: list[tuple[str, states.TransactionState, states.PaymentTotals, states.PaymentState]] = [
    *((C, opening, sums(), P.OPEN) for opening in (S.SENDING, S.OPEN)),
    (C, S.PENDING, sums(), P.PENDING),
    *((kind, ended, sums(), P.FAILED) for kind in (C, A) for ended in (S.REJECTED, S.ABANDONED)),
    *((kind, S.EXPIRED, sums(), P.EXPIRED) for kind in (C, A)),
    (C, S.ANOMALY, sums(), P.FROZEN),
    (C, S.APPROVED, sums(authorized=1000), P.AUTHORIZED),
    (C, S.APPROVED, sums(authorized=1000, captured=1), P.PART_CAPTURED),
    (C, S.APPROVED, sums(authorized=1000, captured=1000), P.PAID),
    (C, S.APPROVED, sums(authorized=1000, captured=1000, refunded=1), P.PART_REFUNDED),
    (C, S.APPROVED, sums(authorized=1000, captured=600, refunded=600), P.REFUNDED),
    (C, S.APPROVED, sums(authorized=1000, reversal=Reversal.DONE), P.REVERSED),
    (C, S.APPROVED, sums(authorized=1000, captured=1000, is_frozen=True), P.FROZEN),
    # An authorization keeps others from paying from its sending on.
    (A, S.AWAITING_RESULT, sums(), P.OFFERED),
    *((A, opening, sums(), P.PENDING) for opening in (S.SENDING, S.NOT_SENT, S.UNKNOWN, S.AWAITING_3DS)),
    (A, S.PENDING, sums(), P.PENDING),
]


@every(("kind", "opening", "of", "expected"), PAYMENTS)
def test_a_payment_stands_as_its_sums_say(
    kind: states.TransactionKind,
    opening: states.TransactionState,
    of: states.PaymentTotals,
    expected: states.PaymentState,
) -> None:
    assert states.payment_state(of, opening, kind) is expected


def standing(
    opening: states.TransactionState, kind: states.TransactionKind = C, **given: object
) -> states.PaymentSnapshot:
    made = sums(**given)
    return states.PaymentSnapshot(state=states.payment_state(made, opening, kind), totals=made)


def approved(**given: object) -> states.PaymentSnapshot:
    return standing(S.APPROVED, C, **{"authorized": 1000} | given)


PAID = approved(captured=1000)
FAILED, EXPIRED, OPEN, PENDING = map(standing, (S.REJECTED, S.EXPIRED, S.OPEN, S.PENDING))
BUTTON = standing(S.AWAITING_RESULT, A)
RETURNED = approved(captured=1000, refunded=1000)
AUTHORIZED = approved()
REVERSED = approved(reversal=Reversal.DONE)
FROZEN = standing(S.ANOMALY)

ORDERS: list[tuple[list[states.PaymentSnapshot], states.OrderState]] = [
    ([], T.OPEN),
    ([OPEN], T.OPEN),
    ([FAILED, OPEN], T.OPEN),
    ([FAILED, PENDING], T.PENDING),
    ([PENDING, OPEN], T.PENDING),
    ([FAILED, EXPIRED], T.EXPIRED),
    ([EXPIRED, FAILED], T.FAILED),
    ([BUTTON], T.OPEN),
    ([FAILED, BUTTON], T.FAILED),
    ([BUTTON, EXPIRED], T.EXPIRED),
    ([REVERSED, BUTTON], T.REVERSED),
    ([OPEN, BUTTON], T.OPEN),
    ([BUTTON, PENDING], T.PENDING),
    ([PAID, BUTTON], T.PAID),
    ([PAID], T.PAID),
    ([FAILED, PAID], T.PAID),
    ([PAID, OPEN], T.PAID),
    ([PAID, PAID], T.OVERPAID),
    ([AUTHORIZED, AUTHORIZED], T.OVERPAID),
    ([RETURNED, PAID], T.PAID),
    ([RETURNED], T.REFUNDED),
    ([RETURNED, RETURNED], T.REFUNDED),
    ([RETURNED, AUTHORIZED], T.AUTHORIZED),
    ([RETURNED, approved(captured=400)], T.PART_CAPTURED),
    # One was captured in part and that refunded, the other is authorized over the rest.
    ([approved(captured=600, refunded=600), approved(amount=500, authorized=500)], T.AUTHORIZED),
    ([AUTHORIZED], T.AUTHORIZED),
    ([REVERSED], T.REVERSED),
    ([REVERSED, PAID], T.PAID),
    ([PAID, FROZEN], T.FROZEN),
    ([approved(captured=400)], T.PART_CAPTURED),
    ([approved(captured=400, refunded=100)], T.PART_REFUNDED),
    # What the sheet agreed on may be more or less than the order.
    *(
        row
        for agreed in (700, 1500)
        for paid in [approved(amount=agreed, authorized=agreed, captured=agreed)]
        for row in [([FAILED, paid, OPEN], T.PAID), ([RETURNED, paid], T.PAID), ([paid, PAID], T.OVERPAID)]
    ),
]


@every(("payments", "expected"), ORDERS)
def test_an_order_stands_as_its_payments_say(
    payments: list[states.PaymentSnapshot], expected: states.OrderState
) -> None:
    assert states.order_state(1000, payments) is expected


def test_a_cancelled_order_is_cancelled_once_nothing_of_it_is_pending_or_holds_money() -> None:
    for nothing in ([], [FAILED], [EXPIRED, OPEN], [REVERSED], [BUTTON]):
        assert states.order_state(1000, nothing, is_cancelled=True) is T.CANCELLED
    assert states.order_state(1000, [PENDING, FAILED], is_cancelled=True) is T.PENDING
    assert states.order_state(1000, [PAID], is_cancelled=True) is T.PAID


@every(
    ("late", "payments", "expected"),
    [
        (Late.REPORTED, [PAID], T.FROZEN),
        (Late.REPORTED, [standing(S.APPROVED, authorized=1)], T.FROZEN),
        (Late.REPORTED, [RETURNED], T.REFUNDED),
        (Late.ACCEPTED, [PAID], T.PAID),
        (Late.NONE, [PAID], T.PAID),
    ],
)
def test_a_late_payment_waits_for_a_person_as_long_as_it_holds_money(
    late: states.LatePayment, payments: list[states.PaymentSnapshot], expected: states.OrderState
) -> None:
    assert states.order_state(1000, payments, is_cancelled=True, late_payment=late) is expected


def test_the_totals_of_an_order_are_the_sums_of_its_payments_and_a_payment_begins_with_nothing() -> None:
    one = sums(authorized=1000, captured=700, refunded=30, capture_reserved=200, refund_reserved=4)
    other = sums(authorized=500, captured=50, refunded=7, capture_reserved=10, refund_reserved=3)
    added = states.order_totals([one, other])
    assert added == states.OrderTotals(authorized=1500, captured=750, refunded=37, reserved=217)
    assert added.held == 1463
    nothing = dict.fromkeys(("authorized", "captured", "refunded", "capture_reserved", "refund_reserved"), 0)
    assert sums() == sums(**nothing, reversal=Reversal.NONE, is_frozen=False)
