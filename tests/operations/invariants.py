"""What must be true of the books after every test, whatever happened in it; no test lives here.

Sums are recomputed from the intents, states from the sums. A fact that our limits do not allow leaves a
counter at its bound and a difference beside it, so only there a sum may be less than what its intents say.
What has not ended has a next instant, or waits for a person.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

from django.db.models import Model, QuerySet

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

M = TypeVar("M", bound=Model)
_HAS_EXACT_BODY = {IntentState.CREATED, IntentState.SENDING, IntentState.NOT_SENT}
_ASKED_FOR_EVER = {IntentState.UNKNOWN, IntentState.OPEN, IntentState.AWAITING_3DS, IntentState.PENDING}


def check_books() -> None:
    """Look through every row; the first thing that is wrong is an AssertionError with its name."""
    payments = _grouped(Payment.objects.order_by("number"), "order_id")
    of_payments = _grouped(GatewayTransaction.objects.order_by("pk"), "payment_id")
    of_deposits = _grouped(GatewayTransaction.objects.order_by("pk"), "deposit_id")
    differing = list(Discrepancy.objects.all())
    evidence = _grouped(Evidence.objects.all(), "intent_id")
    for order in PaymentOrder.objects.all():
        _check_order(order, payments[order.pk])
    for payment in chain(*payments.values()):
        mine = [row for row in differing if row.payment_id == payment.pk]
        _check_payment(payment, of_payments[payment.pk], mine)
    for deposit in MigratedDeposit.objects.all():
        mine = [row for row in differing if row.deposit_id == deposit.pk]
        _check_deposit(deposit, of_deposits[deposit.pk], mine)
    for intent in chain(*of_payments.values()):
        _check_intent(intent, evidence[intent.pk])
    _check_facts()


def _grouped(rows: QuerySet[M], column: str) -> dict[int | None, list[M]]:
    """Read rows in one statement, to be looked up by one of their columns."""
    groups: defaultdict[int | None, list[M]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return groups


def _check_order(order: PaymentOrder, rows: list[Payment]) -> None:
    assert [row.number for row in rows] == list(range(1, len(rows) + 1)), order
    standings = [Standing(state=PaymentState(row.state), sums=row.sums) for row in rows]
    assert order.state == order_state(order.amount_minor, standings), order


def _check_payment(payment: Payment, intents: list[GatewayTransaction], differing: list[Discrepancy]) -> None:
    assert payment.captured + payment.capture_reserved <= payment.authorised, payment
    assert payment.refunded + payment.refund_reserved <= payment.captured, payment
    if payment.reversal != Reversal.NONE:
        assert payment.captured == payment.capture_reserved == 0, payment
    assert all(intent.currency == payment.currency for intent in intents), payment
    _check_payment_sums(payment, intents, differing)
    (opening,) = (intent for intent in intents if intent.reference == payment.reference)
    stands = payment_state(payment.sums, IntentState(opening.state), TransactionKind(opening.kind))
    assert payment.state == stands, payment
    _check_slots(intents, name=str(payment))
    contradicted = _is_contradicted(intents, differing)
    assert payment.frozen == contradicted, f"{payment} frozen={payment.frozen}, contradicted={contradicted}"


def _check_payment_sums(
    payment: Payment, intents: list[GatewayTransaction], differing: list[Discrepancy]
) -> None:
    opened = _approved(intents, TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION)
    assert payment.authorised == opened, payment
    at_once = opened if payment.type == PaymentType.SALE else 0
    sums = {
        "captured": at_once + _approved(intents, TransactionKind.CAPTURE),
        "refunded": _approved(intents, TransactionKind.REFUND),
    }
    for name, expected in sums.items():
        _check_sum(getattr(payment, name), expected, differing, f"{payment} {name}")
    assert payment.capture_reserved == _reserved(intents, TransactionKind.CAPTURE), payment
    assert payment.refund_reserved == _reserved(intents, TransactionKind.REFUND), payment
    reversing = _reserved(intents, TransactionKind.REVERSAL) > 0
    assert (payment.reversal == Reversal.RESERVED) == reversing, payment
    if payment.reversal == Reversal.DONE:
        assert _approved(intents, TransactionKind.REVERSAL) == payment.authorised, payment


def _check_deposit(
    deposit: MigratedDeposit, intents: list[GatewayTransaction], differing: list[Discrepancy]
) -> None:
    approved = _approved(intents, TransactionKind.DETACHED_REFUND)
    _check_sum(deposit.refunded, approved, differing, str(deposit))
    assert deposit.refund_reserved == _reserved(intents, TransactionKind.DETACHED_REFUND), deposit
    if deposit.known and deposit.amount_minor is not None:
        used = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
        assert used <= deposit.amount_minor, deposit
    assert all(intent.currency == deposit.currency for intent in intents), deposit
    _check_slots(intents, name=str(deposit))
    contradicted = _is_contradicted(intents, differing)
    assert deposit.frozen == contradicted, deposit


def _check_sum(booked: int, expected: int, differing: list[Discrepancy], name: str) -> None:
    if any(row.intent_id for row in differing):
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


def _check_intent(intent: GatewayTransaction, evidence: list[Evidence]) -> None:
    state = IntentState(intent.state)
    if intent.kind not in {TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION}:
        if intent.holds_reservation:
            assert state in HELD_STATES, intent
        elif state in HELD_STATES:
            assert state is IntentState.ANOMALY, f"{intent} is {state} and holds nothing"
    assert (intent.approved_minor is not None) or state is not IntentState.APPROVED, intent
    if state in FINAL_STATES | {IntentState.ANOMALY, IntentState.UNKNOWN, IntentState.NOT_SENT}:
        assert any(row.state_after == state for row in evidence), (
            f"{intent} is {state}, and no evidence says so"
        )
    silent = {IntentState.APPROVED, IntentState.OPEN, IntentState.PENDING}
    silent |= {IntentState.AWAITING_RESULT, IntentState.AWAITING_3DS}
    if state not in silent | _HAS_EXACT_BODY:
        assert intent.detail, f"{intent} is {state} and says nothing"
    _check_goes_on(intent, state)
    _check_body(intent, state, evidence)


def _check_goes_on(intent: GatewayTransaction, state: IntentState) -> None:
    """Nothing waits without a next instant or a person: what only evidence ends is asked about for ever."""
    if state in _ASKED_FOR_EVER:
        assert intent.next_query_at is not None, f"{intent} is {state} and will not be asked about again"
    elif state is IntentState.NOT_SENT:
        next_instant = intent.next_send_at or intent.expires_at
        assert next_instant or intent.needs_operator, (
            f"{intent} is {state}, and nobody sends it or gives it up"
        )
    elif state is IntentState.SENDING:
        assert intent.lease_until is not None, f"{intent} is {state}, and nobody will miss its sender"
    elif state is IntentState.AWAITING_RESULT:
        assert intent.expires_at is not None, f"{intent} is {state} without an end"


def _check_body(intent: GatewayTransaction, state: IntentState, evidence: list[Evidence]) -> None:
    if state in _HAS_EXACT_BODY and intent.kind != TransactionKind.AUTHORIZATION:
        assert hashlib.sha256(intent.request_body.encode()).hexdigest() == intent.body_hash, intent
    else:
        assert "sandbox-user" not in intent.request_body, f"{intent} is {state}; its body is not redacted"
    for row in evidence:
        assert "sandbox-user" not in row.request_body, row


def _check_facts() -> None:
    told = OutboxFact.objects.exclude(kind=FactKind.ANOMALY).values_list("intent", "kind")
    assert len(set(told)) == len(told), "one intent is told of twice"
