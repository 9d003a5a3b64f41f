"""The only writer of states and totals: one status update of one transaction in one database transaction.

Locks are taken in the same sequence everywhere: order, payment, transaction. A changed order version shows a
writer that another process has settled something in the meantime; it then reads again and starts over.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError
from django.db.models import F

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    OPENING_KINDS,
    OUTSTANDING_STATES,
    SENDER_EVENTS,
    IllegalTransition,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
    advance,
)
from wallet_gateway.domain.outcomes import Finding, FoundDiscrepancy, Verdict
from wallet_gateway.domain.totals import PaymentTotals
from wallet_gateway.models import (
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    OutboxEventKind,
    PaymentOrder,
    TransactionEventKind,
)
from wallet_gateway.models.settlement_writes import SettlementRows, write_settlement
from wallet_gateway.models.single_rows import Columns
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.counters import (
    Booking,
    VersionConflict,
    book,
    changed_totals,
    retry_conflicts,
)
from wallet_gateway.operations.settlement.db_transactions import (
    in_transaction_with_retries,
)
from wallet_gateway.operations.settlement.discrepancies import (
    Recorded,
    is_settled_by_person,
    record_discrepancies,
)
from wallet_gateway.operations.settlement.late_payments import note_late_payment
from wallet_gateway.operations.settlement.outbox import (
    Notification,
    deliver,
    new_outbox_events,
    outbox_events_of,
    refusal_of,
)
from wallet_gateway.operations.settlement.status_updates import StatusUpdate
from wallet_gateway.operations.settlement.transaction_columns import (
    event_columns,
    order_as_seen,
    transaction_change,
)
from wallet_gateway.operations.settlement.unit_mix_ups import warn_of_mix_up
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

_settlements: ContextVar[int] = ContextVar("wallet_gateway_settlements", default=0)
"""Number of settlements of this thread or task: detects a nested settlement without an SQL statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The rows after the status update, and the outbox events to deliver."""

    transaction: GatewayTransaction
    outbox_events: tuple[OutboxEvent, ...] = ()
    stopped: Explanation | None = None
    """Why all sending was stopped by the update; None if it was not stopped."""
    alarms: tuple[Explanation, ...] = ()
    """What is new about the gateway itself."""


def settle(
    transaction: GatewayTransaction, update: StatusUpdate, *, context: GatewayContext
) -> GatewayTransaction:
    """Record a status update of a transaction, commit, notify the shop, and return the current transaction.

    Writes its state, its payment's totals, its order's state, transaction events, discrepancies and outbox
    events. The caller has read `transaction` with its payment and order; it is read again if it is stale.
    """
    try:
        settled = _settle(transaction, update, context)
    except IntegrityError:
        taken = _record_is_taken(transaction, update)
        if taken is None:
            raise
        settled = _settle(reread(transaction), taken, context)
    if update.finding.discrepancies:
        context.pause.forget()
    for why in settled.alarms:
        logger.error("%s: %s", context.alias, one_line(why))
    if settled.stopped:
        warn_of_mix_up(context.alias, settled.stopped, now=context.clock.now())
    _settlements.set(mine := _settlements.get() + 1)
    deliver(settled.outbox_events, clock=context.clock)
    # A receiver may have settled something in reaction to a signal; these rows are then stale.
    return settled.transaction if _settlements.get() == mine else reread(settled.transaction)


def _settle(transaction: GatewayTransaction, update: StatusUpdate, context: GatewayContext) -> Settled:
    try:
        return in_transaction_with_retries(lambda: _write(transaction, update, context))
    except (VersionConflict, IntegrityError):
        # Another process may have settled the same update; the totals reject a second booking.
        return _settle_locked(transaction, update, context)


def _settle_locked(transaction: GatewayTransaction, update: StatusUpdate, context: GatewayContext) -> Settled:
    """Take the lock first, so that this writer gets its turn however many others write to the same order."""
    # Another process may still claim the transaction for sending, which locks only the transaction's row.
    return retry_conflicts(
        lambda: in_transaction_with_retries(lambda: _write(locked(transaction), update, context))
    )


def locked(transaction: GatewayTransaction) -> GatewayTransaction:
    """Lock the order or deposit by an UPDATE, which every database supports, and read the current row."""
    if transaction.payment is not None:
        PaymentOrder.objects.filter(pk=transaction.payment.order_id).update(version=F("version") + 1)
    elif transaction.deposit is not None:
        MigratedDeposit.objects.filter(pk=transaction.deposit.pk).update(refunded=F("refunded"))
    return reread(transaction)


def reread(transaction: GatewayTransaction) -> GatewayTransaction:
    """Read a transaction again with its payment, order and deposit."""
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit")
    return rows.get(pk=transaction.pk)


def is_taken(transaction: GatewayTransaction, record_id: str) -> bool:
    """Return whether the gateway's record with this id belongs to another transaction."""
    same = GatewayTransaction.objects.filter(
        gateway=transaction.gateway, kind=transaction.kind, record_id=record_id
    )
    return bool(record_id) and same.exclude(pk=transaction.pk).exists()


