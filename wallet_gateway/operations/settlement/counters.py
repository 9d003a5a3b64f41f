"""Write a transition's counters of the payment or deposit, and the states derived from them.

Locks are taken in the same sequence everywhere: order, payment, transaction. A changed order version shows a
writer that another process has settled something in the meantime.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from wallet_gateway.domain.lifecycle import PaymentState, TransactionKind, TransactionState
from wallet_gateway.domain.totals import PaymentSnapshot, order_state, payment_state
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.operations.settlement.booking import Booking


class VersionConflict(Exception):
    """Another process has settled something in between; nothing was written; read the rows again."""


def write_totals(
    transaction: GatewayTransaction, booking: Booking, *, after: TransactionState, freeze: bool, now: datetime
) -> None:
    """Add a booking to a transaction's payment or deposit, and derive the states again.

    Raises `VersionConflict` if another process has settled something of the same order.
    """
    if transaction.deposit_id is not None:
        columns = booking.as_update() | ({"is_frozen": True} if freeze else {})
        if columns:
            MigratedDeposit.objects.filter(pk=transaction.deposit_id).update(**columns)
        return
    payment = transaction.payment
    assert payment is not None  # noqa: S101 - the database holds that one of the two parents is there
    seen = (payment.state, payment.is_frozen)
    _apply(payment, transaction, booking, opening=_opening_state(transaction, payment, after), freeze=freeze)
    unchanged = (
        not booking.changes and booking.reversal is None and seen == (payment.state, payment.is_frozen)
    )
    # A concurrent release of the freeze must see a further reason to freeze, so write the order then.
    if unchanged and not freeze:
        return
    write_order(payment, now)
    Payment.objects.filter(pk=payment.pk).update(
        **booking.as_update(), state=payment.state, is_frozen=payment.is_frozen
    )


def _opening_state(
    transaction: GatewayTransaction, payment: Payment, after: TransactionState
) -> TransactionState:
    if transaction.reference == payment.reference:
        return after
    # Once there are follow-up transactions, the opening transaction was approved.
    return TransactionState.APPROVED


def _apply(
    payment: Payment,
    transaction: GatewayTransaction,
    booking: Booking,
    *,
    opening: TransactionState,
    freeze: bool,
) -> None:
    for column, delta in booking.changes.items():
        setattr(payment, column, getattr(payment, column) + delta)
    if booking.reversal is not None:
        payment.reversal = booking.reversal
    payment.is_frozen = payment.is_frozen or freeze
    payment.state = payment_state(payment.totals, opening, TransactionKind(transaction.kind))


def write_order(payment: Payment, now: datetime) -> None:
    """Write the order's state, derived from its payments, this one as in memory. Raises `VersionConflict`."""
    order = payment.order
    seen = order.version
    order.state = order_state(order.amount_minor, _standings(order, payment))
    order.version, order.updated_at, order.known_payments = seen + 1, now, None
    written = PaymentOrder.objects.filter(pk=order.pk, version=seen).update(
        state=order.state, version=seen + 1, updated_at=now
    )
    if not written:
        raise VersionConflict


def _standings(order: PaymentOrder, changed: Payment) -> Sequence[PaymentSnapshot]:
    known = order.known_payments
    # Payments read at another version of the order are stale.
    others = known.payments if known and known.version == order.version else list(order.payments.all())
    payments = sorted((changed, *(p for p in others if p.pk != changed.pk)), key=lambda p: p.number)
    return [PaymentSnapshot(state=PaymentState(p.state), totals=p.totals) for p in payments]
