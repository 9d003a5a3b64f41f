"""Deliver outbox events at least once: by the request that caused them, or else by the sweep."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import Error as DatabaseFault
from django.db.models import F
from django.dispatch import Signal
from django.views.decorators.debug import sensitive_variables

from wallet_gateway import signals
from wallet_gateway.models import OutboxEvent, OutboxEventKind, PaymentOrder
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.settlement.row_errors import failure

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
}
CLAIM = timedelta(seconds=60)
_LONGEST_WAIT = timedelta(hours=1)


@sensitive_variables()
def deliver(outbox_events: Iterable[OutboxEvent], *, clock: Clock) -> int:
    """Send the signals of events that this process has claimed; return how many all receivers accepted.

    A receiver's exception is logged, and the event is sent again later to all receivers. The same applies
    when the database cannot record the delivery: the change is committed and must not look like a failure.
    """
    told = 0
    for outbox_event in outbox_events:
        try:
            told += _deliver_one(outbox_event, clock.now())
        except DatabaseFault as error:
            text = "the delivery of fact %s could not be noted, told again later: %s"
            logger.error(text, outbox_event.event_id, failure(error))
    return told


@sensitive_variables()
def deliver_due(*, clock: Clock, limit: int = 500) -> int:
    """Claim and deliver events whose first delivery did not happen or failed.

    Any number of workers may run this. Each event is claimed right before its delivery, so that a worker that
    dies delays only the event it was delivering. The order is read then too, because an earlier event's
    receiver may have changed it.
    """
    due = OutboxEvent.objects.filter(next_delivery_at__lte=clock.now()).order_by("next_delivery_at", "pk")
    rows = list(due[:limit])
    return sum(
        deliver([outbox_event], clock=clock) for outbox_event in rows if _claim(outbox_event, clock.now())
    )


def _claim(outbox_event: OutboxEvent, now: datetime) -> bool:
    mine = OutboxEvent.objects.filter(
        event_id=outbox_event.event_id, next_delivery_at=outbox_event.next_delivery_at
    )
    outbox_event.attempts += 1
    return bool(mine.update(next_delivery_at=now + CLAIM, attempts=F("attempts") + 1))


def _deliver_one(outbox_event: OutboxEvent, now: datetime) -> bool:
    failures = _tell(outbox_event)
    row = OutboxEvent.objects.filter(event_id=outbox_event.event_id)
    if not failures:
        row.update(delivered_at=now, next_delivery_at=None)
        return True
    wait = min(timedelta(seconds=30 * 2 ** min(outbox_event.attempts, 10)), _LONGEST_WAIT)
    row.update(next_delivery_at=now + wait, last_error=type(failures[0]).__name__)
    logger.error(
        "a receiver failed for fact %s, told again in %s: %s",
        outbox_event.event_id,
        wait,
        failure(failures[0]),
    )
    return False


def _tell(outbox_event: OutboxEvent) -> list[Exception]:
    """Call every receiver and return the exceptions they raised."""
    try:
        answers = SIGNALS[OutboxEventKind(outbox_event.kind)].send_robust(
            sender=PaymentOrder,
            event_id=str(outbox_event.event_id),
            reference=outbox_event.order.reference,
            order=outbox_event.order,
            amount=outbox_event.amount,
            occurred_at=outbox_event.occurred_at,
        )
    except AttributeError as error:
        # Django logs a failed receiver by its `__qualname__`, which, for example, a partial does not have.
        return [error]
    return [answer for _, answer in answers if isinstance(answer, Exception)]
