"""What must be true of the books after every test, whatever happened in it; no test lives here.

Sums are recomputed from the intents, states from the sums. A fact that our limits do not allow leaves a
counter at its bound and a difference beside it, so only there a sum may be less than what its intents say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from wallet_gateway.domain.discrepancies import FREEZING
from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    HELD_STATES,
    OUTSTANDING_STATES,
    IntentState,
    PaymentState,
    PaymentType,
    TransactionKind,
)
from wallet_gateway.domain.standing import Reversal, Standing, order_state, payment_state
from wallet_gateway.models import (
    Discrepancy,
    Evidence,
    FactKind,
    GatewayTransaction,
    MigratedDeposit,
    OutboxFact,
    Payment,
    PaymentOrder,
)

_HAS_EXACT_BODY = {IntentState.CREATED, IntentState.SENDING, IntentState.NOT_SENT}


def check_books() -> None:
    """Look through every row; the first thing that is wrong is an AssertionError with its name."""
    for order in PaymentOrder.objects.all():
        _check_order(order)
    for payment in Payment.objects.all():
        _check_payment(payment, list(payment.transactions.all()))
    for deposit in MigratedDeposit.objects.all():
        _check_deposit(deposit, list(deposit.transactions.all()))
    for intent in GatewayTransaction.objects.all():
        _check_intent(intent)
    _check_facts()


def _check_order(order: PaymentOrder) -> None:
    rows = order.payments.order_by("number")
    assert [row.number for row in rows] == list(range(1, len(rows) + 1)), order
    standings = {row.pk: Standing(state=PaymentState(row.state), sums=row.sums) for row in rows}
    derived = {order_state(order.amount_minor, list(standings.values()))}
    # Beside an attempt that has ended, a button nobody has pressed yet says nothing of the order.
    buttons = GatewayTransaction.objects.filter(payment__order=order, state="AWAITING_RESULT")
    for pk in buttons.values_list("payment_id", flat=True):
        del standings[pk or 0]
    derived.add(order_state(order.amount_minor, list(standings.values())))
    assert order.state in derived, order


def _check_payment(payment: Payment, intents: list[GatewayTransaction]) -> None:
    assert payment.captured + payment.capture_reserved <= payment.authorised, payment
    assert payment.refunded + payment.refund_reserved <= payment.captured, payment
    if payment.reversal != Reversal.NONE:
        assert payment.captured == payment.capture_reserved == 0, payment
    assert all(intent.currency == payment.currency for intent in intents), payment
    _check_payment_sums(payment, intents)
    opening = IntentState(payment.opening.state)
    kind = TransactionKind(payment.opening.kind)
    assert payment.state == payment_state(payment.sums, opening, kind), payment
    _check_slots(intents, name=str(payment))
    contradicted = _is_contradicted(intents, Discrepancy.objects.filter(payment=payment))
    assert payment.frozen == contradicted, f"{payment} frozen={payment.frozen}, contradicted={contradicted}"


def _check_payment_sums(payment: Payment, intents: list[GatewayTransaction]) -> None:
    opened = _approved(intents, TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION)
    assert payment.authorised == opened, payment
    at_once = opened if payment.type == PaymentType.SALE else 0
    sums = {
        "captured": at_once + _approved(intents, TransactionKind.CAPTURE),
        "refunded": _approved(intents, TransactionKind.REFUND),
    }
    for name, expected in sums.items():
        _check_sum(getattr(payment, name), expected, intents, f"{payment} {name}")
    assert payment.capture_reserved == _reserved(intents, TransactionKind.CAPTURE), payment
    assert payment.refund_reserved == _reserved(intents, TransactionKind.REFUND), payment
    reversing = _reserved(intents, TransactionKind.REVERSAL) > 0
    assert (payment.reversal == Reversal.RESERVED) == reversing, payment
    if payment.reversal == Reversal.DONE:
        assert _approved(intents, TransactionKind.REVERSAL) == payment.authorised, payment


def _check_deposit(deposit: MigratedDeposit, intents: list[GatewayTransaction]) -> None:
    _check_sum(deposit.refunded, _approved(intents, TransactionKind.DETACHED_REFUND), intents, str(deposit))
    assert deposit.refund_reserved == _reserved(intents, TransactionKind.DETACHED_REFUND), deposit
    if deposit.known and deposit.amount_minor is not None:
        used = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
        assert used <= deposit.amount_minor, deposit
    assert all(intent.currency == deposit.currency for intent in intents), deposit
    _check_slots(intents, name=str(deposit))
    contradicted = _is_contradicted(intents, Discrepancy.objects.filter(deposit=deposit))
    assert deposit.frozen == contradicted, deposit


def _check_sum(booked: int, expected: int, intents: list[GatewayTransaction], name: str) -> None:
    if Discrepancy.objects.filter(intent__in=intents).exists():
        assert booked <= expected, name
    else:
        assert booked == expected, f"{name}: booked {booked}, the intents say {expected}"


def _approved(intents: Iterable[GatewayTransaction], *kinds: TransactionKind) -> int:
    """Add up what is approved; one that was contradicted stands in the books until a person decides."""
    return sum(intent.approved_minor or 0 for intent in intents if intent.kind in kinds)


def _reserved(intents: Iterable[GatewayTransaction], kind: TransactionKind) -> int:
    return sum(intent.amount_minor for intent in intents if intent.kind == kind and intent.holds_reservation)


def _check_slots(intents: list[GatewayTransaction], *, name: str) -> None:
    outstanding = [
        intent
        for intent in intents
        if intent.state in OUTSTANDING_STATES and intent.kind != TransactionKind.CHECKOUT
    ]
    assert len(outstanding) <= 1, f"{name} has {len(outstanding)} intents without an outcome"
    assert [intent.open_slot for intent in intents if intent.open_slot] == [i.slot for i in outstanding], name


def _is_contradicted(intents: list[GatewayTransaction], discrepancies: Iterable[Discrepancy]) -> bool:
    return any(intent.state == IntentState.ANOMALY for intent in intents) or any(
        row.closed_at is None and row.kind in FREEZING for row in discrepancies
    )


def _check_intent(intent: GatewayTransaction) -> None:
    state = IntentState(intent.state)
    if intent.kind not in {TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION}:
        if intent.holds_reservation:
            assert state in HELD_STATES, intent
        elif state in HELD_STATES:
            assert state is IntentState.ANOMALY, f"{intent} is {state} and holds nothing"
    assert (intent.approved_minor is not None) or state is not IntentState.APPROVED, intent
    if state in FINAL_STATES | {IntentState.ANOMALY, IntentState.UNKNOWN, IntentState.NOT_SENT}:
        said = Evidence.objects.filter(intent=intent, state_after=state)
        assert said.exists(), f"{intent} is {state}, and no evidence says so"
    silent = {IntentState.APPROVED, IntentState.OPEN, IntentState.PENDING}
    silent |= {IntentState.AWAITING_RESULT, IntentState.AWAITING_3DS}
    if state not in silent | _HAS_EXACT_BODY:
        assert intent.detail, f"{intent} is {state} and says nothing"
    _check_body(intent, state)


def _check_body(intent: GatewayTransaction, state: IntentState) -> None:
    if state in _HAS_EXACT_BODY and intent.kind != TransactionKind.AUTHORIZATION:
        assert hashlib.sha256(intent.request_body.encode()).hexdigest() == intent.body_hash, intent
    else:
        assert "sandbox-user" not in intent.request_body, f"{intent} is {state}; its body is not redacted"
    for evidence in Evidence.objects.filter(intent=intent):
        assert "sandbox-user" not in evidence.request_body, evidence


def _check_facts() -> None:
    told = OutboxFact.objects.exclude(kind=FactKind.ANOMALY).values_list("intent", "kind")
    assert len(set(told)) == len(told), "one intent is told of twice"
