"""Ask the gateway what became of a transaction and record the answer: the status query alone decides."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.views.decorators.debug import sensitive_variables

from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.status_query import ask
from wallet_gateway.operations.polling.status_result import record_status_result
from wallet_gateway.operations.settlement.booking import OPENING
from wallet_gateway.operations.settlement.settle import reread

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
"""States in which the gateway's word may still change something that a customer waits for."""

_REJECTED_PAGE_ON_WATCH = Q(
    state=TransactionState.REJECTED, kind=TransactionKind.CHECKOUT, next_query_at__isnull=False
)
"""A page on which a card was refused, as long as it may show as paid with another one."""
_ASKABLE = Q(state__in=ASKABLE_STATES) | _REJECTED_PAGE_ON_WATCH

AT_MOST_EVERY = timedelta(seconds=2)
"""However often a page asks us, we ask the gateway no more often than this for one transaction."""

ANSWERED_WITHIN = timedelta(seconds=30)
"""After this a question on demand is taken to have died with whoever asked it."""


@sensitive_variables()
def reconcile_attempt(*, reference: str, context: GatewayContext) -> Payment:
    """Ask about the attempt to pay that has this reference, unless it is settled or was asked about just now.

    Returns the payment as it then stands, with its order. Raises `Payment.DoesNotExist`.
    """
    mine = _claim_on_demand(reference, context)
    transaction = _load_opening(reference)
    if mine:
        transaction = question(transaction, context=context)
    payment = transaction.payment
    assert payment is not None  # noqa: S101 - an opening transaction belongs to a payment
    payment.opening = transaction
    return payment


@sensitive_variables()
def reconcile_order(
    *, order: PaymentOrder, context: GatewayContext, everything: bool = False
) -> PaymentOrder:
    """Ask about an order's transactions that are not settled, or about all; return the fresh order.

    `everything` is for people who want to see the gateway's word now: settled ones are asked about, too.
    """
    rows = GatewayTransaction.objects.filter(payment__order=order).select_related("payment__order")
    if not everything:
        rows = rows.filter(_ASKABLE)
    for transaction in rows.order_by("pk"):
        if everything or _claim_on_demand(transaction.reference, context):
            question(reread(transaction), context=context)
    order.refresh_from_db()
    return order


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryReport:
    """What came of asking about everything of an order or deposit."""

    questions: int
    unanswered: int
    """Questions that brought no usable answer: nothing is known anew of those."""
    changed: tuple[GatewayTransaction, ...]
    """Transactions that stand otherwise than before."""


@sensitive_variables()
def query_all(subject: PaymentOrder | MigratedDeposit, *, context: GatewayContext) -> QueryReport:
    """Ask about every transaction of an order or deposit, settled ones too, and say what came of it."""
    of = {"payment__order": subject} if isinstance(subject, PaymentOrder) else {"deposit": subject}
    changed, questions, unanswered = [], 0, 0
    for row in GatewayTransaction.objects.filter(**of).order_by("pk"):
        before = reread(row)
        finding = ask(before, context=context)
        after = record_status_result(before, finding, context)
        questions, unanswered = questions + 1, unanswered + (finding is None)
        if after.state != before.state:
            changed.append(after)
    return QueryReport(questions=questions, unanswered=unanswered, changed=tuple(changed))


def _claim_on_demand(reference: str, context: GatewayContext) -> bool:
    now = context.clock.now()
    rested = Q(last_queried_at__isnull=True) | Q(last_queried_at__lte=now - AT_MOST_EVERY)
    paused = GatewayPause.queries_are_paused(context.alias, now)
    rows = GatewayTransaction.objects.filter(rested, ~paused, _ASKABLE, reference=reference)
    # Until the answer is recorded, or its time has long passed, nobody else asks: a slow gateway must not
    # be asked by every page that waits for it.
    return bool(rows.update(last_queried_at=now + ANSWERED_WITHIN))


def _load_opening(reference: str) -> GatewayTransaction:
    """Read an attempt's opening transaction, its order and the order's other payments in one statement."""
    rows = GatewayTransaction.objects.filter(
        payment__order__payments__reference=reference, kind__in=OPENING
    ).select_related("payment__order")
    transactions = {transaction.reference: transaction for transaction in rows}
    if reference not in transactions:
        raise Payment.DoesNotExist(f"no attempt to pay has the reference {reference!r}")
    transaction = transactions[reference]
    if transaction.payment is not None:
        others = [other.payment for other in transactions.values() if other.payment is not None]
        order = transaction.payment.order
        order.known_payments = KnownPayments(version=order.version, payments=others)
    return transaction


@sensitive_variables()
def question(transaction: GatewayTransaction, *, context: GatewayContext) -> GatewayTransaction:
    """Query the status of one transaction, record the result and schedule the next query."""
    return record_status_result(transaction, ask(transaction, context=context), context)
