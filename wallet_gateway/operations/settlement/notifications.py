"""Choose the outbox events of a transaction's state transition. Writes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from wallet_gateway.domain.lifecycle import OrderState, PaymentType, TransactionKind, TransactionState
from wallet_gateway.domain.totals import PaymentTotals
from wallet_gateway.models import GatewayTransaction, OutboxEventKind

HELD_BACK = frozenset({OutboxEventKind.AUTHORIZED, OutboxEventKind.PAID, OutboxEventKind.CAPTURED_IN_PART})
"""Events on which goods are shipped: held back while a payment is frozen, sent after its release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One event to deliver, with its amount in minor units."""

    kind: OutboxEventKind
    amount: int | None = None


def outbox_events_of(
    transaction: GatewayTransaction, *, moved: bool, sums_before: PaymentTotals | None
) -> tuple[Notification, ...]:
    """Return the events of a transaction in its current state; none for a detached refund.

    `moved` means that it has just entered its state and had never been approved before: an approval that
    was contradicted and then accepted is not a second payment.
    """
    payment = transaction.payment
    if payment is None or sums_before is None:
        return ()
    told = _moved(transaction) if moved else ()
    if payment.is_frozen:
        told = tuple(outbox_event for outbox_event in told if outbox_event.kind not in HELD_BACK)
    frozen_now = payment.is_frozen and not sums_before.is_frozen
    return (*told, Notification(kind=OutboxEventKind.ANOMALY)) if frozen_now else told


def events_of_release(transaction: GatewayTransaction) -> tuple[Notification, ...]:
    """Return the events of an approved transaction that were held back while its payment was frozen."""
    payment = transaction.payment
    if payment is None or payment.order.state == OrderState.OVERPAID:
        return ()
    told = _approved(transaction)
    return tuple(outbox_event for outbox_event in told if outbox_event.kind in HELD_BACK)


def _moved(transaction: GatewayTransaction) -> tuple[Notification, ...]:
    after = TransactionState(transaction.state)
    if after is TransactionState.APPROVED:
        return _approved(transaction)
    return _ended(transaction, after)


def _approved(transaction: GatewayTransaction) -> tuple[Notification, ...]:
    payment, amount = transaction.payment, transaction.approved_minor or transaction.amount_minor
    assert payment is not None  # noqa: S101 - the caller has looked
    kind = TransactionKind(transaction.kind)
    if kind is TransactionKind.REFUND:
        return (Notification(kind=OutboxEventKind.REFUNDED, amount=amount),)
    if kind is TransactionKind.REVERSAL:
        return (Notification(kind=OutboxEventKind.REVERSED, amount=amount),)
    if kind is TransactionKind.CAPTURE:
        return (_captured(transaction, amount),)
    told = Notification(
        kind=OutboxEventKind.AUTHORIZED if payment.type != PaymentType.SALE else OutboxEventKind.PAID,
        amount=amount,
    )
    # A further payment of a paid order is not reported as "paid" again: a person has to handle it.
    overpaid = payment.order.state == OrderState.OVERPAID
    return (Notification(kind=OutboxEventKind.ANOMALY, amount=amount),) if overpaid else (told,)


def _captured(transaction: GatewayTransaction, amount: int) -> Notification:
    assert transaction.payment is not None  # noqa: S101 - captures belong to payments
    whole = transaction.payment.captured >= transaction.payment.authorized
    return Notification(
        kind=OutboxEventKind.PAID if whole else OutboxEventKind.CAPTURED_IN_PART, amount=amount
    )


_ENDINGS = {OrderState.FAILED: OutboxEventKind.FAILED, OrderState.EXPIRED: OutboxEventKind.EXPIRED}


def _ended(transaction: GatewayTransaction, after: TransactionState) -> tuple[Notification, ...]:
    payment = transaction.payment
    if payment is None or transaction.reference != payment.reference:
        return ()
    if after not in {TransactionState.REJECTED, TransactionState.EXPIRED}:
        return ()
    order_state = OrderState(payment.order.state)
    ending = _ENDINGS.get(order_state)
    return (Notification(kind=ending, amount=transaction.amount_minor),) if ending else ()
