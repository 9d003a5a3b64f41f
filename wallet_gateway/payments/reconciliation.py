"""Query transactions on demand and record the answers: only the status query decides the outcome."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import GatewayError, Refused
from wallet_gateway.context import GatewayContext, asked_about, foreign_merchant_account, is_left_alone
from wallet_gateway.domain.gateway_records import GatewayRecord, as_gateway_record
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    UNSENT_STATES,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of, usable_context
from wallet_gateway.ledger.apply import reread
from wallet_gateway.ledger.transactions import check_outside_transaction, in_statement, in_transaction
from wallet_gateway.models import GatewayPause, GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.operation_errors import GatewayRefused, GatewayUnreachable
from wallet_gateway.payments.status import query_status, record_status_result
from wallet_gateway.protocol.status import UnreadableRecord
from wallet_gateway.protocol.text import is_storable

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


@sensitive_variables()
def reconcile_attempt(reference: str) -> Payment:
    """Query the status of one attempt, as seldom as `reconcile`.

    Nothing is asked, and the attempt is returned as stored, if no usable account has its gateway's alias.

    :param reference: its clientSystemTransactionId, of 1 to 64 characters.
    :returns: the attempt with its current order.
    :raises Payment.DoesNotExist: if no attempt has it.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.orders.reconcile_attempt")
    if not is_storable(reference):
        raise Payment.DoesNotExist(f"no attempt has the reference {reference[:64]!r}")
    # A settled payment, which most people look at, costs a single statement: it reads the order and the
    # order's other payments, too, in no order, because sorting them is a good part of the price.
    rows = GatewayTransaction.objects.filter(
        payment__order__payments__reference=reference, kind__in=OPENING_KINDS
    ).select_related("payment__order")
    openings = {opening.reference: opening for opening in rows.order_by()}
    if reference not in openings:
        raise Payment.DoesNotExist(f"no attempt to pay has the reference {reference!r}")
    transaction = openings[reference]
    if transaction.payment is not None:
        payments = [opening.opened_payment for opening in openings.values()]
        order = transaction.payment.order
        order.known_payments = KnownPayments(version=order.version, payments=payments)
    context = usable_context(transaction.gateway)
    if context is None or is_left_alone(transaction, context):
        return transaction.opened_payment
    # Whether a claim can succeed, as far as the loaded row says; the claim itself decides.
    asked_at = transaction.last_queried_at
    rested = asked_at is None or asked_at <= context.clock.now() - AT_MOST_EVERY
    is_askable = transaction.state in ASKABLE_STATES or _is_rejected_on_watch(transaction)
    if rested and is_askable and _claim_on_demand(reference, context):
        # Nobody has recorded an answer since it was loaded: the claim would have failed.
        transaction = query_and_record(transaction, context=context)
    return transaction.opened_payment


