"""Write what is learned or decided to states and totals: one change of one transaction, committed as a whole.

Only what is begun or cancelled is written where that is done, by a conditional UPDATE or under the order's
lock: offers and claims to send in `payments/checkout.py`, `wallet_session.py` and `wallet_card.py`,
reservations and their claims in `execution.py` and `detached_refunds.py`, cancellations in `cancellation.py`.

Whatever is learned or decided about a transaction (an answer, a status record, a fault, a person's word) is a
`Change`. `apply` reads what it means for the state (`advance`) and for the money (`book`), writes both
with the differences that it shows, an event and the outbox, commits, and then notifies the shop.

1. A total changes by an UPDATE that adds a difference; it is never written from a row that was read.
2. The order's version is the lock: each write of money raises it, and a writer that finds another version has
   written nothing, reads again and starts over. A deposit has only counters, which need no version.
3. A transaction changes only while it has the state, and the claim to send, that were read.
4. State, totals, differences, event and outbox are committed together or not at all. The shop is notified
   after the commit; a receiver that fails changes nothing of what is written.
5. Rows are locked in the same sequence everywhere: order, payment or deposit, transaction.

All of it may run again after a conflict, so it begins with copies of the rows as they were read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

from django.db import IntegrityError
from django.db.models import Exists, F, OuterRef, QuerySet

from wallet_gateway.client.exchange import Exchange
from wallet_gateway.client.redaction import redact_text
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import DiscrepancyKind, Explanation, ExplanationCode, explain
from wallet_gateway.domain.evidence import (
    INCONCLUSIVE,
    Finding,
    FoundDiscrepancy,
    Verdict,
    unreadable_explanation,
)
from wallet_gateway.domain.people import NOBODY, Actor
from wallet_gateway.domain.policy import LatePaymentPolicy
from wallet_gateway.domain.polling_schedule import next_query_at, query_priority
from wallet_gateway.domain.states import (
    CANCELLABLE_STATES,
    FINAL_STATES,
    OPENING_KINDS,
    OUTSTANDING_STATES,
    SENDER_EVENTS,
    IllegalTransition,
    LatePayment,
    LifecycleEvent,
    OrderState,
    PaymentSnapshot,
    PaymentState,
    PaymentType,
    Reversal,
    TransactionKind,
    TransactionState,
    advance,
    order_state,
    payment_state,
)
from wallet_gateway.ledger.discrepancies import (
    NOTHING_RECORDED,
    Recorded,
    is_settled_by_person,
    record_discrepancies,
    warn_of_mix_up,
)
from wallet_gateway.ledger.outbox import (
    Notification,
    add_outbox_events,
    deliver,
    events_of_release,
    is_given_back,
    is_refusal_for_shop,
    outbox_events_of,
)
from wallet_gateway.ledger.transactions import VersionConflict, in_transaction_with_retries, retry_conflicts
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    OutboxEventKind,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.fields import actor_columns, cut_to, explanation_columns, note_of
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

P = TypeVar("P", Payment, MigratedDeposit)

_applied: ContextVar[int] = ContextVar("wallet_gateway_applied", default=0)
"""Number of changes that this thread or task has applied: detects a nested one without an SQL statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is learned or decided about one transaction."""

    kind: TransactionEventKind
    event: LifecycleEvent | None = None
    """None if there is no state transition, for example when only the next query is scheduled."""
    finding: Finding = INCONCLUSIVE
    exchange: Exchange | None = None
    explanation: Explanation | None = None
    actor: Actor = NOBODY
    """Who decided; empty if nobody did."""
    attempt_no: int | None = None
    """The claim of the sender: one that has lost its claim must not record "nothing left"."""
    decided_on: TransactionState | None = None
    """The state that a person saw and decided on: the decision is valid for that state only."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of the transaction to write."""
    queried_in: tuple[TransactionState, datetime] | None = None
    """The state at the time of the status query, and when it began: `columns` are void in any other."""
    query_not_before: datetime | None = None
    """The earliest time of the next query, as requested by the gateway."""
    is_awaited: bool = False
    """Whether the call that made the operation is returning this result to its caller."""
    write_with: Callable[[], object] | None = None
    """A further write in the same database transaction, which may be repeated."""
    is_kept: bool = True
    """False to write no event for a change without news; a transition is always written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Applied:
    """The transaction as it was written, and what is left to do after the commit."""

    transaction: GatewayTransaction
    outbox_events: tuple[OutboxEvent, ...] = ()
    recorded: Recorded = NOTHING_RECORDED


def apply(transaction: GatewayTransaction, change: Change, *, context: GatewayContext) -> GatewayTransaction:
    """Apply a change to a transaction, commit, notify the shop, and return the current transaction.

    The caller has read `transaction` with its payment and order; it is read again if it is stale. Raises
    `IllegalTransition` for an event that cannot happen in its state.
    """
    try:
        applied = _write_and_commit(transaction, change, context)
    except IntegrityError:
        record_id = change.finding.record_id
        if change.kind is TransactionEventKind.DECISION or not is_taken(transaction, record_id):
            raise
        # The gateway's record already belongs to another transaction: a contradiction.
        why = explain(ExplanationCode.RECORD_TAKEN, record=record_id)
        found = FoundDiscrepancy(
            kind=DiscrepancyKind.RECORD_TAKEN, explanation=why, record=change.finding.record
        )
        finding = Finding(
            verdict=Verdict.CONTRADICTION,
            discrepancies=(found,),
            explanation=why,
            shown_amount=change.finding.shown_amount,
        )
        # The schedule goes on: only the record is not this transaction's.
        columns = {name: value for name, value in change.columns.items() if name != "record_id"}
        taken = replace(change, event=LifecycleEvent.CONTRADICTED, finding=finding, columns=columns)
        applied = _write_and_commit(reread(transaction), taken, context)
    for alarm in applied.recorded.alarms:
        logger.error("%s: %s", context.alias, one_line(alarm), extra=applied.transaction.log_fields)
    if applied.recorded.stopped:
        warn_of_mix_up(context.alias, applied.recorded.stopped, now=context.clock.now())
    _applied.set(mine := _applied.get() + 1)
    deliver(applied.outbox_events, clock=context.clock)
    # A receiver may have applied something in reaction to a signal; these rows are then stale.
    return applied.transaction if _applied.get() == mine else reread(applied.transaction)


def _write_and_commit(transaction: GatewayTransaction, change: Change, context: GatewayContext) -> _Applied:
    try:
        return in_transaction_with_retries(lambda: _write(transaction, change, context))
    except (VersionConflict, IntegrityError):
        # Another process may have applied the same change; the totals reject a second booking. With the lock
        # taken first, this writer gets its turn however many others write to the same order. Still another
        # process may claim the transaction for sending, which locks only the transaction's row.
        return retry_conflicts(
            lambda: in_transaction_with_retries(lambda: _write(locked(transaction), change, context))
        )


def _write(transaction: GatewayTransaction, change: Change, context: GatewayContext) -> _Applied:
    """Write one change; raises `VersionConflict` where a row is not as it was read."""
    transaction, now = _copy(transaction), context.clock.now()
    payment, before = transaction.payment, TransactionState(transaction.state)

    # What it means for the state
    if change.queried_in not in {None, (before, transaction.state_changed_at)}:
        # The state changed during the status query, so the computed schedule and operator flag are void. So
        # is an end: what was learned meanwhile may be newer, and a further query would find the end again.
        event = None if change.event in _ENDS_UNPAID else change.event
        change = replace(change, event=event, columns={}, queried_in=None)
    has_claim = change.attempt_no in {None, transaction.attempt_no}
    after = _state_after(transaction, before, change) if has_claim else before
    moves = after is not before
    if not has_claim or (not moves and change.event in SENDER_EVENTS):
        # The sender has lost its claim: its result is kept for people and changes no column.
        _event_row(transaction, change, now).save(force_insert=True)
        return _Applied(transaction=transaction)

    # What it means for the money, and how it differs from what we know
    is_first_approval = transaction.approved_minor is None
    totals_before = payment.totals if payment is not None else None
    booking = book(transaction, before=before, after=after, finding=change.finding)
    is_late = is_first_approval and _note_late_payment(transaction, after, context)
    recorded = record_discrepancies(
        transaction,
        change.finding,
        before=before,
        after=after,
        now=now,
        excess=booking.excess,
        in_own_answer=change.kind is TransactionEventKind.ANSWER,
        is_late=is_late,
    )
    freeze = recorded.freeze or (moves and after is TransactionState.ANOMALY)
    if moves or freeze:
        write_totals(transaction, booking, after=after, freeze=freeze, now=now)

    # The transaction itself
    transaction.state = after
    columns = _columns(transaction, change, before=before, booking=booking, now=now, jitter=context.jitter())
    as_read = GatewayTransaction.objects.filter(
        pk=transaction.pk, state=before, attempt_no=transaction.attempt_no
    )
    if change.queried_in is not None:
        as_read = as_read.filter(state_changed_at=change.queried_in[1])
    if change.event is LifecycleEvent.OPENED and payment is not None:
        # If the order was changed in the meantime, it may be cancelled, or paid by an older page or the
        # wallet button, and the caller that returns the new page has to see that.
        as_seen = PaymentOrder.objects.filter(pk=payment.order_id, version=payment.order.version)
        as_read = as_read.filter(Exists(as_seen))
    # A change without columns must still find the row as it was read.
    if not as_read.update(**columns or {"state": before}):
        raise VersionConflict
    if before in _HIDES_OTHERS and after in FINAL_STATES:
        _query_opening_soon(transaction, now)
    if change.write_with is not None:
        change.write_with()

    # Last, because a decision's event comes after the word of the second person, which was just written
    if change.is_kept or recorded.is_new or moves:
        _event_row(transaction, change, now).save(force_insert=True)
    notifications = outbox_events_of(
        transaction,
        before=before,
        is_first_approval=is_first_approval,
        totals_before=totals_before,
        is_signalled=recorded.is_signalled,
        is_awaited=change.is_awaited,
    )
    events = add_outbox_events(transaction, notifications, now)
    if change.kind is TransactionEventKind.DECISION:
        events += lift_freeze(transaction, now)
    return _Applied(transaction=transaction, outbox_events=events, recorded=recorded)


_ENDS_UNPAID = frozenset({LifecycleEvent.REJECTED, LifecycleEvent.EXPIRED})


def _state_after(
    transaction: GatewayTransaction, before: TransactionState, change: Change
) -> TransactionState:
    if change.event is None:
        return before
    if change.decided_on not in {None, before}:
        raise IllegalTransition(before, change.event)
    if change.event is LifecycleEvent.CONTRADICTED and is_settled_by_person(transaction, change.finding):
        return before
    # The customer can only have paid on a page whose URL was received; a refused checkout has none.
    has_page = transaction.kind == TransactionKind.CHECKOUT and bool(transaction.redirect_url)
    return advance(before, change.event, is_page=has_page)


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


def is_taken(transaction: GatewayTransaction, record_id: str) -> bool:
    """Return whether the gateway's record with this id belongs to another transaction."""
    same = GatewayTransaction.objects.filter(
        gateway=transaction.gateway, kind=transaction.kind, record_id=record_id
    )
    return bool(record_id) and same.exclude(pk=transaction.pk).exists()


