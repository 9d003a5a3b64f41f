"""Release the freeze of a payment or deposit once nothing contradicts our records, and notify the shop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TypeVar

from django.db.models import Exists, F, OuterRef, QuerySet

from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import (
    OPENING_KINDS,
    OrderState,
    PaymentState,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.totals import payment_state
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    OutboxEventKind,
    Payment,
    PaymentOrder,
)
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.counters import retry_conflicts, write_order
from wallet_gateway.operations.settlement.db_transactions import in_transaction
from wallet_gateway.operations.settlement.outbox import (
    add_outbox_events,
    deliver,
    events_of_release,
    is_given_back,
)
from wallet_gateway.operations.settlement.row_errors import log_row_error, read_due
from wallet_gateway.operations.settlement.settle import reread

P = TypeVar("P", Payment, MigratedDeposit)


def release_freeze(transaction: GatewayTransaction, *, context: GatewayContext) -> None:
    """Allow operations on a transaction's payment or deposit again if it has no open discrepancy."""
    outbox_events = retry_conflicts(
        lambda: in_transaction(lambda: _release_freeze(transaction, context.clock.now()))
    )
    deliver(outbox_events, clock=context.clock)


def release_freezes(*, context: GatewayContext, limit: int) -> int:
    """Release freezes without a remaining reason, left by a process that died; return how many."""
    forgotten = list(_forgotten(context.alias, limit))
    for transaction in forgotten:
        with log_row_error(transaction.reference):
            release_freeze(transaction, context=context)
    return len(forgotten)


def _forgotten(gateway: str, limit: int) -> Iterator[GatewayTransaction]:
    """Yield one transaction of each payment and deposit that is frozen without a contradiction."""
    # First check whether anything is frozen: the full query would be most of the cost of an idle sweep.
    frozen = Payment.objects.filter(state=PaymentState.FROZEN, order__gateway=gateway)
    if frozen.exists():
        payments = list(_uncontradicted(frozen, "payment").values_list("pk", flat=True)[:limit])
        yield from GatewayTransaction.objects.filter(payment__in=payments, kind__in=OPENING_KINDS)
    # A deposit is only frozen with a discrepancy: check the few that ever had one, not all.
    differed = Discrepancy.objects.filter(deposit__isnull=False, closed_at__isnull=False)
    if differed.exists():
        deposits = MigratedDeposit.objects.filter(
            is_frozen=True, gateway=gateway, pk__in=differed.values("deposit")
        )
        for deposit in read_due(_uncontradicted(deposits, "deposit"), limit=limit):
            yield from deposit.transactions.all()[:1]


def _uncontradicted(rows: QuerySet[P], parent: str) -> QuerySet[P]:
    of = {parent: OuterRef("pk")}
    still_open = Discrepancy.objects.filter(**of, is_freezing=True, closed_at__isnull=True)
    anomalies = GatewayTransaction.objects.filter(**of, state=TransactionState.ANOMALY)
    return rows.filter(~Exists(still_open), ~Exists(anomalies))


def _release_freeze(transaction: GatewayTransaction, now: datetime) -> tuple[OutboxEvent, ...]:
    # The database transaction may be repeated, so every run starts from the current rows.
    transaction = reread(transaction)
    if transaction.deposit is not None:
        # Lock the row before reading anything: a concurrent freeze then comes after this release.
        MigratedDeposit.objects.filter(pk=transaction.deposit.pk).update(refunded=F("refunded"))
        still_frozen = _is_contradicted(deposit=transaction.deposit)
        MigratedDeposit.objects.filter(pk=transaction.deposit.pk).update(is_frozen=still_frozen)
    elif transaction.payment is not None and not _is_contradicted(payment=transaction.payment):
        return _release_payment(transaction.payment, now)
    return ()


def _is_contradicted(**parent: Payment | MigratedDeposit) -> bool:
    still_open = Discrepancy.objects.filter(**parent, is_freezing=True, closed_at__isnull=True)
    anomalies = GatewayTransaction.objects.filter(**parent, state=TransactionState.ANOMALY)
    return still_open.exists() or anomalies.exists()


def _release_payment(payment: Payment, now: datetime) -> tuple[OutboxEvent, ...]:
    payment.is_frozen = False
    opening = payment.opening
    payment.state = payment_state(
        payment.totals, TransactionState(opening.state), TransactionKind(opening.kind)
    )
    is_accepted = _accept_late_payment(payment.order)
    write_order(payment, now)
    Payment.objects.filter(pk=payment.pk).update(state=payment.state, is_frozen=False)
    reported = _accepted_payments(payment.order) if is_accepted else _released_payments(payment)
    return tuple(event for each in reported for event in _tell_of_payment(each, now))


def _accept_late_payment(order: PaymentOrder) -> bool:
    """Accept the payments of a cancelled order once a person has closed every difference about them."""
    still_open = Discrepancy.objects.filter(
        payment__order=order, kind=DiscrepancyKind.LATE_PAYMENT, closed_at__isnull=True
    )
    if order.late_payment != LatePayment.REPORTED or still_open.exists():
        return False
    order.late_payment = LatePayment.ACCEPTED
    return True


def _released_payments(payment: Payment) -> Iterable[Payment]:
    """Return the payment, unless it is one too many: then a person has to handle it."""
    return () if payment.order.state == OrderState.OVERPAID else (payment,)


def _accepted_payments(order: PaymentOrder) -> Iterable[Payment]:
    """Return the late payments that pay an order: they were held back together, so all are reported now.

    Of an overpaid order only the first is, as if it had been paid in time. A frozen one follows its release.
    """
    payments = list(order.payments.filter(authorized__gt=0, is_frozen=False).order_by("number"))
    kept = [payment for payment in payments if not is_given_back(payment)]
    for payment in kept:
        payment.order = order
    return kept[:1] if order.state == OrderState.OVERPAID else kept


def _tell_of_payment(payment: Payment, now: datetime) -> Iterator[OutboxEvent]:
    unreported = list(_unreported(payment))
    for place, transaction in enumerate(unreported):
        yield from _tell(transaction, payment, now, captured_later=_captured(unreported[place + 1 :]))


def _captured(transactions: Iterable[GatewayTransaction]) -> int:
    captures = (row for row in transactions if row.kind == TransactionKind.CAPTURE)
    return sum((row.approved_minor or 0) - row.excess_minor for row in captures)


def _unreported(payment: Payment) -> QuerySet[GatewayTransaction]:
    # Every outbox event about money has an amount; those of an end before the approval have one, too.
    events = OutboxEvent.objects.filter(transaction=OuterRef("pk"), amount_minor__isnull=False)
    reported = events.exclude(kind__in=_WITHOUT_MONEY)
    kinds = (*OPENING_KINDS, TransactionKind.CAPTURE)
    approved = payment.transactions.filter(state=TransactionState.APPROVED, kind__in=kinds)
    return approved.filter(~Exists(reported)).order_by("pk")


_WITHOUT_MONEY = (OutboxEventKind.FAILED, OutboxEventKind.EXPIRED, OutboxEventKind.OPERATION_REFUSED)


def _tell(
    transaction: GatewayTransaction, payment: Payment, now: datetime, *, captured_later: int
) -> tuple[OutboxEvent, ...]:
    transaction.payment = payment
    notifications = events_of_release(transaction, captured_later=captured_later)
    return add_outbox_events(transaction, notifications, now)
