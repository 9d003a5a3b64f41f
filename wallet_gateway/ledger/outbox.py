"""Choose the events of a state transition and deliver them at least once: by the request, or by the sweep."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import Error as DatabaseFault
from django.db import transaction as db_transaction
from django.db.models import F
from django.dispatch import Signal

from wallet_gateway import signals
from wallet_gateway.context import DatabaseClock
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    LatePayment,
    OrderState,
    PaymentTotals,
    PaymentType,
    Reversal,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.ledger.transactions import failure, in_statement
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    OutboxEvent,
    OutboxEventKind,
    PauseCode,
    Payment,
    PaymentOrder,
)

logger = logging.getLogger("wallet_gateway.outbox")

SIGNALS: dict[OutboxEventKind, Signal] = {
    OutboxEventKind.AUTHORIZED: signals.order_authorized,
    OutboxEventKind.PAID: signals.order_paid,
    OutboxEventKind.CAPTURED_IN_PART: signals.order_captured_in_part,
    OutboxEventKind.REFUNDED: signals.order_refunded,
    OutboxEventKind.REVERSED: signals.order_reversed,
    OutboxEventKind.FAILED: signals.order_failed,
    OutboxEventKind.EXPIRED: signals.order_expired,
    OutboxEventKind.ANOMALY: signals.order_anomaly,
    OutboxEventKind.UNFROZEN: signals.order_unfrozen,
    OutboxEventKind.CANCELLED: signals.order_cancelled,
    OutboxEventKind.RELEASED: signals.order_released,
    OutboxEventKind.WALLET_LIMIT_REACHED: signals.wallet_limit_reached,
    OutboxEventKind.OPERATION_REFUSED: signals.operation_refused,
}
CLAIM = timedelta(seconds=60)
_LONGEST_WAIT = timedelta(hours=1)
FIRST_DELIVERY = timedelta(seconds=60)
"""Time in which only the process that wrote a new outbox event delivers it; later the sweep delivers it."""


def add_outbox_events(
    transaction: GatewayTransaction, notifications: Sequence[Notification], now: datetime
) -> tuple[OutboxEvent, ...]:
    """Write a transaction's events to the outbox; this process delivers them after the commit."""
    written = []
    for notification in notifications:
        event = OutboxEvent(
            event_id=uuid.uuid4(),
            kind=notification.kind,
            amount_minor=notification.amount,
            limit=notification.limit,
            currency=transaction.currency,
            exponent=transaction.exponent,
            occurred_at=now,
            next_delivery_at=now + FIRST_DELIVERY,
            attempts=1,
        )
        event.order = transaction.payment.order if transaction.payment is not None else None
        event.transaction = transaction
        event.save(force_insert=True)
        written.append(event)
    return tuple(written)


def add_order_events(
    order: PaymentOrder, kinds: Sequence[OutboxEventKind], now: datetime
) -> tuple[OutboxEvent, ...]:
    """Write events about an order itself, in this order; this process delivers them after the commit."""
    return tuple(
        OutboxEvent.objects.create(
            kind=kind,
            order=order,
            currency=order.currency,
            occurred_at=now,
            next_delivery_at=now + FIRST_DELIVERY,
            attempts=1,
        )
        for kind in kinds
    )


def deliver(outbox_events: Iterable[OutboxEvent], *, clock: DatabaseClock) -> int:
    """Send the signals of events that this process has claimed; return how many all receivers accepted.

    A receiver's exception is logged, and the event is sent again later to all receivers. The same applies
    when the database cannot record the delivery: the change is committed and must not look like a failure.
    """
    delivered = 0
    for outbox_event in outbox_events:
        now = clock.now()
        try:
            failures = _tell(outbox_event)
            if not failures:
                _write_delivery(outbox_event, {"delivered_at": now, "next_delivery_at": None})
                delivered += 1
                continue
            wait = min(timedelta(seconds=30 * 2 ** min(outbox_event.attempts, 10)), _LONGEST_WAIT)
            again = {"next_delivery_at": now + wait, "last_error": type(failures[0]).__name__}
            _write_delivery(outbox_event, again)
            logger.error(
                "a receiver failed for event %s, it is delivered again in %s: %s",
                outbox_event.event_id,
                wait,
                failure(failures[0]),
                extra=_log_fields(outbox_event),
            )
        except DatabaseFault as error:
            text = "the delivery of event %s could not be recorded, it is delivered again later: %s"
            logger.error(text, outbox_event.event_id, failure(error), extra=_log_fields(outbox_event))
    return delivered


def _log_fields(outbox_event: OutboxEvent) -> dict[str, str]:
    of_order = {} if outbox_event.order is None else outbox_event.order.log_fields
    return {**of_order, "code": outbox_event.kind}


