"""Sums to states, as worked examples over an order of 10.00."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.domain.lifecycle import IntentState, OrderState, PaymentState, TransactionKind
from wallet_gateway.domain.standing import Reversal, Standing, Sums, order_state, payment_state


def sums(**given: object) -> Sums:
    return Sums(**({"amount": 1000} | given))  # type: ignore[arg-type]


PAYMENTS = [
    ("nothing known", sums(), IntentState.SENDING, PaymentState.OPEN),
    ("page open", sums(), IntentState.OPEN, PaymentState.OPEN),
    ("pending", sums(), IntentState.PENDING, PaymentState.PENDING),
    ("refused", sums(), IntentState.REJECTED, PaymentState.FAILED),
    ("page lost", sums(), IntentState.ABANDONED, PaymentState.FAILED),
    ("expired", sums(), IntentState.EXPIRED, PaymentState.EXPIRED),
    ("contradicted", sums(), IntentState.ANOMALY, PaymentState.FROZEN),
    ("authorised", sums(authorised=1000), IntentState.APPROVED, PaymentState.AUTHORISED),
    ("captured in part", sums(authorised=1000, captured=1), IntentState.APPROVED, PaymentState.PART_CAPTURED),
    ("paid", sums(authorised=1000, captured=1000), IntentState.APPROVED, PaymentState.PAID),
    (
        "refunded in part",
        sums(authorised=1000, captured=1000, refunded=1),
        IntentState.APPROVED,
        PaymentState.PART_REFUNDED,
    ),
    (
        "refunded",
        sums(authorised=1000, captured=600, refunded=600),
        IntentState.APPROVED,
        PaymentState.REFUNDED,
    ),
    (
        "reversed",
        sums(authorised=1000, reversal=Reversal.DONE),
        IntentState.APPROVED,
        PaymentState.REVERSED,
    ),
    (
        "frozen though paid",
        sums(authorised=1000, captured=1000, frozen=True),
        IntentState.APPROVED,
        PaymentState.FROZEN,
    ),
]


@every(("given", "opening", "expected"), [row[1:] for row in PAYMENTS], ids=[row[0] for row in PAYMENTS])
def test_a_payment_stands_as_its_sums_say(given: Sums, opening: IntentState, expected: PaymentState) -> None:
    assert payment_state(given, opening, TransactionKind.CHECKOUT) is expected


AUTHORIZATIONS = [
    (IntentState.AWAITING_RESULT, PaymentState.OFFERED),
    (IntentState.SENDING, PaymentState.PENDING),
    (IntentState.NOT_SENT, PaymentState.PENDING),
    (IntentState.UNKNOWN, PaymentState.PENDING),
    (IntentState.AWAITING_3DS, PaymentState.PENDING),
    (IntentState.PENDING, PaymentState.PENDING),
    (IntentState.REJECTED, PaymentState.FAILED),
    (IntentState.ABANDONED, PaymentState.FAILED),
    (IntentState.EXPIRED, PaymentState.EXPIRED),
]


@every(("opening", "expected"), AUTHORIZATIONS)
def test_an_authorization_keeps_others_from_paying_from_its_sending_on(
    opening: IntentState, expected: PaymentState
) -> None:
    assert payment_state(sums(), opening, TransactionKind.AUTHORIZATION) is expected


def standing(
    opening: IntentState, kind: TransactionKind = TransactionKind.CHECKOUT, **given: object
) -> Standing:
    made = sums(**given)
    return Standing(state=payment_state(made, opening, kind), sums=made)


PAID = standing(IntentState.APPROVED, authorised=1000, captured=1000)
FAILED = standing(IntentState.REJECTED)
EXPIRED = standing(IntentState.EXPIRED)
OPEN = standing(IntentState.OPEN)
PENDING = standing(IntentState.PENDING)
BUTTON = standing(IntentState.AWAITING_RESULT, TransactionKind.AUTHORIZATION)
RETURNED = standing(IntentState.APPROVED, authorised=1000, captured=1000, refunded=1000)
AUTHORISED = standing(IntentState.APPROVED, authorised=1000)
REVERSED = standing(IntentState.APPROVED, authorised=1000, reversal=Reversal.DONE)
FROZEN = standing(IntentState.ANOMALY)

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
    ("authorised twice", [AUTHORISED, AUTHORISED], OrderState.OVERPAID),
    ("paid twice, one refunded", [RETURNED, PAID], OrderState.PAID),
    ("refunded", [RETURNED], OrderState.REFUNDED),
    ("authorised", [AUTHORISED], OrderState.AUTHORISED),
    ("reversed", [REVERSED], OrderState.REVERSED),
    ("reversed, then paid", [REVERSED, PAID], OrderState.PAID),
    ("frozen beside paid", [PAID, FROZEN], OrderState.FROZEN),
    (
        "captured in part",
        [standing(IntentState.APPROVED, authorised=1000, captured=400)],
        OrderState.PART_CAPTURED,
    ),
    (
        "captured in part, a part of that refunded",
        [standing(IntentState.APPROVED, authorised=1000, captured=400, refunded=100)],
        OrderState.PART_REFUNDED,
    ),
]


@every(("payments", "expected"), [row[1:] for row in ORDERS], ids=[row[0] for row in ORDERS])
def test_an_order_stands_as_its_payments_say(payments: list[Standing], expected: OrderState) -> None:
    assert order_state(1000, payments) is expected


@pytest.mark.parametrize("agreed", [700, 1500])
def test_an_order_is_paid_when_what_the_sheet_agreed_on_is_paid(agreed: int) -> None:
    paid = standing(IntentState.APPROVED, amount=agreed, authorised=agreed, captured=agreed)
    assert order_state(1000, [FAILED, paid, OPEN]) is OrderState.PAID
    assert order_state(1000, [RETURNED, paid]) is OrderState.PAID
    assert order_state(1000, [paid, PAID]) is OrderState.OVERPAID