# The rows as they are read


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


def _copy(transaction: GatewayTransaction) -> GatewayTransaction:
    transaction = copy(transaction)
    if transaction.payment is not None:
        order = copy(transaction.payment.order)
        transaction.payment = copy(transaction.payment)
        transaction.payment.order = order
    return transaction


# The columns of a transaction, and its event


def _columns(
    transaction: GatewayTransaction,
    change: Change,
    *,
    before: TransactionState,
    booking: Booking,
    now: datetime,
    jitter: float,
) -> dict[str, Any]:
    """Return the columns that a change writes to a transaction in its new state, and set them on it."""
    finding, after = change.finding, TransactionState(transaction.state)
    columns = dict(change.columns)

    # What the gateway has shown, whether or not it moves the transaction
    if finding.reported_id and finding.reported_id != transaction.reported_id:
        columns["reported_id"] = finding.reported_id
    if finding.shown_amount is not None and finding.shown_amount != transaction.shown_minor:
        columns["shown_minor"] = finding.shown_amount
    word = note_of(GatewayTransaction, "undocumented_state", finding.undocumented_state)
    if finding.verdict is not Verdict.INCONCLUSIVE and word != transaction.undocumented_state:
        columns["undocumented_state"] = word

    if after is not before:
        why = change.explanation or finding.explanation
        if why is None and after is TransactionState.ANOMALY:
            why = explain(ExplanationCode.APPROVED_AFTER_END, state=before.value)
        columns |= {
            "state": after,
            "state_changed_at": now,
            "poll_step": 0,
            "absent_count": 0,
            "confirmed_at": None,
            "needs_operator": bool(change.columns.get("needs_operator")),
            "leased_until": None,
            **explanation_columns(why),
            **booking.transaction_columns,
        }
        if transaction.kind not in OPENING_KINDS:
            is_news = is_refusal_for_shop(transaction, is_awaited=change.is_awaited)
            columns["refusal_unseen_since"] = now if is_news else None
        if transaction.kind != TransactionKind.CHECKOUT:
            columns["outstanding_key"] = transaction.parent_key if after in OUTSTANDING_STATES else None
        may_be_sent = {TransactionState.NOT_SENT, TransactionState.SENDING}
        if before in may_be_sent and after is not TransactionState.NOT_SENT:
            # A body that may not be sent again is kept for reading only: redacted, and once, in its event.
            is_in_event = change.exchange is not None and change.exchange.request_body
            body = "" if is_in_event else redact_text(transaction.request_body)
            columns |= {"next_send_at": None, "request_body": body}
        if after is TransactionState.APPROVED:
            approved = finding.amount or transaction.approved_minor or transaction.amount_minor
            columns |= {
                "approved_minor": approved,
                "approved_at": transaction.approved_at or now,
                "provider_state": note_of(GatewayTransaction, "provider_state", finding.provider_state),
                **provider_id_columns(finding),
            }
            if finding.record_id:
                columns["record_id"] = finding.record_id
        _set(transaction, columns)
        poll_state = replace(transaction.poll_state, state=after, since=now, step=0)
        first = next_query_at(poll_state, jitter=jitter)
        if first is not None and change.query_not_before is not None:
            first = max(first, change.query_not_before)
        columns |= {"next_query_at": first, "query_priority": query_priority(poll_state)}
    is_held = after in {TransactionState.PENDING, TransactionState.AWAITING_3DS}
    if is_held and (finding.undocumented_state or finding.own_unreadable):
        # What holds it, only a person can read.
        columns["needs_operator"] = True
    _set(transaction, columns)
    return columns


