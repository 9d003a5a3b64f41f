"""The only writer of states and sums: one piece of news about one transaction, recorded in one transaction.

Locks are taken in one order everywhere: order, payment, transaction. The order's version tells a writer that
somebody settled something meanwhile; it then reads again and starts over.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import IntegrityError
from django.db.models import F
from django.views.decorators.debug import sensitive_variables

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import (
    SENDERS_NEWS,
    IllegalTransition,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
    advance,
)
from wallet_gateway.domain.outcomes import Finding, Verdict
from wallet_gateway.domain.unreadable_records import sentence_of
from wallet_gateway.models import (
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    OutboxEventKind,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.prepared_sql import insert
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.booking import book
from wallet_gateway.operations.settlement.counters import VersionConflict, write_totals
from wallet_gateway.operations.settlement.db_transactions import in_transaction_with_retries
from wallet_gateway.operations.settlement.discrepancies import is_settled_by_person, record_discrepancies
from wallet_gateway.operations.settlement.notifications import Notification, outbox_events_of
from wallet_gateway.operations.settlement.outbox import deliver
from wallet_gateway.operations.settlement.status_updates import StatusUpdate
from wallet_gateway.operations.settlement.transaction_columns import write_transaction
from wallet_gateway.operations.settlement.unit_mix_ups import warn_of_mix_up

_TRIES = 5
_settlements: ContextVar[int] = ContextVar("wallet_gateway_settlements", default=0)
"""How many this thread or task has made: says without a statement whether one was made inside another."""
FIRST_DELIVERY = timedelta(seconds=60)
"""How long a new fact belongs to the process that wrote it; afterwards the sweep delivers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """The rows after the news, and the facts that are to be told."""

    transaction: GatewayTransaction
    outbox_events: tuple[OutboxEvent, ...] = ()
    stopped: str = ""
    """Why all sending was stopped with it; empty where it was not."""


@sensitive_variables()
def settle(
    transaction: GatewayTransaction, news: StatusUpdate, *, context: GatewayContext
) -> GatewayTransaction:
    """Record news about a transaction, commit, and tell the shop; return the transaction as it then stands.

    Written are its state, its payment's sums, its order's state, evidence, discrepancies and facts.
    `transaction` is as read by the caller with its payment and order; it is read again when it proves stale.
    """
    try:
        settled = _settle(transaction, news, context)
    except IntegrityError:
        taken = _record_is_taken(transaction, news)
        if taken is None:
            raise
        settled = _settle(reread(transaction), taken, context)
    if news.finding.discrepancy is not None:
        context.pause.forget()
    if settled.stopped:
        warn_of_mix_up(context.alias, settled.stopped)
    _settlements.set(mine := _settlements.get() + 1)
    deliver(settled.outbox_events, clock=context.clock)
    # A receiver may have acted on what it was told, and then these rows are old.
    return settled.transaction if _settlements.get() == mine else reread(settled.transaction)


def _settle(transaction: GatewayTransaction, news: StatusUpdate, context: GatewayContext) -> _Settled:
    try:
        return in_transaction_with_retries(lambda: _write(transaction, news, context))
    except (VersionConflict, IntegrityError):
        # Where somebody else has settled the same, the sums refuse to be booked a second time.
        return _settle_locked(transaction, news, context)


def _settle_locked(transaction: GatewayTransaction, news: StatusUpdate, context: GatewayContext) -> _Settled:
    """Take the lock first, so that however many others are at the same order, this one gets its turn."""
    for _ in range(_TRIES):
        try:
            return in_transaction_with_retries(lambda: _write(_locked(transaction), news, context))
        except VersionConflict:
            # Somebody claimed the transaction for sending, which locks its own row alone.
            continue
    return in_transaction_with_retries(lambda: _write(_locked(transaction), news, context))


def _locked(transaction: GatewayTransaction) -> GatewayTransaction:
    """Lock the order or deposit by an UPDATE, which every database understands, and read what stands now."""
    if transaction.payment is not None:
        PaymentOrder.objects.filter(pk=transaction.payment.order_id).update(version=F("version") + 1)
    elif transaction.deposit is not None:
        MigratedDeposit.objects.filter(pk=transaction.deposit.pk).update(refunded=F("refunded"))
    return reread(transaction)


def reread(transaction: GatewayTransaction) -> GatewayTransaction:
    """Read a transaction again with its payment, order and deposit."""
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit")
    return rows.get(pk=transaction.pk)


def _record_is_taken(transaction: GatewayTransaction, news: StatusUpdate) -> StatusUpdate | None:
    """Return the news as a contradiction when the gateway's record belongs to another transaction already."""
    record_id = news.finding.record_id
    if not record_id:
        return None
    others = GatewayTransaction.objects.exclude(pk=transaction.pk)
    if not others.filter(gateway=transaction.gateway, kind=transaction.kind, record_id=record_id).exists():
        return None
    finding = Finding(
        verdict=Verdict.CONTRADICTION,
        discrepancy=DiscrepancyKind.RECORD_TAKEN,
        detail=f"the gateway's record {record_id} belongs to another transaction of ours",
    )
    return replace(news, event=LifecycleEvent.CONTRADICTED, finding=finding, changes={})