def deliver_due(*, clock: DatabaseClock, limit: int = 500) -> int:
    """Claim and deliver events whose first delivery did not happen or failed.

    Any number of workers may run this. Each event is claimed right before its delivery, so that a worker that
    dies delays only the event it was delivering. The order is read then too, because an earlier event's
    receiver may have changed it.
    """
    due = OutboxEvent.objects.filter(next_delivery_at__lte=clock.now()).order_by("next_delivery_at", "pk")
    delivered = 0
    for outbox_event in list(due[:limit]):
        mine = OutboxEvent.objects.filter(
            event_id=outbox_event.event_id, next_delivery_at=outbox_event.next_delivery_at
        )
        outbox_event.attempts += 1
        claim = {"next_delivery_at": clock.now() + CLAIM, "attempts": F("attempts") + 1}
        if in_statement(partial(mine.update, **claim)):
            delivered += deliver([outbox_event], clock=clock)
    return delivered


def _write_delivery(outbox_event: OutboxEvent, columns: Mapping[str, Any]) -> None:
    rows = OutboxEvent.objects.filter(event_id=outbox_event.event_id)
    in_statement(partial(rows.update, **columns))


def _tell(outbox_event: OutboxEvent) -> list[Exception]:
    """Call every receiver and return the exceptions they raised."""
    signal = SIGNALS.get(OutboxEventKind(outbox_event.kind))
    if signal is None:
        # Another version has written it; it waits for a process that knows it.
        return [LookupError(f"no signal tells of the kind {outbox_event.kind}")]
    if not signal.has_listeners(PaymentOrder):
        # Neither the order nor its metadata is read for nobody.
        return []
    order, transaction = outbox_event.order, outbox_event.transaction
    more: dict[str, object] = {"limit": outbox_event.limit} if outbox_event.limit else {}
    if outbox_event.kind == OutboxEventKind.OPERATION_REFUSED and transaction is not None:
        more = {
            "kind": TransactionKind(transaction.kind),
            "transaction": transaction,
            "explanation": transaction.explanation,
        }
    answers = signal.send_robust(
        sender=PaymentOrder,
        event_id=str(outbox_event.event_id),
        reference=order.reference if order is not None else "",
        order=order,
        amount=outbox_event.amount,
        metadata=order.metadata if order is not None else {},
        occurred_at=outbox_event.occurred_at,
        **more,
    )
    return [answer for _, answer in answers if isinstance(answer, Exception)]


# Which events a transition is for the shop


HELD_BACK = frozenset({OutboxEventKind.AUTHORIZED, OutboxEventKind.PAID, OutboxEventKind.CAPTURED_IN_PART})
"""Events on which goods are shipped: held back while a payment is frozen, sent after its release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One event to deliver, with its amount in minor units."""

    kind: OutboxEventKind
    amount: int | None = None
    limit: str = ""
    """The limit of the wallet button that was reached."""


def outbox_events_of(
    transaction: GatewayTransaction,
    *,
    before: TransactionState,
    is_first_approval: bool,
    totals_before: PaymentTotals | None,
    is_signalled: bool = False,
    is_awaited: bool = False,
) -> tuple[Notification, ...]:
    """Return the events of a transaction that was `before` in another state, or in the same.

    An approval that was contradicted and then accepted is no second payment: without `is_first_approval`
    nothing of a payment is reported. `is_signalled` means that a discrepancy was found that the shop must
    hear about even if the payment is frozen already, `is_awaited` that the caller learns the result.
    """
    payment, after = transaction.payment, TransactionState(transaction.state)
    found: tuple[Notification, ...] = ()
    if payment is not None and totals_before is not None:
        if after is not before and is_first_approval:
            found = _events_of_move(transaction, payment, before)
        if payment.is_frozen or payment.order.late_payment == LatePayment.REPORTED:
            found = tuple(one for one in found if one.kind not in HELD_BACK)
        if is_signalled or (payment.is_frozen and not totals_before.is_frozen):
            found = (*found, Notification(kind=OutboxEventKind.ANOMALY))
    if after is not before and is_refusal_for_shop(transaction, is_awaited=is_awaited):
        refused = Notification(kind=OutboxEventKind.OPERATION_REFUSED, amount=transaction.amount_minor)
        found = (*found, refused)
    once = _TOLD_ONCE & {one.kind for one in found}
    if once and before in {TransactionState.PENDING, TransactionState.ANOMALY}:
        # A page with one refused card and a second pending one is reported to the shop as failed only once;
        # so is an operation that was refused, reported as approved all the same, and then given up.
        known = OutboxEvent.objects.filter(transaction=transaction, kind__in=once)
        kinds = frozenset(known.values_list("kind", flat=True))
        found = tuple(one for one in found if one.kind not in kinds)
    return found


_TOLD_ONCE = frozenset({OutboxEventKind.FAILED, OutboxEventKind.OPERATION_REFUSED})
"""Events of which each transaction has only one."""