def _set(transaction: GatewayTransaction, columns: Mapping[str, Any]) -> None:
    for name, value in columns.items():
        setattr(transaction, name, value)


def provider_id_columns(finding: Finding) -> dict[str, str]:
    """Return the column of the provider's id, if a record has one."""
    name = "provider_transaction_id"
    given = finding.provider_transaction_id
    return {name: cut_to(GatewayTransaction, name, given)} if given else {}


def _event_row(transaction: GatewayTransaction, change: Change, now: datetime) -> TransactionEvent:
    """Return the event about a transaction in its new state, not written yet."""
    exchange, finding = change.exchange, change.finding
    unread = unreadable_explanation(finding.unreadable) if finding.unreadable else None
    return TransactionEvent(
        transaction_id=transaction.pk,
        kind=change.kind,
        lifecycle_event=change.event or "",
        state_after=transaction.state,
        discrepancy_kind=finding.shown_discrepancy or "",
        **explanation_columns(change.explanation or finding.explanation or unread),
        http_status=exchange.http_status if exchange else None,
        request_body=exchange.request_body if exchange else "",
        answer_body=exchange.answer_body if exchange else finding.answer,
        elapsed_ms=int(exchange.elapsed_seconds * 1000) if exchange else None,
        **actor_columns(TransactionEvent, "created_by", change.actor),
        occurred_at=now,
    )


