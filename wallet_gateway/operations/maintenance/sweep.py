"""The sweep: end leases, query due transactions, release orders, resend unsent requests, deliver events.

The rows are the queue. Any number of workers on any number of machines may sweep at the same time. Each sweep
records its heartbeat, so that a stopped one is noticed. Batches run separately, see
`payments.batches`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Q

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    OPENING_KINDS,
    UNENDED_STATES,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.polling_schedule import INSTANTS_ARE_LATE, QueryPriority
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.ledger.due_rows import log_row_error, read_due
from wallet_gateway.ledger.outbox import deliver_due
from wallet_gateway.ledger.repair import release_freezes
from wallet_gateway.ledger.transactions import in_current_or_new_transaction, in_statement
from wallet_gateway.models import (
    BatchState,
    GatewayTransaction,
    OperationBatch,
    SweepHeartbeat,
    TransactionEventKind,
)
from wallet_gateway.operations.approvals.requests import expire_requests
from wallet_gateway.operations.cancellation import release_orders
from wallet_gateway.operations.context import Clock, GatewayContext
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.follow_ups.execute import resend_unsent
from wallet_gateway.operations.maintenance.authorization_expiry import watch_authorizations
from wallet_gateway.operations.polling.due import reconcile_urgent, repeat_queries
from wallet_gateway.operations.sending.circuit_breaker import count_unknown
from wallet_gateway.operations.wallet import sweep as wallet_sweep
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.sweep")

_LIMIT = 500
DRAFTS_KEPT = timedelta(days=7)
_DRAFTS = 100
"""Maximum number of drafts that one sweep deletes: each has some hundred rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """The result of one sweep of one gateway."""

    gateway: str
    """Its alias in the settings."""
    leases_ended: int
    """Requests whose process ended without a result."""
    pages_given_up: int
    """Payment pages that ended without a record."""
    buttons_expired: int
    """Wallet buttons whose result did not come in time."""
    queried: int
    """Status queries that were due."""
    sent_again: int
    """Requests sent again of which no byte had left."""
    events_delivered: int
    """Events that the shop's receivers have accepted."""
    orders_released: int = 0
    """Cancelled orders, and orders whose time to pay was over, that nothing can pay any more."""
    queried_again: int = 0
    """Queries of approvals, for changes made elsewhere, and what became urgent among them."""
    batch_rows: int = 0
    """Batch rows processed at this gateway."""

    @property
    def did_something(self) -> bool:
        """Return whether there was anything to do."""
        return bool(
            self.leases_ended
            or self.pages_given_up
            or self.buttons_expired
            or self.queried
            or self.sent_again
            or self.events_delivered
            or self.orders_released
            or self.queried_again
            or self.batch_rows
        )


def sweep(*, context: GatewayContext) -> SweepReport:
    """Process everything that is due for one gateway once, in this order."""
    expire_requests(now=context.clock.now(), gateway=context.alias)
    release_freezes(context=context, limit=_LIMIT)
    return SweepReport(
        gateway=context.alias,
        leases_ended=end_leases(context=context),
        pages_given_up=give_up_unsent_pages(context=context),
        buttons_expired=wallet_sweep.sweep_wallet(context=context, limit=_LIMIT),
        queried=reconcile_urgent(context=context, limit=_LIMIT),
        orders_released=release_orders(context=context, limit=_LIMIT),
        sent_again=send_unsent(context=context),
        events_delivered=deliver_due(clock=context.clock, limit=_LIMIT),
        # Last: nobody waits for it.
        queried_again=repeat_queries(context=context, limit=_LIMIT),
    )


def warn_of_unconfigured_gateways(aliases: Collection[str]) -> int:
    """Log unfinished transactions at gateways that the settings no longer name; return how many."""
    watched = Q(query_priority__in=[QueryPriority.UNFINISHED, QueryPriority.WATCHED])
    unended = watched & Q(next_query_at__isnull=False) | Q(state__in=UNENDED_STATES)
    waiting = GatewayTransaction.objects.filter(unended).exclude(gateway__in=aliases)
    orphans = dict(waiting.order_by().values_list("gateway").annotate(Count("pk")))
    for alias, count in orphans.items():
        logger.error("%d transactions wait at gateway %r, which the settings do not name", count, alias)
    return sum(orphans.values())