def is_refusal_for_shop(transaction: GatewayTransaction, *, is_awaited: bool) -> bool:
    """Return whether an operation has been refused or given up and nobody waits for it any more.

    What opens a payment has events of its own; what was made elsewhere was asked for by nobody here.
    """
    is_over = transaction.state in {TransactionState.REJECTED, TransactionState.ABANDONED}
    return is_over and not is_awaited and transaction.kind not in OPENING_KINDS


def events_of_release(transaction: GatewayTransaction, *, captured_later: int) -> tuple[Notification, ...]:
    """Return the events of an approved transaction that were held back while its payment was frozen.

    `captured_later` is what the captures after it took, in minor units. Nothing is shipped for money that was
    given back in the meantime.
    """
    payment = transaction.payment
    if payment is None or is_given_back(payment):
        return ()
    if payment.order.late_payment == LatePayment.REPORTED:
        return ()
    notifications = _approved(transaction, payment, captured_later)
    return tuple(one for one in notifications if one.kind in HELD_BACK)


def is_given_back(payment: Payment) -> bool:
    """Return whether a payment holds nothing any more of what it took or reserved."""
    return payment.reversal == Reversal.DONE or payment.captured == payment.refunded > 0


def _events_of_move(
    transaction: GatewayTransaction, payment: Payment, before: TransactionState
) -> tuple[Notification, ...]:
    order, after = payment.order, TransactionState(transaction.state)
    if after is TransactionState.APPROVED:
        notifications = _approved(transaction, payment)
        if transaction.kind not in OPENING_KINDS:
            return notifications
        # A new payment that a person has to handle is an anomaly
        if order.late_payment == LatePayment.REPORTED:
            # Without an amount: what is sent with one is not sent again when the payment is accepted.
            return tuple(Notification(kind=OutboxEventKind.ANOMALY) for _each in notifications)
        if order.state == OrderState.OVERPAID:
            # A further payment of a paid order is not reported as "paid" again.
            return tuple(replace(one, kind=OutboxEventKind.ANOMALY) for one in notifications)
        return notifications
    if transaction.reference != payment.reference:
        return ()
    is_given_up = after is TransactionState.ABANDONED and before in _DECIDED_BY_PERSON
    if not is_given_up and after not in {TransactionState.REJECTED, TransactionState.EXPIRED}:
        return ()
    ending = _ENDINGS.get(OrderState(order.state))
    return (Notification(kind=ending, amount=transaction.amount_minor),) if ending else ()


_ENDINGS = {OrderState.FAILED: OutboxEventKind.FAILED, OrderState.EXPIRED: OutboxEventKind.EXPIRED}
_DECIDED_BY_PERSON = frozenset(
    {TransactionState.UNKNOWN, TransactionState.PENDING, TransactionState.AWAITING_3DS, TransactionState.OPEN}
)
"""States in which the customer waits for a result, and that only a person can end as abandoned."""


def _approved(
    transaction: GatewayTransaction, payment: Payment, captured_later: int = 0
) -> tuple[Notification, ...]:
    approved = transaction.approved_minor or transaction.amount_minor
    kind, amount = TransactionKind(transaction.kind), approved - transaction.excess_minor
    if amount <= 0:
        # No total contains it: the freeze that it causes is what the shop is told.
        return ()
    if kind is TransactionKind.REFUND:
        return (Notification(kind=OutboxEventKind.REFUNDED, amount=amount),)
    if kind is TransactionKind.REVERSAL:
        return (Notification(kind=OutboxEventKind.REVERSED, amount=amount),)
    if kind is TransactionKind.CAPTURE:
        is_whole = payment.captured - captured_later >= payment.authorized
        captured = OutboxEventKind.PAID if is_whole else OutboxEventKind.CAPTURED_IN_PART
        return (Notification(kind=captured, amount=amount),)
    opened = OutboxEventKind.AUTHORIZED if payment.type != PaymentType.SALE else OutboxEventKind.PAID
    return (Notification(kind=opened, amount=amount),)


# A pause, which is told without the outbox: who missed it sees it in the health view and in the admin


def announce_pause(
    gateway: str, *, until: datetime | None, code: PauseCode | None, reason: str, by: str = ""
) -> None:
    """Send `sending_paused` after the commit; a receiver that raises is logged."""
    words = {"gateway": gateway, "until": until, "code": code, "reason": reason, "by": by}
    db_transaction.on_commit(partial(signals.sending_paused.send_robust, sender=GatewayPause, **words))


def announce_resumption(gateway: str, *, by: str, reason: str = "") -> None:
    """Send `sending_resumed` after the commit; a receiver that raises is logged."""
    words = {"gateway": gateway, "by": by, "reason": reason}
    db_transaction.on_commit(partial(signals.sending_resumed.send_robust, sender=GatewayPause, **words))