# The totals of a payment or deposit, and the states derived from them


def write_totals(
    transaction: GatewayTransaction, booking: Booking, *, after: TransactionState, freeze: bool, now: datetime
) -> None:
    """Add a booking to a transaction's payment or deposit, and derive the states again.

    Raises `VersionConflict` if another process has written money of the same order.
    """
    added: dict[str, Any] = {column: F(column) + minor for column, minor in booking.added.items()}
    if transaction.deposit_id is not None:
        if columns := added | ({"is_frozen": True} if freeze else {}):
            MigratedDeposit.objects.filter(pk=transaction.deposit_id).update(**columns)
        return
    payment = transaction.payment
    assert payment is not None  # noqa: S101 - the database holds that one of the two parents is there
    seen = (payment.state, payment.is_frozen)
    for column, delta in booking.added.items():
        setattr(payment, column, getattr(payment, column) + delta)
    if booking.reversal is not None:
        payment.reversal = booking.reversal
    payment.is_frozen = payment.is_frozen or freeze
    # Once there are follow-up transactions, the opening transaction was approved.
    is_opening = transaction.reference == payment.reference
    opening = after if is_opening else TransactionState.APPROVED
    payment.state = payment_state(payment.totals, opening, TransactionKind(transaction.kind))
    is_same = not booking.added and booking.reversal is None and seen == (payment.state, payment.is_frozen)
    # A concurrent release of the freeze must see a further reason to freeze, so write the order then.
    if is_same and not freeze:
        return
    write_order(payment, now)
    columns = added | {"state": payment.state, "is_frozen": payment.is_frozen}
    if booking.reversal is not None:
        columns["reversal"] = booking.reversal
    if not Payment.objects.filter(pk=payment.pk).update(**columns):
        raise VersionConflict


