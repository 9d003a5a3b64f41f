"""Book operations made elsewhere: each becomes a transaction of its own, from the gateway's record.

Such a transaction has its own reference, which is never sent, and the id of the record, which no second
transaction can have: the same operation is booked once, however often and by how many workers it is seen.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError
from django.db.models import F

from wallet_gateway.domain.actors import NOBODY, Actor
from wallet_gateway.domain.elsewhere import OperationElsewhere, booking_order, operation_of, refusal_to_book
from wallet_gateway.domain.error_codes import BOOKING_OUTSTANDING, NOT_BOOKABLE, RECORD_TAKEN
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionOrigin, TransactionState
from wallet_gateway.domain.outcomes import Finding, Verdict, made_elsewhere
from wallet_gateway.domain.policy import BookElsewhere
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    OutboxEvent,
    Payment,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.actors import actor_columns
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.models.fields import cut_to, note_of
from wallet_gateway.models.single_rows import insert_row
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.settlement.counters import book, retry_conflicts, write_totals
from wallet_gateway.operations.settlement.db_transactions import in_transaction_with_retries
from wallet_gateway.operations.settlement.discrepancies import (
    closing_columns,
    elsewhere_fingerprint,
    is_closed,
    record_discrepancies,
)
from wallet_gateway.operations.settlement.freezes import release_freeze
from wallet_gateway.operations.settlement.outbox import add_outbox_events, deliver, outbox_events_of
from wallet_gateway.operations.settlement.settle import locked, reread
from wallet_gateway.protocol.status import StatusRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookkeeper:
    """The person who decided to book; empty if the settings decide."""

    actor: Actor = NOBODY
    reason: str = ""


BY_POLICY = Bookkeeper()


def book_by_policy(transaction: GatewayTransaction, finding: Finding, *, context: GatewayContext) -> Finding:
    """Book what was made elsewhere if the settings say so; return the finding with what is left to a person.

    Left are records that no rule books, those that a person has decided on, and all of them while an
    operation on the payment is outstanding.
    """
    if context.policy.book_elsewhere is not BookElsewhere.BOOK or not finding.elsewhere:
        return finding
    # What is captured can be refunded: a list that begins with the newest record does not decide that.
    in_order = sorted(finding.elsewhere, key=booking_order)
    left = tuple(record for record in in_order if not _is_booked_now(transaction, record, context))
    return replace(finding, elsewhere=left)


def _is_booked_now(transaction: GatewayTransaction, record: StatusRecord, context: GatewayContext) -> bool:
    if is_closed(elsewhere_fingerprint(transaction, record)):
        return False
    with suppress(InvalidState):
        book_elsewhere(transaction, record, context=context)
        return True
    return False


def book_elsewhere(
    transaction: GatewayTransaction,
    record: StatusRecord,
    *,
    who: Bookkeeper = BY_POLICY,
    context: GatewayContext,
) -> GatewayTransaction:
    """Book the operation of a record found with `transaction` on its payment; return the new transaction.

    What exceeds the payment's limits is not added to its totals: it freezes the payment. Raises
    `InvalidState` if no rule says how to book it, or while an operation on it is outstanding. A record that
    is booked already is not booked again: its transaction is returned.
    """
    if transaction.payment is None:
        raise InvalidState(*NOT_BOOKABLE)
    try:
        booked, outbox_events = retry_conflicts(
            lambda: in_transaction_with_retries(lambda: _book(locked(transaction), record, who, context))
        )
    except IntegrityError as error:
        owner = _owner_of(transaction, record)
        if owner is None:
            raise
        if owner.payment_id != transaction.payment_id or owner.state != TransactionState.APPROVED:
            raise InvalidState(*RECORD_TAKEN) from error
        booked, outbox_events = owner, ()
    deliver(outbox_events, clock=context.clock)
    if booked.payment is not None and booked.payment.is_frozen:
        release_freeze(transaction, context=context)
    return reread(booked)


_Booked = tuple[GatewayTransaction, tuple[OutboxEvent, ...]]


def _owner_of(transaction: GatewayTransaction, record: StatusRecord) -> GatewayTransaction | None:
    operation = operation_of(record, currency=transaction.currency)
    if operation is None:
        return None
    same = GatewayTransaction.objects.filter(
        gateway=transaction.gateway, kind=operation.kind, record_id=operation.record_id
    )
    return same.select_related("payment__order").first()


def _book(
    seen: GatewayTransaction, record: StatusRecord, who: Bookkeeper, context: GatewayContext
) -> _Booked:
    payment, now = seen.payment, context.clock.now()
    assert payment is not None  # noqa: S101 - the caller has looked
    operation = operation_of(record, currency=payment.currency)
    refusal = refusal_to_book(operation, payment.totals)
    if operation is None or refusal is not None:
        raise InvalidState(*(refusal or NOT_BOOKABLE))
    _hold(payment)
    before = payment.totals
    row = _transaction_of(operation, payment, who, now, context)
    why = made_elsewhere(record)
    row.explanation_code, row.explanation_params = why.code.value, why.stored_params
    finding = Finding(verdict=Verdict.APPROVED, record_id=operation.record_id, amount=operation.amount)
    _add(row, finding, now)
    _close(seen, record, row, who, now)
    _add_event(row, record, who, now)
    notifications = outbox_events_of(row, moved=True, sums_before=before)
    return row, add_outbox_events(row, notifications, now)


def _hold(payment: Payment) -> None:
    """Lock the payment's row against new reservations; raise `InvalidState` if there is one already.

    The order is locked, so nothing of it can be settled in the meantime.
    """
    unreserved = Payment.objects.filter(pk=payment.pk, capture_reserved=0, refund_reserved=0)
    if not unreserved.exclude(reversal=Reversal.RESERVED).update(number=F("number")):
        raise InvalidState(*BOOKING_OUTSTANDING)


def _transaction_of(
    operation: OperationElsewhere,
    payment: Payment,
    who: Bookkeeper,
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
        **actor_columns(GatewayTransaction, "created_by", who.actor),
        comment=note_of(GatewayTransaction, "comment", who.reason),
        created_at=now,
    )


def _add(row: GatewayTransaction, finding: Finding, now: datetime) -> None:
    """Save a booked transaction and add its amount to its payment, as far as the limits allow."""
    unknown, approved = TransactionState.UNKNOWN, TransactionState.APPROVED
    booking = book(row, before=unknown, after=approved, finding=finding)
    row.approved_minor, row.excess_minor = row.amount_minor, booking.excess
    row.save(force_insert=True)
    differs = record_discrepancies(
        row, finding, before=unknown, after=approved, now=now, excess=booking.excess
    )
    write_totals(row, booking, after=approved, freeze=differs.freeze, now=now)


def _close(
    seen: GatewayTransaction,
    record: StatusRecord,
    row: GatewayTransaction,
    who: Bookkeeper,
    now: datetime,
) -> None:
    """Close the discrepancy about the record, if there was time to record one."""
    about = Discrepancy.objects.filter(fingerprint=elsewhere_fingerprint(seen, record))
    about.update(**closing_columns(actor=who.actor, reason=who.reason, now=now), booked_as=row)


def _add_event(row: GatewayTransaction, record: StatusRecord, who: Bookkeeper, now: datetime) -> None:
    kind = TransactionEventKind.DECISION if who.actor.name else TransactionEventKind.RECORDS
    why = explain(ExplanationCode.COMMENT, said=who.reason) if who.actor.name else made_elsewhere(record)
    event = TransactionEvent(
        transaction=row,
        kind=kind,
        lifecycle_event=LifecycleEvent.APPROVED,
        state_after=row.state,
        **actor_columns(TransactionEvent, "created_by", who.actor),
        occurred_at=now,
        **explanation_columns(why),
    )
    insert_row(event)
