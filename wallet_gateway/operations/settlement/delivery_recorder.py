"""Record which outbox events were delivered: many of a sweep by one statement.

An event whose delivery is not recorded is delivered again, with the same id. So it is if a worker dies before
it has recorded it: at once or together, an event is delivered at least once.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from django.db import Error as DatabaseFault

from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import OutboxEvent
from wallet_gateway.operations.context import Clock, GatewayContext
from wallet_gateway.operations.settlement.db_transactions import in_statement
from wallet_gateway.operations.settlement.row_errors import failure

logger = logging.getLogger("wallet_gateway.outbox")

MANY = 32
"""How many deliveries are recorded at once."""

WAIT = timedelta(seconds=1)
"""How long the first of them waits for the others: far less than until the sweep would deliver it again.

It is looked at whenever a thread has an answer, so while all of them wait for a slow gateway, it waits, too.
"""


class DeliveryRecorder:
    """Collects the deliveries of a worker's threads, and records them together."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._delivered = list[uuid.UUID]()
        self._first_at = clock.now()

    def add(self, event_id: uuid.UUID) -> None:
        """Note that every receiver has accepted an event."""
        with self._lock:
            if not self._delivered:
                self._first_at = self._clock.now()
            self._delivered.append(event_id)

    def record_if_due(self) -> None:
        """Record the deliveries if they are many, or if the first has waited long enough."""
        waiting = len(self._delivered)
        if waiting >= MANY or (waiting and self._clock.now() - self._first_at >= WAIT):
            self.record()

    @sensitive_variables()
    def record(self) -> None:
        """Record the deliveries, and log those that the database cannot record."""
        with self._lock:
            # In one sequence for all workers, because each row is locked.
            event_ids, self._delivered = sorted(self._delivered), []
        if not event_ids:
            return
        events = OutboxEvent.objects.filter(event_id__in=event_ids)
        columns = {"delivered_at": self._clock.now(), "next_delivery_at": None}
        try:
            in_statement(lambda: events.update(**columns))
        except DatabaseFault as error:
            log_unrecorded(event_ids, error)


@contextlib.contextmanager
def recorded_together(context: GatewayContext) -> Iterator[GatewayContext]:
    """Give a context whose deliveries are collected, and record the rest of them at the end."""
    recorder = DeliveryRecorder(context.clock)
    try:
        yield replace(context, deliveries=recorder)
    finally:
        recorder.record()


def log_unrecorded(event_ids: Sequence[uuid.UUID], error: DatabaseFault) -> None:
    """Log that deliveries could not be recorded: the change is committed and must not look like a failure."""
    text = "the delivery of event %s could not be recorded, it is delivered again later: %s"
    for event_id in event_ids:
        logger.error(text, event_id, failure(error))