def write_order(payment: Payment, now: datetime) -> None:
    """Derive an order's state from its payments, this one as in memory, and write it.

    Raises `VersionConflict`.
    """
    order, known = payment.order, payment.order.known_payments
    # Payments read at another version of the order are stale.
    others = known.payments if known and known.version == order.version else list(order.payments.all())
    seen = order.version
    order.state = state_of(order, (payment, *(other for other in others if other.pk != payment.pk)))
    order.version, order.updated_at, order.known_payments = seen + 1, now, None
    columns: dict[str, Any] = {"state": order.state, "version": seen + 1, "updated_at": now}
    if order.has_end:
        # The sweep looks at the order again: this change may release it, or leave it to its end.
        order.release_check_at = now
        columns |= {"release_check_at": now, "late_payment": order.late_payment}
    if not PaymentOrder.objects.filter(pk=order.pk, version=seen).update(**columns):
        raise VersionConflict


def state_of(order: PaymentOrder, payments: Iterable[Payment]) -> OrderState:
    """Return the state of an order, as its columns and its payments have it."""
    return order_state(
        order.amount_minor,
        [
            PaymentSnapshot(state=PaymentState(payment.state), totals=payment.totals)
            for payment in sorted(payments, key=lambda payment: payment.number)
        ],
        is_cancelled=order.is_cancelled,
        late_payment=LatePayment(order.late_payment),
    )


def _note_late_payment(
    transaction: GatewayTransaction, after: TransactionState, context: GatewayContext
) -> bool:
    """Note on a cancelled order that it is paid all the same; return whether a person must decide."""
    is_paid = after is TransactionState.APPROVED and transaction.kind in OPENING_KINDS
    order = transaction.payment.order if transaction.payment and is_paid else None
    if order is None or not order.is_cancelled:
        return False
    without_money = CANCELLABLE_STATES | {OrderState.CANCELLED, OrderState.REFUNDED}
    if order.late_payment == LatePayment.ACCEPTED and order.state not in without_money:
        # A second payment of an order that is paid makes it overpaid, as without a cancellation.
        return False
    if order.late_payment != LatePayment.REPORTED:
        # While a person decides on one, a further one is theirs too, whatever the setting is by now.
        is_reported = context.policy.late_payment is LatePaymentPolicy.REPORT
        order.late_payment = LatePayment.REPORTED if is_reported else LatePayment.ACCEPTED
    return order.late_payment == LatePayment.REPORTED


