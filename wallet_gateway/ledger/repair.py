"""Correct the books by a person's decision or a policy: lift a freeze, or book what was made elsewhere.

A payment or deposit is frozen while a discrepancy about it is open; once nothing contradicts our records any
more it is released, and the shop gets the events that were held back.

An operation made elsewhere becomes a transaction of its own, from the gateway's record. It has its own
reference, which is never sent, and the id of the record, which no second transaction can have: the same
operation is booked once, however often and by how many workers it is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from django.db import IntegrityError
from django.db.models import F

from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import Explanation, ExplanationCode, explain
from wallet_gateway.domain.elsewhere import OperationElsewhere, booking_order, operation_of, refusal_to_book
from wallet_gateway.domain.error_codes import BOOKING_OUTSTANDING, NOT_BOOKABLE, RECORD_TAKEN, STATE_CHANGED
from wallet_gateway.domain.evidence import INCONCLUSIVE, Finding, Verdict, made_elsewhere
from wallet_gateway.domain.people import NOBODY, Actor
from wallet_gateway.domain.policy import BookElsewhere
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    IllegalTransition,
    LifecycleEvent,
    PaymentState,
    Reversal,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.ledger.apply import (
    Change,
    apply,
    book,
    lift_freeze,
    locked,
    reread,
    uncontradicted,
    write_totals,
)
from wallet_gateway.ledger.discrepancies import (
    closing_columns,
    elsewhere_fingerprint,
    is_closed,
    record_discrepancies,
)
from wallet_gateway.ledger.outbox import add_outbox_events, deliver, outbox_events_of
from wallet_gateway.ledger.transactions import (
    in_transaction,
    in_transaction_with_retries,
    log_row_error,
    read_due,
    retry_conflicts,
)
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    Payment,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.fields import actor_columns, cut_to, explanation_columns, note_of
from wallet_gateway.operation_errors import InvalidState
from wallet_gateway.protocol.status import StatusRecord


def release_freeze(transaction: GatewayTransaction, *, context: GatewayContext) -> None:
    """Allow operations on a transaction's payment or deposit again if it has no open discrepancy."""

    def lift() -> tuple[OutboxEvent, ...]:
        # A payment is written only at the version of its order that was read. A deposit has no version: its
        # row is locked before anything is read, so that a concurrent freeze comes after this release.
        current = locked(transaction) if transaction.deposit_id is not None else reread(transaction)
        return lift_freeze(current, context.clock.now())

    deliver(retry_conflicts(lambda: in_transaction(lift)), clock=context.clock)


def release_freezes(*, context: GatewayContext, limit: int) -> int:
    """Release what is frozen without a remaining reason, such as a difference that ended by itself.

    Returns how many were released.
    """
    # One transaction of each payment and deposit that is frozen without a contradiction
    forgotten: list[GatewayTransaction] = []
    # First check whether anything is frozen: the full query would be most of the cost of an idle sweep.
    frozen = Payment.objects.filter(state=PaymentState.FROZEN, order__gateway=context.alias)
    if frozen.exists():
        payments = list(uncontradicted(frozen, "payment").values_list("pk", flat=True)[:limit])
        forgotten += GatewayTransaction.objects.filter(payment__in=payments, kind__in=OPENING_KINDS)
    # A deposit is only frozen with a discrepancy: check the few that ever had one, not all.
    differed = Discrepancy.objects.filter(deposit__isnull=False, closed_at__isnull=False)
    if differed.exists():
        deposits = MigratedDeposit.objects.filter(
            is_frozen=True, gateway=context.alias, pk__in=differed.values("deposit")
        )
        for deposit in read_due(uncontradicted(deposits, "deposit"), limit=limit):
            forgotten += deposit.transactions.all()[:1]
    for transaction in forgotten:
        with log_row_error(transaction.reference):
            release_freeze(transaction, context=context)
    return len(forgotten)


def give_up_unsent(
    transaction: GatewayTransaction, why: Explanation, *, context: GatewayContext
) -> GatewayTransaction:
    """Abandon a request of which no byte left; one that contradicts our records by now is left to people."""
    change = Change(
        kind=TransactionEventKind.FAULT,
        event=LifecycleEvent.ABANDONED,
        explanation=why,
        attempt_no=transaction.attempt_no,
        decided_on=TransactionState.NOT_SENT,
    )
    try:
        return apply(transaction, change, context=context)
    except IllegalTransition:
        return reread(transaction)


# A person's decision


def record_decision(
    transaction: GatewayTransaction,
    event: LifecycleEvent,
    why: Explanation,
    *,
    actor: Actor,
    finding: Finding = INCONCLUSIVE,
    write_with: Callable[[], object] | None = None,
    is_awaited: bool = False,
    context: GatewayContext,
) -> GatewayTransaction:
    """Record a decision on the state that `transaction` has in memory; return the transaction as it is then.

    Raises `InvalidState` if it has another state by now.
    """
    change = Change(
        kind=TransactionEventKind.DECISION,
        event=event,
        finding=finding,
        explanation=why,
        actor=actor,
        decided_on=TransactionState(transaction.state),
        columns={"decided_by_person": True},
        is_awaited=is_awaited,
        write_with=write_with,
    )
    try:
        decided = apply(transaction, change, context=context)
    except IllegalTransition as error:
        raise InvalidState(*STATE_CHANGED) from error
    return reread(decided)


# Operations made elsewhere


