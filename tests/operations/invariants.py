"""What must be true of the books after every test, whatever happened in it; no test lives here.

Sums are recomputed from the transactions, states from the sums. A fact that our limits do not allow leaves a
counter at its bound: the transaction has the excess, and a difference says so.
What has not ended has a next instant, or waits for a person.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import chain
from typing import TypeVar

from django.db.models import Model, QuerySet

from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    HELD_STATES,
    OUTSTANDING_STATES,
    OrderState,
    PaymentState,
    PaymentType,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.totals import PaymentSnapshot, Reversal, order_state, payment_state
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    OutboxEventKind,
    Payment,
    PaymentOrder,
    TransactionEvent,
    WalletAttempt,
    WalletUsage,
)
from wallet_gateway.models.orders import CANCELLABLE_STATES
from wallet_gateway.queries.attention import POLLED_STATES, unattended

M = TypeVar("M", bound=Model)
_HAS_EXACT_BODY = {TransactionState.CREATED, TransactionState.SENDING, TransactionState.NOT_SENT}


def check_books() -> None:
    """Look through every row; the first thing that is wrong is an AssertionError with its name."""
    payments = _grouped(Payment.objects.order_by("number"), "order_id")
    of_payments = _grouped(GatewayTransaction.objects.order_by("pk"), "payment_id")
    of_deposits = _grouped(GatewayTransaction.objects.order_by("pk"), "deposit_id")
    differing = list(Discrepancy.objects.all())
    evidence = _grouped(TransactionEvent.objects.all(), "transaction_id")
    for order in PaymentOrder.objects.all():
        _check_order(order, payments[order.pk])
    for payment in chain(*payments.values()):
        mine = [row for row in differing if row.payment_id == payment.pk]
        _check_payment(payment, of_payments[payment.pk], mine)
    for deposit in MigratedDeposit.objects.all():
        mine = [row for row in differing if row.deposit_id == deposit.pk]
        _check_deposit(deposit, of_deposits[deposit.pk], mine)
    for transaction in chain(*of_payments.values()):
        _check_transaction(transaction, evidence[transaction.pk])
    _check_outbox()
    _check_usage()
    _check_nothing_waits_without_anybody()


def _grouped(rows: QuerySet[M], column: str) -> dict[int | None, list[M]]:
    """Read rows in one statement, to be looked up by one of their columns."""
    groups: defaultdict[int | None, list[M]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return groups


def _check_order(order: PaymentOrder, rows: list[Payment]) -> None:
    assert [row.number for row in rows] == list(range(1, len(rows) + 1)), order
    standings = [PaymentSnapshot(state=PaymentState(row.state), totals=row.totals) for row in rows]
    stands = order_state(
        order.amount_minor,
        standings,
        is_cancelled=order.is_cancelled,
        late_payment=LatePayment(order.late_payment),
    )
    assert order.state == stands, order
    if order.has_end and order.state in CANCELLABLE_STATES | {OrderState.CANCELLED}:
        assert order.is_released or order.release_check_at, f"{order} is released by nobody"
    assert order.is_cancelled or not order.is_released, order
    late = Discrepancy.objects.filter(payment__order=order, kind=DiscrepancyKind.LATE_PAYMENT)
    if order.late_payment == LatePayment.REPORTED:
        assert late.filter(closed_at__isnull=True).exists(), (
            f"no open difference shows the late payment of {order}"
        )


def _check_payment(
    payment: Payment, transactions: list[GatewayTransaction], differing: list[Discrepancy]
) -> None:
    assert payment.captured + payment.capture_reserved <= payment.authorized, payment
    assert payment.refunded + payment.refund_reserved <= payment.captured, payment
    if payment.reversal != Reversal.NONE:
        assert payment.captured == payment.capture_reserved == 0, payment
    assert all(transaction.currency == payment.currency for transaction in transactions), payment
    _check_payment_sums(payment, transactions)
    _check_excesses(transactions, differing)
    (opening,) = (transaction for transaction in transactions if transaction.reference == payment.reference)
    stands = payment_state(payment.totals, TransactionState(opening.state), TransactionKind(opening.kind))
    assert payment.state == stands, payment
    _check_slots(transactions, name=str(payment))
    contradicted = _is_contradicted(transactions, differing)
    assert payment.is_frozen == contradicted, (
        f"{payment} frozen={payment.is_frozen}, contradicted={contradicted}"
    )


def _check_payment_sums(payment: Payment, transactions: list[GatewayTransaction]) -> None:
    opened = _approved(transactions, TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION)
    assert payment.authorized == opened, payment
    at_once = opened if payment.type == PaymentType.SALE else 0
    assert payment.captured == at_once + _approved(transactions, TransactionKind.CAPTURE), payment
    assert payment.refunded == _approved(transactions, TransactionKind.REFUND), payment
    assert payment.capture_reserved == _reserved(transactions, TransactionKind.CAPTURE), payment
    assert payment.refund_reserved == _reserved(transactions, TransactionKind.REFUND), payment
    reversing = _reserved(transactions, TransactionKind.REVERSAL) > 0
    assert (payment.reversal == Reversal.RESERVED) == reversing, payment
    reversed_amount = _approved(transactions, TransactionKind.REVERSAL)
    assert (payment.reversal == Reversal.DONE) == (reversed_amount > 0), payment
    assert reversed_amount in {0, payment.authorized}, payment


def _check_deposit(
    deposit: MigratedDeposit, transactions: list[GatewayTransaction], differing: list[Discrepancy]
) -> None:
    approved = _approved(transactions, TransactionKind.DETACHED_REFUND)
    assert deposit.refunded == approved, deposit
    _check_excesses(transactions, differing)
    assert deposit.refund_reserved == _reserved(transactions, TransactionKind.DETACHED_REFUND), deposit
    if deposit.is_known and deposit.amount_minor is not None:
        used = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
        assert used <= deposit.amount_minor, deposit
    assert all(transaction.currency == deposit.currency for transaction in transactions), deposit
    _check_slots(transactions, name=str(deposit))
    contradicted = _is_contradicted(transactions, differing)
    assert deposit.is_frozen == contradicted, deposit


def _check_excesses(transactions: list[GatewayTransaction], differing: list[Discrepancy]) -> None:
    """What no counter contains is a difference, so that a person was told."""
    told = {row.transaction_id for row in differing if row.kind == DiscrepancyKind.ABOVE_LIMIT}
    assert {transaction.pk for transaction in transactions if transaction.excess_minor} == told


def _approved(transactions: Iterable[GatewayTransaction], *kinds: TransactionKind) -> int:
    """Add up what is booked; one that was contradicted stands in the books until a person decides."""
    of_kind = (transaction for transaction in transactions if transaction.kind in kinds)
    return sum((transaction.approved_minor or 0) - transaction.excess_minor for transaction in of_kind)


def _reserved(transactions: Iterable[GatewayTransaction], kind: TransactionKind) -> int:
    return sum(
        transaction.amount_minor
        for transaction in transactions
        if transaction.kind == kind and transaction.holds_reservation
    )


def _check_slots(transactions: list[GatewayTransaction], *, name: str) -> None:
    outstanding = [
        transaction
        for transaction in transactions
        if transaction.state in OUTSTANDING_STATES and transaction.kind != TransactionKind.CHECKOUT
    ]
    assert len(outstanding) <= 1, f"{name} has {len(outstanding)} transactions without an outcome"
    assert [transaction.outstanding_key for transaction in transactions if transaction.outstanding_key] == [
        i.parent_key for i in outstanding
    ], name


def _is_contradicted(transactions: list[GatewayTransaction], discrepancies: Iterable[Discrepancy]) -> bool:
    return any(transaction.state == TransactionState.ANOMALY for transaction in transactions) or any(
        row.closed_at is None and row.is_freezing for row in discrepancies
    )


def _check_transaction(transaction: GatewayTransaction, evidence: list[TransactionEvent]) -> None:
    state = TransactionState(transaction.state)
    if transaction.kind not in {TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION}:
        if transaction.holds_reservation:
            assert state in HELD_STATES, transaction
        elif state in HELD_STATES:
            assert state is TransactionState.ANOMALY, f"{transaction} is {state} and holds nothing"
    assert (transaction.approved_minor is not None) or state is not TransactionState.APPROVED, transaction
    if state in FINAL_STATES | {
        TransactionState.ANOMALY,
        TransactionState.UNKNOWN,
        TransactionState.NOT_SENT,
    }:
        assert any(row.state_after == state for row in evidence), (
            f"{transaction} is {state}, and no evidence says so"
        )
    silent = {TransactionState.APPROVED, TransactionState.OPEN, TransactionState.PENDING}
    silent |= {TransactionState.AWAITING_RESULT, TransactionState.AWAITING_3DS}
    if state not in silent | _HAS_EXACT_BODY:
        assert transaction.explanation, f"{transaction} is {state} and says nothing"
    _check_goes_on(transaction, state)
    _check_body(transaction, state, evidence)


def _check_goes_on(transaction: GatewayTransaction, state: TransactionState) -> None:
    """Nothing waits without a next instant or a person: what only evidence ends is asked about for ever."""
    if state in POLLED_STATES:
        assert transaction.next_query_at is not None, (
            f"{transaction} is {state} and will not be asked about again"
        )
    elif state is TransactionState.NOT_SENT:
        next_instant = transaction.next_send_at or transaction.expires_at
        assert next_instant or transaction.needs_operator, (
            f"{transaction} is {state}, and nobody sends it or gives it up"
        )
    elif state is TransactionState.SENDING:
        assert transaction.leased_until is not None, (
            f"{transaction} is {state}, and nobody will miss its sender"
        )
    elif state is TransactionState.AWAITING_RESULT:
        assert transaction.expires_at is not None, f"{transaction} is {state} without an end"


def _check_nothing_waits_without_anybody() -> None:
    """What the health view would report at any time, whether or not there was a sweep since."""
    long_ago = datetime(1970, 1, 2, tzinfo=UTC)
    left = GatewayTransaction.objects.filter(unattended(long_ago))
    assert not left.exists(), f"{left.values('reference', 'state')} wait without an instant or a person"


def _check_body(
    transaction: GatewayTransaction, state: TransactionState, evidence: list[TransactionEvent]
) -> None:
    if state in _HAS_EXACT_BODY and transaction.kind != TransactionKind.AUTHORIZATION:
        assert hashlib.sha256(transaction.request_body.encode()).hexdigest() == transaction.body_hash, (
            transaction
        )
    else:
        assert "sandbox-user" not in transaction.request_body, (
            f"{transaction} is {state}; its body is not redacted"
        )
    for row in evidence:
        assert "sandbox-user" not in row.request_body, row


def _check_outbox() -> None:
    several = (OutboxEventKind.ANOMALY, OutboxEventKind.WALLET_LIMIT_REACHED)
    told = OutboxEvent.objects.exclude(kind__in=several).values_list("order", "transaction", "kind")
    assert len(set(told)) == len(told), "one transaction is told of twice"


def _check_usage() -> None:
    """Each button that an order was shown is counted, and each browser that saw one."""
    attempts: defaultdict[int, list[WalletAttempt]] = defaultdict(list)
    for attempt in WalletAttempt.objects.select_related("transaction__payment"):
        assert attempt.transaction.payment is not None
        attempts[attempt.transaction.payment.order_id].append(attempt)
    counted = {usage.order_id: usage for usage in WalletUsage.objects.all()}
    for order_id, mine in attempts.items():
        usage = counted[order_id]
        assert usage.attempts == len(mine), f"{usage}: {usage.attempts} counted of {len(mine)}"
        assert usage.sessions == len({attempt.session_hash for attempt in mine}), usage
        assert usage.discount_codes >= len(usage.codes_tried), usage