# The end of a freeze


def lift_freeze(transaction: GatewayTransaction, now: datetime) -> tuple[OutboxEvent, ...]:
    """Allow operations on a transaction's payment or deposit again if nothing contradicts our records.

    Together with whatever ended the last contradiction: a process that died between the two would leave a
    payment frozen for nothing. Returns the event of that, and those that were held back. Raises
    `VersionConflict`.
    """
    if transaction.deposit_id is not None:
        # Locked, so that a concurrent freeze comes after this release.
        deposits = MigratedDeposit.objects.filter(pk=transaction.deposit_id)
        deposits.update(refunded=F("refunded"))
        deposits.update(is_frozen=not uncontradicted(deposits, "deposit").exists())
        return ()
    payment = transaction.payment
    if payment is None or not uncontradicted(Payment.objects.filter(pk=payment.pk), "payment").exists():
        return ()
    opening, order, was_frozen = payment.opening, payment.order, payment.is_frozen
    payment.is_frozen = False
    payment.state = payment_state(
        payment.totals, TransactionState(opening.state), TransactionKind(opening.kind)
    )
    undecided = Discrepancy.objects.filter(
        payment__order=order, kind=DiscrepancyKind.LATE_PAYMENT, closed_at__isnull=True
    )
    is_accepted = order.late_payment == LatePayment.REPORTED and not undecided.exists()
    if is_accepted:
        # A person has closed every difference about the payments of a cancelled order.
        order.late_payment = LatePayment.ACCEPTED
    write_order(payment, now)
    Payment.objects.filter(pk=payment.pk).update(state=payment.state, is_frozen=False)
    # Of an overpaid order, one too many is a person's to handle.
    reported = [] if order.state == OrderState.OVERPAID else [payment]
    if is_accepted:
        # The late payments that pay it were held back together, so all are reported now; of an overpaid order
        # only the first is, as if it had been paid in time. A frozen one follows its release.
        payments = order.payments.filter(authorized__gt=0, is_frozen=False).order_by("number")
        reported = [late for late in payments if not is_given_back(late)]
        if order.state == OrderState.OVERPAID:
            reported = reported[:1]
        for late in reported:
            late.order = order
    news = [Notification(kind=OutboxEventKind.UNFROZEN)] if was_frozen else []
    events = add_outbox_events(transaction, news, now)
    for each in reported:
        events += _add_held_back(each, now)
    return events


def uncontradicted(rows: QuerySet[P], parent: str) -> QuerySet[P]:
    """Return the payments or deposits that no open difference and no anomaly holds frozen."""
    of = {parent: OuterRef("pk")}
    still_open = Discrepancy.objects.filter(**of, is_freezing=True, closed_at__isnull=True)
    anomalies = GatewayTransaction.objects.filter(**of, state=TransactionState.ANOMALY)
    return rows.filter(~Exists(still_open), ~Exists(anomalies))


def _add_held_back(payment: Payment, now: datetime) -> tuple[OutboxEvent, ...]:
    """Write the events about a payment that its freeze has held back, the approvals in their order."""
    added: tuple[OutboxEvent, ...] = ()
    # Every outbox event about money has an amount; those of an end before the approval have one, too.
    events = OutboxEvent.objects.filter(transaction=OuterRef("pk"), amount_minor__isnull=False)
    told = events.exclude(kind__in=_WITHOUT_MONEY)
    kinds = (*OPENING_KINDS, TransactionKind.CAPTURE)
    approved = payment.transactions.filter(state=TransactionState.APPROVED, kind__in=kinds)
    untold = list(approved.filter(~Exists(told)).order_by("pk"))
    for place, transaction in enumerate(untold):
        later = (row for row in untold[place + 1 :] if row.kind == TransactionKind.CAPTURE)
        captured_later = sum((row.approved_minor or 0) - row.excess_minor for row in later)
        transaction.payment = payment
        notifications = events_of_release(transaction, captured_later=captured_later)
        added += add_outbox_events(transaction, notifications, now)
    return added