def book_by_policy(transaction: GatewayTransaction, finding: Finding, *, context: GatewayContext) -> Finding:
    """Book what was made elsewhere if the settings say so; return the finding with what is left to a person.

    Left are records that no rule books, those that a person has decided on, and all of them while an
    operation on the payment is outstanding.
    """
    if context.policy.book_elsewhere is not BookElsewhere.BOOK or not finding.elsewhere:
        return finding
    left: list[StatusRecord] = []
    # What is captured can be refunded: a list that begins with the newest record does not decide that.
    for record in sorted(finding.elsewhere, key=booking_order):
        if is_closed(elsewhere_fingerprint(transaction, record)):
            left.append(record)
            continue
        try:
            book_elsewhere(transaction, record, context=context)
        except InvalidState:
            left.append(record)
    return replace(finding, elsewhere=tuple(left))


def book_elsewhere(
    transaction: GatewayTransaction,
    record: StatusRecord,
    *,
    actor: Actor = NOBODY,
    reason: str = "",
    context: GatewayContext,
) -> GatewayTransaction:
    """Book the operation of a record found with `transaction` on its payment; return the new transaction.

    What exceeds the payment's limits is not added to its totals: it freezes the payment. Raises
    `InvalidState` if no rule says how to book it, or while an operation on it is outstanding. A record that
    is booked already is not booked again: its transaction is returned. Without an `actor` it is by policy.
    """
    if transaction.payment is None:
        raise InvalidState(*NOT_BOOKABLE)
    try:
        booked, outbox_events = retry_conflicts(
            lambda: in_transaction_with_retries(
                lambda: _book(locked(transaction), record, actor, reason, context)
            )
        )
    except IntegrityError as error:
        operation = operation_of(record, currency=transaction.currency)
        if operation is None:
            raise
        same = GatewayTransaction.objects.filter(
            gateway=transaction.gateway, kind=operation.kind, record_id=operation.record_id
        )
        owner = same.select_related("payment__order").first()
        if owner is None:
            raise
        if owner.payment_id != transaction.payment_id or owner.state != TransactionState.APPROVED:
            raise InvalidState(*RECORD_TAKEN) from error
        booked, outbox_events = owner, ()
    deliver(outbox_events, clock=context.clock)
    return reread(booked)


def _book(
    seen: GatewayTransaction, record: StatusRecord, actor: Actor, reason: str, context: GatewayContext
) -> tuple[GatewayTransaction, tuple[OutboxEvent, ...]]:
    payment, now = seen.payment, context.clock.now()
    assert payment is not None  # noqa: S101 - the caller has looked
    operation = operation_of(record, currency=payment.currency)
    refusal = refusal_to_book(operation, payment.totals)
    if operation is None or refusal is not None:
        raise InvalidState(*(refusal or NOT_BOOKABLE))
    # Against new reservations. The order is locked, so nothing of it can be settled in the meantime.
    unreserved = Payment.objects.filter(pk=payment.pk, capture_reserved=0, refund_reserved=0)
    if not unreserved.exclude(reversal=Reversal.RESERVED).update(number=F("number")):
        raise InvalidState(*BOOKING_OUTSTANDING)

    # Its transaction, and the totals, as far as the limits allow
    why, totals_before = made_elsewhere(record), payment.totals
    unknown, approved = TransactionState.UNKNOWN, TransactionState.APPROVED
    row = _transaction_of(operation, payment, actor, reason, now, context)
    row.explanation_code, row.explanation_params = why.code.value, why.stored_params
    finding = Finding(verdict=Verdict.APPROVED, record_id=operation.record_id, amount=operation.amount)
    booking = book(row, before=unknown, after=approved, finding=finding)
    row.approved_minor, row.excess_minor = row.amount_minor, booking.excess
    row.save(force_insert=True)
    differs = record_discrepancies(
        row, finding, before=unknown, after=approved, now=now, excess=booking.excess
    )
    write_totals(row, booking, after=approved, freeze=differs.freeze, now=now)

    # The discrepancy about the record, if there was time to record one
    about = Discrepancy.objects.filter(fingerprint=elsewhere_fingerprint(seen, record))
    about.update(**closing_columns(actor=actor, reason=reason, now=now), booked_as=row)

    # What people and the shop are told
    by_person = bool(actor.name)
    event = TransactionEvent(
        transaction=row,
        kind=TransactionEventKind.DECISION if by_person else TransactionEventKind.RECORDS,
        lifecycle_event=LifecycleEvent.APPROVED,
        state_after=row.state,
        **actor_columns(TransactionEvent, "created_by", actor),
        occurred_at=now,
        **explanation_columns(explain(ExplanationCode.COMMENT, said=reason) if by_person else why),
    )
    event.save(force_insert=True)
    notifications = outbox_events_of(row, before=unknown, is_first_approval=True, totals_before=totals_before)
    outbox_events = add_outbox_events(row, notifications, now)
    if payment.is_frozen:
        outbox_events += lift_freeze(row, now)
    return row, outbox_events


def _transaction_of(
    operation: OperationElsewhere,
    payment: Payment,
    actor: Actor,
    reason: str,
    now: datetime,
    context: GatewayContext,
) -> GatewayTransaction:
    return GatewayTransaction(
        payment=payment,
        gateway=context.alias,
        origin=TransactionOrigin.ELSEWHERE,
        kind=operation.kind,
        reference=context.new_reference(),
        currency=payment.currency,
        amount_minor=operation.amount,
        state=TransactionState.APPROVED,
        state_changed_at=now,
        approved_at=now,
        confirmed_at=now,
        record_id=operation.record_id,
        provider_transaction_id=cut_to(
            GatewayTransaction, "provider_transaction_id", operation.provider_transaction_id
        ),
        **actor_columns(GatewayTransaction, "created_by", actor),
        comment=note_of(GatewayTransaction, "comment", reason),
        created_at=now,
    )