def _record_is_taken(transaction: GatewayTransaction, update: StatusUpdate) -> StatusUpdate | None:
    """Return the update as a contradiction if the gateway's record already belongs to another transaction."""
    record_id = update.finding.record_id
    if update.kind is TransactionEventKind.DECISION or not is_taken(transaction, record_id):
        return None
    why = explain(ExplanationCode.RECORD_TAKEN, record=record_id)
    taken = FoundDiscrepancy(kind=DiscrepancyKind.RECORD_TAKEN, explanation=why, record=update.finding.record)
    finding = Finding(
        verdict=Verdict.CONTRADICTION,
        discrepancies=(taken,),
        explanation=why,
        shown_amount=update.finding.shown_amount,
    )
    # The schedule goes on: only the record is not this transaction's.
    changes = {name: value for name, value in update.changes.items() if name != "record_id"}
    return replace(update, event=LifecycleEvent.CONTRADICTED, finding=finding, changes=changes)


def _write(transaction: GatewayTransaction, update: StatusUpdate, context: GatewayContext) -> Settled:
    settled, rows = _prepare(transaction, update, context)
    if not write_settlement(replace(rows, event=None, outbox=())):
        raise VersionConflict
    if rows.transaction is not None:
        if transaction.state in _HIDES_OTHERS and settled.transaction.state in FINAL_STATES:
            _query_opening_soon(settled.transaction, context.clock.now())
        if update.also is not None:
            update.also()
    # Last: a decision comes after the word of the second person, which is written with it.
    write_settlement(SettlementRows(event=rows.event, outbox=rows.outbox))
    return settled


def _prepare(
    transaction: GatewayTransaction, update: StatusUpdate, context: GatewayContext
) -> tuple[Settled, SettlementRows]:
    """Return the rows as they will be, and the changes to write; only discrepancies are written here."""
    # The database transaction may be repeated, so every run starts from the rows as they were read.
    transaction, now = _copy(transaction), context.clock.now()
    step = _step(transaction, update, now)
    if step is None:
        # The sender has lost its claim: its result is kept for people and changes no column.
        return Settled(transaction=transaction), SettlementRows(event=_event(transaction, update, now))
    booking = book(transaction, before=step.before, after=step.after, finding=update.finding)
    differs = _differences(step, booking, context)
    sums_before = transaction.payment.totals if transaction.payment else None
    totals = _changed_totals(step, booking, differs)
    transaction.state = step.after
    change = transaction_change(
        transaction, step.update, before=step.before, booking=booking, now=now, jitter=context.jitter()
    )
    is_kept = update.is_kept or differs.is_new or step.moves
    events = new_outbox_events(transaction, _notifications(step, sums_before, differs), now)
    rows = replace(
        totals,
        order=totals.order or order_as_seen(transaction, step.update),
        transaction=change,
        event=_event(transaction, step.update, now) if is_kept else None,
        outbox=events,
    )
    settled = Settled(
        transaction=transaction, outbox_events=events, stopped=differs.stopped, alarms=differs.alarms
    )
    return settled, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A transaction's state before and after an update, and the part of the update that still applies."""

    transaction: GatewayTransaction
    update: StatusUpdate
    before: TransactionState
    after: TransactionState
    was_approved: bool
    now: datetime

    @property
    def moves(self) -> bool:
        return self.after is not self.before


def _step(transaction: GatewayTransaction, update: StatusUpdate, now: datetime) -> _Step | None:
    """Return the step that an update causes; None if it comes from a sender that has lost its claim."""
    if update.attempt_no is not None and update.attempt_no != transaction.attempt_no:
        return None
    before = TransactionState(transaction.state)
    if _is_stale(update, transaction):
        # The state changed during the status query, so the computed schedule and operator flag are void.
        update = replace(update, changes={}, queried_in=None)
    after = _after(transaction, before, update)
    if after is before and update.event in SENDER_EVENTS:
        return None
    was_approved = transaction.approved_minor is not None
    return _Step(
        transaction=transaction, update=update, before=before, after=after, was_approved=was_approved, now=now
    )