_WITHOUT_MONEY = (OutboxEventKind.FAILED, OutboxEventKind.EXPIRED, OutboxEventKind.OPERATION_REFUSED)


# Which totals a transition changes

RESERVED = {
    TransactionKind.CAPTURE: "capture_reserved",
    TransactionKind.REFUND: "refund_reserved",
    TransactionKind.DETACHED_REFUND: "refund_reserved",
}
_MADE = {
    TransactionKind.CAPTURE: "captured",
    TransactionKind.REFUND: "refunded",
    TransactionKind.DETACHED_REFUND: "refunded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """The changes of a transition to the totals of the payment or deposit, and to the transaction itself."""

    added: Mapping[str, int] = field(default_factory=dict)
    """Total's name to difference, in minor units."""
    reversal: Reversal | None = None
    transaction_columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def excess(self) -> int:
        """The approved amount above the limit, which no total contains."""
        return int(self.transaction_columns.get("excess_minor", 0))


def book(
    transaction: GatewayTransaction, *, before: TransactionState, after: TransactionState, finding: Finding
) -> Booking:
    """Return the changes of totals that a transition from one state to another makes; writes nothing."""
    kind, payment = TransactionKind(transaction.kind), transaction.payment
    is_approved, was_approved = after is TransactionState.APPROVED, transaction.approved_minor is not None
    if kind in OPENING_KINDS:
        assert payment is not None  # noqa: S101 - what opens a payment belongs to it
        if before is after or not is_approved or payment.authorized:
            return Booking()
        opened = {"authorized": transaction.amount_minor}
        if payment.type == PaymentType.SALE:
            opened["captured"] = transaction.amount_minor
        return Booking(added=opened)
    if before is after or after not in FINAL_STATES:
        return Booking()
    released: dict[str, Any] = {"holds_reservation": False}
    if kind is TransactionKind.REVERSAL:
        if not is_approved and not transaction.holds_reservation:
            return Booking()
        if not is_approved:
            return Booking(reversal=Reversal.NONE, transaction_columns=released)
        if was_approved:
            # An approval that became an anomaly and was then accepted is already in the totals.
            return Booking(transaction_columns=released)
        # A reversal that contradicts our records, for example by a later capture, must still be storable.
        assert payment is not None  # noqa: S101 - an authorization that is reversed is a payment's
        is_untouched = payment.captured == payment.capture_reserved == 0
        if is_untouched and payment.reversal != Reversal.DONE:
            return Booking(reversal=Reversal.DONE, transaction_columns=released)
        return Booking(transaction_columns=released | {"excess_minor": transaction.amount_minor})
    added = {RESERVED[kind]: -transaction.amount_minor} if transaction.holds_reservation else {}
    # An approval that became an anomaly and was then accepted is already in the totals, unless a person books
    # the amount that the gateway reports now.
    if is_approved and (not was_approved or finding.amount not in {None, transaction.approved_minor}):
        approved = finding.amount or transaction.amount_minor
        counted = (transaction.approved_minor or 0) - transaction.excess_minor
        booked = min(approved, _room(transaction, kind) + counted)
        added[_MADE[kind]] = booked - counted
        released["excess_minor"] = approved - booked
    return Booking(added=added, transaction_columns=released)


def _room(transaction: GatewayTransaction, kind: TransactionKind) -> int:
    """Return how much a total may rise; an amount above leaves it at its limit and is a discrepancy."""
    own = transaction.amount_minor if transaction.holds_reservation else 0
    payment, deposit = transaction.payment, transaction.deposit
    if payment is not None and kind is TransactionKind.CAPTURE:
        if payment.reversal != Reversal.NONE:
            return 0
        return max(payment.authorized - payment.captured - payment.capture_reserved, 0) + own
    if payment is not None:
        return max(payment.captured - payment.refunded - payment.refund_reserved, 0) + own
    assert deposit is not None  # noqa: S101 - the database holds that one of the two parents is there
    if deposit.amount_minor is None:
        return transaction.amount_minor
    refunded = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
    return max(deposit.amount_minor - refunded, 0) + own