@sensitive_variables()
def reconcile(subject: PaymentOrder | Payment, *, everything: bool = False) -> PaymentOrder:
    """Query the status of all unsettled transactions of an order (the interface, endpoint 4).

    One transaction is queried at most every two seconds, however often this is called. A gateway that does
    not answer raises nothing: what is not known stays as it was.

    :param subject: an order; or a payment, then only that attempt is queried.
    :param everything: include settled transactions, without the limit of two seconds.
    :returns: the order as it is now; read its `state`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.reconcile")
    if isinstance(subject, Payment):
        return reconcile_attempt(subject.reference).order
    context = context_of(subject.gateway)
    rows = _asked_about(context).filter(payment__order=subject).select_related("payment__order")
    if not everything:
        rows = rows.filter(_ASKABLE)
    for transaction in _last_the_opening(rows):
        if everything or _claim_on_demand(transaction.reference, context):
            query_and_record(reread(transaction), context=context)
    subject.refresh_from_db()
    return subject


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
    for row in _last_the_opening(_asked_about(context).filter(**of)):
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


def _last_the_opening(rows: QuerySet[GatewayTransaction]) -> QuerySet[GatewayTransaction]:
    """Return the transactions payment by payment, what was made last first.

    The answer about an opening also lists operations that were made elsewhere. One that is like an operation
    of ours without an outcome is taken for ours. So ours is queried first: it may have been refused.
    """
    return rows.order_by("payment_id", "-pk")


def _claim_on_demand(reference: str, context: GatewayContext) -> bool:
    now = context.clock.now()
    rested = Q(last_queried_at__isnull=True) | Q(last_queried_at__lte=now - AT_MOST_EVERY)
    paused = GatewayPause.queries_are_paused(context.alias, now)
    rows = GatewayTransaction.objects.filter(rested, ~paused, _ASKABLE, reference=reference)
    # No other process queries until the answer is recorded or `ANSWERED_WITHIN` has passed: a slow gateway
    # must not be queried by every waiting page.
    return bool(in_statement(lambda: rows.update(last_queried_at=now + ANSWERED_WITHIN)))


def may_be_paid(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Return whether it is a hosted page that a customer may have paid since the gateway was last queried."""
    if transaction.kind != TransactionKind.CHECKOUT or is_left_alone(transaction, context):
        return False
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
    if finding is None or finding.unreadable:
        return False
    # Another merchant account has none of its records, so that they are missing there says nothing.
    return not (finding.absent and foreign_merchant_account(current, context))


def query_and_record(transaction: GatewayTransaction, *, context: GatewayContext) -> GatewayTransaction:
    """Query the status of one transaction, record the result and schedule the next query."""
    return record_status_result(transaction, query_status(transaction, context=context), context)


# What the gateway has recorded, for the shop's own use: nothing is stored or decided


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionRecords:
    """What the gateway has recorded under the reference of one transaction; several records are possible."""

    transaction: GatewayTransaction
    """The transaction that was asked about."""
    records: tuple[GatewayRecord, ...]
    """What the gateway has recorded under its reference."""
    unreadable: tuple[UnreadableRecord, ...]
    """Elements of the answer that cannot be read as a record: neither evidence nor absence."""


@sensitive_variables()
def gateway_records(order: PaymentOrder) -> tuple[TransactionRecords, ...]:
    """Ask the gateway now what it has recorded of each transaction of an order that was sent.

    The records have the payer, the addresses (of a pre-authorization), the provider's id and the time (the
    interface, Transaction status record). Nothing is stored: keep what you need.

    :param order: any order.
    :returns: one value for each transaction, the oldest first. A gateway that files follow-ups under their
        original's reference lists them there.
    :raises GatewayRefused: `gateway_refused`.
    :raises GatewayUnreachable: `gateway_silent`, if a query has no usable answer.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.gateway_records")
    context = context_of(order.gateway)
    rows = GatewayTransaction.objects.filter(payment__order=order, attempt_no__gt=0)
    rows = rows.exclude(state__in=UNSENT_STATES).select_related("payment__order").order_by("pk")
    # A durable transaction, although it only reads: so Django refuses this call inside another one, during
    # which the gateway must not be called.
    sent = in_transaction(lambda: list(rows.filter(asked_about(context))))
    found = []
    for transaction in sent:
        try:
            answer = context.gateway.status(transaction.reference).message
        except Refused as error:
            raise GatewayRefused(
                _("The gateway refused the status query: %(answer)s"), answer=error.code
            ) from error
        except GatewayError as error:
            raise GatewayUnreachable(
                _(
                    "Gateway %(gateway)s at %(address)s gave no usable answer to the status query. Try "
                    "again later."
                ),
                gateway=context.alias,
                address=context.policy.address,
            ) from error
        records = tuple(map(as_gateway_record, answer.records))
        found.append(
            TransactionRecords(transaction=transaction, records=records, unreadable=answer.unreadable)
        )
    return tuple(found)