def end_leases(*, context: GatewayContext) -> int:
    """End transactions whose sender's lease has expired; return how many.

    It is unknown whether the sender sent anything. A hosted page whose URL was lost with its sender cannot be
    reached by any customer, so that attempt is abandoned and kept on watch.
    """
    now = context.clock.now()
    silent = GatewayTransaction.objects.filter(
        gateway=context.alias, state=TransactionState.SENDING, leased_until__lt=now
    )
    rows = read_due(silent.select_related("payment__order", "deposit"), limit=_LIMIT)
    for transaction in rows:
        checkout = transaction.kind == TransactionKind.CHECKOUT
        change = Change(
            kind=TransactionEventKind.LEASE_ENDED,
            event=LifecycleEvent.PAGE_LOST if checkout else LifecycleEvent.LOST,
            explanation=explain(ExplanationCode.SENDER_SILENT),
            attempt_no=transaction.attempt_no,
        )
        with log_row_error(transaction.reference):
            apply(transaction, change, context=context)
    if rows:
        count_unknown(context)
    return len(rows)


def give_up_unsent_pages(*, context: GatewayContext) -> int:
    """End checkout attempts of which no byte left and which were not retried; return how many.

    Their exact bodies, which contain personal data, were kept only for another try.
    """
    now = context.clock.now()
    unsent = GatewayTransaction.objects.filter(
        gateway=context.alias,
        kind=TransactionKind.CHECKOUT,
        state=TransactionState.NOT_SENT,
        expires_at__lte=now,
    )
    rows = read_due(unsent.select_related("payment__order"), limit=_LIMIT)
    for transaction in rows:
        change = Change(
            kind=TransactionEventKind.FAULT,
            event=LifecycleEvent.ABANDONED,
            explanation=explain(ExplanationCode.NOT_RETRIED),
            attempt_no=transaction.attempt_no,
        )
        with log_row_error(transaction.reference):
            apply(transaction, change, context=context)
    return len(rows)


def send_unsent(*, context: GatewayContext) -> int:
    """Resend requests of which no byte left, each at most a few times; return how many were tried."""
    now = context.clock.now()
    if not context.policy.sending:
        return 0
    due = GatewayTransaction.objects.filter(
        gateway=context.alias, state=TransactionState.NOT_SENT, next_send_at__lte=now
    )
    rows = read_due(due.exclude(kind__in=OPENING_KINDS).order_by("next_send_at"), limit=_LIMIT)
    return sum(_try_again(transaction, context) for transaction in rows)


def _try_again(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    sent = None
    try:
        with log_row_error(transaction.reference):
            sent = resend_unsent(transaction, context=context)
    except OperationRefused as error:
        logger.info("%s was not sent again: %s", transaction.reference, one_line(repr(error)))
        if error.code in {ErrorCode.MERCHANT_ACCOUNT_CHANGED, ErrorCode.REQUEST_UNREADABLE}:
            _give_to_person(transaction, next_send_at=None)
            return False
    if sent is None:
        _leave_to_person(transaction, context)
    return sent is not None


def _leave_to_person(transaction: GatewayTransaction, context: GatewayContext) -> None:
    """Flag a request that could not be sent for an hour because something is in its way.

    That is another operation without an outcome, a freeze, or a pause. The next sweeps still try.
    """
    due = transaction.next_send_at
    if due is None or transaction.needs_operator or context.clock.now() - due < INSTANTS_ARE_LATE:
        return
    _give_to_person(transaction)


def _give_to_person(transaction: GatewayTransaction, **columns: Any) -> None:
    unsent = GatewayTransaction.objects.filter(
        pk=transaction.pk, state=TransactionState.NOT_SENT, attempt_no=transaction.attempt_no
    )
    in_statement(lambda: unsent.update(needs_operator=True, **columns))


def run_periodic_tasks(*, context: GatewayContext) -> None:
    """Run a gateway's periodic tasks and record the sweep's heartbeat."""
    watch_authorizations(context=context)
    in_statement(lambda: SweepHeartbeat.beat(context.alias, now=context.clock.now()))


def drop_old_drafts(*, clock: Clock) -> int:
    """Delete batch drafts that are a week old and were never confirmed; return how many.

    Nothing was sent for them. Confirmed batches are kept.
    """
    old = OperationBatch.objects.filter(
        state=BatchState.DRAFT, created_at__lt=clock.now() - DRAFTS_KEPT
    ).values_list("pk", flat=True)[:_DRAFTS]
    return in_current_or_new_transaction(lambda: _drop(list(old)))


def _drop(drafts: Sequence[int]) -> int:
    # Lock and check the state again: a user may be confirming a draft at this moment.
    still = OperationBatch.objects.select_for_update().filter(pk__in=drafts, state=BatchState.DRAFT)
    dropped = OperationBatch.objects.filter(pk__in=[batch.pk for batch in still])
    return dropped.delete()[1].get(OperationBatch._meta.label, 0)