def _differences(step: _Step, booking: Booking, context: GatewayContext) -> Recorded:
    """Record the discrepancies of an update, that of a late payment among them."""
    is_late = note_late_payment(
        step.transaction, after=step.after, was_approved=step.was_approved, context=context
    )
    return record_discrepancies(
        step.transaction,
        step.update.finding,
        before=step.before,
        after=step.after,
        now=step.now,
        excess=booking.excess,
        in_own_answer=step.update.kind is TransactionEventKind.ANSWER,
        is_late=is_late,
    )


def _changed_totals(step: _Step, booking: Booking, differs: Recorded) -> SettlementRows:
    freeze = differs.freeze or (step.moves and step.after is TransactionState.ANOMALY)
    if not (step.moves or freeze):
        return SettlementRows()
    return changed_totals(step.transaction, booking, after=step.after, freeze=freeze, now=step.now)


def _notifications(
    step: _Step, sums_before: PaymentTotals | None, differs: Recorded
) -> Sequence[Notification]:
    moved = step.moves and not step.was_approved
    found = outbox_events_of(
        step.transaction, moved=moved, sums_before=sums_before, is_signalled=differs.is_signalled
    )
    found += refusal_of(step.transaction, moved=step.moves, is_awaited=step.update.is_awaited)
    # A page with one refused card and a second pending one is reported to the shop as failed only once; so is
    # an operation that was refused, reported as approved all the same, and then given up by a person.
    is_repeated = step.before in {TransactionState.PENDING, TransactionState.ANOMALY}
    return _without_repetition(step.transaction, found) if is_repeated else found


_HIDES_OTHERS = OUTSTANDING_STATES - {TransactionState.SENDING} | {TransactionState.NOT_SENT}
"""States in which a follow-up may explain a record that is not its own, or keeps one from being booked."""


def _query_opening_soon(transaction: GatewayTransaction, now: datetime) -> None:
    """Let the payment be queried soon: the end of a follow-up may show what was done elsewhere."""
    if transaction.payment_id is None or transaction.kind in OPENING_KINDS:
        return
    opening = GatewayTransaction.objects.filter(
        payment=transaction.payment_id, kind__in=OPENING_KINDS, state=TransactionState.APPROVED
    )
    opening.exclude(next_query_at__lt=now).update(next_query_at=now)


def _is_stale(update: StatusUpdate, transaction: GatewayTransaction) -> bool:
    queried = (update.queried_in, update.queried_since)
    return queried[0] is not None and queried != (transaction.state, transaction.state_changed_at)


_TOLD_ONCE = frozenset({OutboxEventKind.FAILED, OutboxEventKind.OPERATION_REFUSED})
"""Events of which each transaction has only one."""


def _without_repetition(
    transaction: GatewayTransaction, notifications: Sequence[Notification]
) -> tuple[Notification, ...]:
    kinds = _TOLD_ONCE & {notification.kind for notification in notifications}
    if not kinds:
        return tuple(notifications)
    told = OutboxEvent.objects.filter(transaction=transaction, kind__in=kinds)
    known = frozenset(told.values_list("kind", flat=True))
    return tuple(notification for notification in notifications if notification.kind not in known)


def _after(
    transaction: GatewayTransaction, before: TransactionState, update: StatusUpdate
) -> TransactionState:
    if update.event is None:
        return before
    if update.decided_on not in {None, before}:
        raise IllegalTransition(before, update.event)
    if update.event is LifecycleEvent.CONTRADICTED and is_settled_by_person(transaction, update.finding):
        return before
    # The customer can only have paid on a page whose URL was received; a refused checkout has none.
    has_page = transaction.kind == TransactionKind.CHECKOUT and bool(transaction.redirect_url)
    return advance(before, update.event, is_page=has_page)


def _copy(transaction: GatewayTransaction) -> GatewayTransaction:
    transaction = copy(transaction)
    if transaction.payment is not None:
        order = copy(transaction.payment.order)
        transaction.payment = copy(transaction.payment)
        transaction.payment.order = order
    return transaction


def _event(transaction: GatewayTransaction, update: StatusUpdate, now: datetime) -> Columns:
    return {"transaction_id": transaction.pk, **event_columns(transaction, update, now)}
