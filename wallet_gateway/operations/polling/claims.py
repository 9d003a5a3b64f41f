"""Claim due transactions in small batches, so that no two workers query the same one at a time.

The claim postpones the rows: `next_query_at` is then the end of the claim, and a row whose worker dies is due
again by itself. PostgreSQL and MariaDB skip the rows that another worker is claiming at this moment; SQLite
has one writer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import connections
from django.db.models import Q, QuerySet

from wallet_gateway.domain.polling_schedule import CLAIM, QUERY_WITHIN, QueryPriority
from wallet_gateway.ledger.transactions import in_statement, in_transaction
from wallet_gateway.models import GatewayPause, GatewayTransaction, Payment
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.models.single_rows import update_row
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.merchant_accounts import is_left_alone

MAX_BATCH = 64
"""Maximum number of rows in a batch, and of those that come back late when their worker dies."""

TESTS_WAIT = timedelta(days=1)
"""How long a due test of a live account is put off, unasked: the account may be a test again."""

BATCH_LASTS = timedelta(seconds=1)
"""How long a batch takes at the gateway's rate: what becomes urgent meanwhile waits for so long at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Rows that one worker has claimed, the oldest first, as they were before the claim."""

    rows: Sequence[GatewayTransaction] = ()
    claimed_at: datetime

    @property
    def until(self) -> datetime:
        """When the claim ends, and the rows are due again."""
        return self.claimed_at + CLAIM

    def may_query(self, now: datetime) -> bool:
        """Return whether a query that begins now is over before another worker may claim its row."""
        return now <= self.claimed_at + QUERY_WITHIN


def due(context: GatewayContext, now: datetime, *priorities: QueryPriority) -> QuerySet[GatewayTransaction]:
    """Return the due rows of these priorities, the oldest first."""
    rows = GatewayTransaction.objects.filter(
        gateway=context.alias, query_priority__in=priorities, next_query_at__lte=now
    )
    return rows.order_by("next_query_at", "pk")


def queries_are_paused(context: GatewayContext, now: datetime) -> bool:
    """Return whether the gateway has asked for time."""
    return GatewayPause.objects.filter(gateway=context.alias, queries_until__gt=now).exists()


def claim_first(
    context: GatewayContext, priorities: Sequence[QueryPriority], *, since: datetime, most: int
) -> Batch:
    """Claim the oldest due rows of the first priority that has some not queried since an instant.

    There is nothing to claim while queries are paused. A batch has one priority only, so that the next batch
    begins with what has become more urgent in the meantime.
    """
    now = context.clock.now()
    size = min(most, MAX_BATCH, max(1, int(context.policy.query_rate * BATCH_LASTS.total_seconds())))
    not_paused = ~GatewayPause.queries_are_paused(context.alias, now)
    # A schedule that has fallen behind has its next instant in the past, too: one answer is enough for it.
    not_again = Q(last_queried_at__isnull=True) | Q(last_queried_at__lt=since)
    for priority in priorities:
        rows = due(context, now, priority).filter(not_again)
        # Most sweeps find none: one statement, and no transaction.
        if rows.filter(not_paused).exists():
            batch = in_transaction(partial(_claim, rows[:size], now, context))
            if batch.rows:
                return batch
    return Batch(claimed_at=now)


def _claim(due_rows: QuerySet[GatewayTransaction], now: datetime, context: GatewayContext) -> Batch:
    # Without it, as before MariaDB 10.6, a second claim waits for the first and finds its rows no longer due.
    skips = connections[due_rows.db].features.has_select_for_update_skip_locked
    locked = due_rows.select_for_update(skip_locked=skips).values_list("pk", flat=True)
    while keys := list(locked.all()):
        rows = GatewayTransaction.objects.filter(pk__in=keys).select_related("payment__order", "deposit")
        asked, left_alone = list[GatewayTransaction](), list[int]()
        for row in rows.order_by("next_query_at", "pk"):
            if is_left_alone(row, context):
                left_alone.append(row.pk)
            else:
                asked.append(row)
        if left_alone:
            _rows(left_alone).update(next_query_at=now + TESTS_WAIT)
        if asked:
            batch = Batch(rows=asked, claimed_at=now)
            _read_payments(asked)
            _rows(row.pk for row in asked).update(next_query_at=batch.until, last_queried_at=now)
            return batch
    return Batch(claimed_at=now)


def _rows(keys: Iterable[int]) -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(pk__in=list(keys))


def give_back(batch: Batch, rows: Sequence[GatewayTransaction]) -> None:
    """Undo the claim of rows of a batch that were not queried, but for those that others have changed."""
    for row in rows:
        columns = {"next_query_at": row.next_query_at, "last_queried_at": row.last_queried_at}
        ours = {"id": row.pk, "next_query_at": batch.until}
        in_statement(partial(update_row, GatewayTransaction, where=ours, columns=columns))


def _read_payments(rows: Sequence[GatewayTransaction]) -> None:
    """Read the other payments of the rows' orders at once: the state of an order depends on all of them."""
    own = {row.payment.pk: row.payment for row in rows if row.payment is not None}
    payments = defaultdict[int, list[Payment]](list)
    # Most orders have one payment, so this reads next to nothing.
    others = Payment.objects.filter(order__in={payment.order_id for payment in own.values()})
    for payment in (*own.values(), *others.exclude(pk__in=list(own)).order_by()):
        payments[payment.order_id].append(payment)
    for row in rows:
        if row.payment is not None:
            order = row.payment.order
            order.known_payments = KnownPayments(version=order.version, payments=payments[order.pk])