def _write(transaction: GatewayTransaction, news: StatusUpdate, context: GatewayContext) -> _Settled:
    # The transaction may be run again, so every run starts from rows as they were read.
    transaction, now = _copy(transaction), context.clock.now()
    if news.attempt_no is not None and news.attempt_no != transaction.attempt_no:
        _add_event(transaction, news, now)
        return _Settled(transaction=transaction)
    before, was_approved = TransactionState(transaction.state), transaction.approved_minor is not None
    if news.asked_in not in {None, before}:
        # It has moved on while the gateway was asked: when to ask next and whom to call is settled anew.
        news = replace(news, changes={})
    after = _after(transaction, before, news)
    if after is before and news.event in SENDERS_NEWS:
        # The sender's claim was lost: what it brings is kept for people and changes no column.
        _add_event(transaction, news, now)
        return _Settled(transaction=transaction)
    booking = book(transaction, before=before, after=after, finding=news.finding)
    differs = record_discrepancies(
        transaction,
        news.finding,
        before=before,
        after=after,
        now=now,
        in_own_answer=news.kind is TransactionEventKind.ANSWER,
    )
    freeze = differs.freeze or (after is TransactionState.ANOMALY and before is not TransactionState.ANOMALY)
    payment_before = transaction.payment.totals if transaction.payment else None
    if after != before or freeze:
        write_totals(transaction, booking, after=after, freeze=freeze, now=now)
    transaction.state = after
    write_transaction(transaction, news, before=before, booking=booking, now=now, jitter=context.jitter())
    if news.also is not None:
        news.also()
    if news.is_kept or differs.is_new or after is not before:
        _add_event(transaction, news, now)
    moved = after is not before and not was_approved
    told = outbox_events_of(transaction, moved=moved, sums_before=payment_before)
    if before is TransactionState.PENDING:
        # A page on which one card was refused, and a second one was pending, fails for the shop once.
        told = _untold(transaction, told)
    return _Settled(
        transaction=transaction,
        outbox_events=add_outbox_events(transaction, told, now),
        stopped=differs.stopped,
    )


def _untold(transaction: GatewayTransaction, told: Sequence[Notification]) -> tuple[Notification, ...]:
    if not any(outbox_event.kind is OutboxEventKind.FAILED for outbox_event in told):
        return tuple(told)
    failed = OutboxEvent.objects.filter(transaction=transaction, kind=OutboxEventKind.FAILED).exists()
    return tuple(
        outbox_event for outbox_event in told if not (failed and outbox_event.kind is OutboxEventKind.FAILED)
    )


def _after(transaction: GatewayTransaction, before: TransactionState, news: StatusUpdate) -> TransactionState:
    if news.event is None:
        return before
    if news.decided_on not in {None, before}:
        raise IllegalTransition(before, news.event)
    if news.event is LifecycleEvent.CONTRADICTED and is_settled_by_person(transaction, news.finding):
        return before
    # The customer can have paid only on a page whose address came; a refused checkout has no such page.
    has_page = transaction.kind == TransactionKind.CHECKOUT and bool(transaction.redirect_url)
    return advance(before, news.event, is_page=has_page)


def _copy(transaction: GatewayTransaction) -> GatewayTransaction:
    transaction = copy.copy(transaction)
    if transaction.payment is not None:
        order = copy.copy(transaction.payment.order)
        transaction.payment = copy.copy(transaction.payment)
        transaction.payment.order = order
    return transaction


def _add_event(transaction: GatewayTransaction, news: StatusUpdate, now: datetime) -> None:
    exchange, finding = news.exchange, news.finding
    unread = sentence_of(finding.unreadable) if finding.unreadable else ""
    evidence = TransactionEvent(
        transaction=transaction,
        kind=news.kind,
        lifecycle_event=news.event or "",
        state_after=transaction.state,
        detail=(news.detail or finding.detail or unread)[:500],
        http_status=exchange.http_status if exchange else None,
        request_body=exchange.request_body if exchange else "",
        answer_body=exchange.answer_body if exchange else finding.answer,
        elapsed_ms=int(exchange.elapsed_seconds * 1000) if exchange else None,
        created_by=news.by[:150],
        occurred_at=now,
    )
    insert(evidence)


def add_outbox_events(
    transaction: GatewayTransaction, told: Sequence[Notification], now: datetime
) -> tuple[OutboxEvent, ...]:
    """Write facts about a transaction into the outbox, for this process to deliver after the commit."""
    if not told or transaction.payment is None:
        return ()
    outbox_events = [
        OutboxEvent(
            event_id=uuid.uuid4(),
            kind=outbox_event.kind,
            order=transaction.payment.order,
            transaction=transaction,
            amount_minor=outbox_event.amount,
            currency=transaction.currency,
            occurred_at=now,
            next_delivery_at=now + FIRST_DELIVERY,
            attempts=1,
        )
        for outbox_event in told
    ]
    OutboxEvent.objects.bulk_create(outbox_events)
    return tuple(outbox_events)
