"""Query transactions on demand and record the answers: only the status query decides the outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from wallet_gateway.domain.lifecycle import (
    OPENING_KINDS,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.ledger.apply import reread
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.merchant_accounts import asked_about, is_left_alone
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.operations.polling.status_result import record_status_result

ASKABLE_STATES = frozenset(
    {
        TransactionState.UNKNOWN,
        TransactionState.OPEN,
        TransactionState.AWAITING_3DS,
        TransactionState.PENDING,
        TransactionState.EXPIRED,
        TransactionState.ABANDONED,
    }
)
"""States in which a status query may still change a result that a customer waits for."""

_REJECTED_PAGE_ON_WATCH = Q(
    state=TransactionState.REJECTED, kind=TransactionKind.CHECKOUT, next_query_at__isnull=False
)
"""A page on which a card was refused, as long as it may still be paid with another card."""
_ASKABLE = Q(state__in=ASKABLE_STATES) | _REJECTED_PAGE_ON_WATCH

AT_MOST_EVERY = timedelta(seconds=2)
"""Minimum interval between two queries of one transaction, however often a page polls us."""

ANSWERED_WITHIN = timedelta(seconds=30)
"""Time after which a query on demand counts as lost with the process that sent it."""


def reconcile_attempt(*, reference: str, context: GatewayContext) -> Payment:
    """Query the payment attempt with this reference unless it is settled or was queried just now.

    Returns the current payment with its order. Raises `Payment.DoesNotExist`.
    """
    return reconcile_reference(reference=reference, context_of=lambda _alias: context)


def reconcile_reference(*, reference: str, context_of: Callable[[str], GatewayContext | None]) -> Payment:
    """Do the same where only the row says which gateway it is; `context_of` takes its alias.

    Nothing is asked if `context_of` knows no such gateway.
    A settled payment, which most people look at, costs a single statement.
    """
    transaction = _load_opening(reference)
    context = context_of(transaction.gateway)
    if context is None:
        return transaction.opened_payment
    may_ask = not is_left_alone(transaction, context) and _is_askable(transaction, context.clock.now())
    if may_ask and _claim_on_demand(reference, context):
        # Nobody has recorded an answer since it was loaded: the claim would have failed.
        transaction = query_and_record(transaction, context=context)
    return transaction.opened_payment


def reconcile_order(
    *, order: PaymentOrder, context: GatewayContext, everything: bool = False
) -> PaymentOrder:
    """Query an order's unsettled transactions, or all of them; return the refreshed order.

    `everything` is for users who want to see the gateway's current status: it includes settled transactions.
    """
    rows = _asked_about(context).filter(payment__order=order).select_related("payment__order")
    if not everything:
        rows = rows.filter(_ASKABLE)
    for transaction in rows.order_by("pk"):
        if everything or _claim_on_demand(transaction.reference, context):
            query_and_record(reread(transaction), context=context)
    order.refresh_from_db()
    return order


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryReport:
    """The result of querying all transactions of an order or deposit."""

    queries: int
    """Number of queries sent."""
    unanswered: int
    """Number of queries without a usable answer: their transactions are unchanged."""
    changed: tuple[GatewayTransaction, ...]
    """Transactions whose state has changed."""


def query_all(subject: PaymentOrder | MigratedDeposit, *, context: GatewayContext) -> QueryReport:
    """Query every transaction of an order or deposit, including settled ones, and return the result."""
    of = {"payment__order": subject} if isinstance(subject, PaymentOrder) else {"deposit": subject}
    changed, queries, unanswered = [], 0, 0
    for row in _asked_about(context).filter(**of).order_by("pk"):
        before = reread(row)
        finding = query_status(before, context=context)
        after = record_status_result(before, finding, context)
        queries, unanswered = queries + 1, unanswered + (finding is None)
        if after.state != before.state:
            changed.append(after)
    return QueryReport(queries=queries, unanswered=unanswered, changed=tuple(changed))


def _asked_about(context: GatewayContext) -> QuerySet[GatewayTransaction]:
    """Return the transactions that the gateway can be asked about: it knows no other of our references."""
    return GatewayTransaction.objects.filter(asked_about(context), origin=TransactionOrigin.SHOP)


def _claim_on_demand(reference: str, context: GatewayContext) -> bool:
    now = context.clock.now()
    rested = Q(last_queried_at__isnull=True) | Q(last_queried_at__lte=now - AT_MOST_EVERY)
    paused = GatewayPause.queries_are_paused(context.alias, now)
    rows = GatewayTransaction.objects.filter(rested, ~paused, _ASKABLE, reference=reference)
    # No other process queries until the answer is recorded or `ANSWERED_WITHIN` has passed: a slow gateway
    # must not be queried by every waiting page.
    return bool(in_statement(lambda: rows.update(last_queried_at=now + ANSWERED_WITHIN)))


def may_be_paid(transaction: GatewayTransaction) -> bool:
    """Return whether a customer may have paid a checkout's page since the gateway was last queried."""
    return transaction.state == TransactionState.OPEN or _is_rejected_on_watch(transaction)


def _is_rejected_on_watch(transaction: GatewayTransaction) -> bool:
    """Return what `_REJECTED_PAGE_ON_WATCH` says, for a row that is loaded."""
    is_rejected_page = (
        transaction.state == TransactionState.REJECTED and transaction.kind == TransactionKind.CHECKOUT
    )
    return is_rejected_page and transaction.next_query_at is not None


def query_again(transaction: GatewayTransaction, *, context: GatewayContext) -> bool:
    """Query a transaction, however short ago it was queried; return whether the answer was usable."""
    current = reread(transaction)
    finding = query_status(current, context=context)
    record_status_result(current, finding, context)
    return finding is not None and not finding.unreadable


def _is_askable(transaction: GatewayTransaction, now: datetime) -> bool:
    """Return whether a claim can succeed, as far as the loaded row says; the claim itself decides."""
    on_watch = _is_rejected_on_watch(transaction)
    asked_at = transaction.last_queried_at
    rested = asked_at is None or asked_at <= now - AT_MOST_EVERY
    return rested and (transaction.state in ASKABLE_STATES or on_watch)


def _load_opening(reference: str) -> GatewayTransaction:
    """Load an attempt's opening transaction, its order and the order's other payments in one statement."""
    rows = GatewayTransaction.objects.filter(
        payment__order__payments__reference=reference, kind__in=OPENING_KINDS
    ).select_related("payment__order")
    # In no order: sorting them is a good part of the statement's price.
    rows = rows.order_by()
    transactions = {transaction.reference: transaction for transaction in rows}
    if reference not in transactions:
        raise Payment.DoesNotExist(f"no attempt to pay has the reference {reference!r}")
    transaction = transactions[reference]
    if transaction.payment is not None:
        others = [other.opened_payment for other in transactions.values()]
        order = transaction.payment.order
        order.known_payments = KnownPayments(version=order.version, payments=others)
    return transaction


def query_and_record(transaction: GatewayTransaction, *, context: GatewayContext) -> GatewayTransaction:
    """Query the status of one transaction, record the result and schedule the next query."""
    return record_status_result(transaction, query_status(transaction, context=context), context)
