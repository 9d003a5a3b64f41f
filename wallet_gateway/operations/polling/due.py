"""Query the status of every due transaction at the gateway's query rate, in one or several threads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice

from django.db.models import QuerySet

from wallet_gateway.domain.polling_schedule import CLAIM
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import GatewayPause, GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.reconciliation import query_and_record
from wallet_gateway.operations.polling.worker_pool import RateLimiter, run_in_threads
from wallet_gateway.operations.settlement.row_errors import log_row_error, read_due

_LOOK_EVERY = 32
"""Number of rows between two checks for a pause when several threads send queries."""


@sensitive_variables()
def reconcile_due(*, context: GatewayContext, limit: int = 500) -> int:
    """Query the status of every due transaction, one claim at a time; return the number of queries.

    Any number of workers on any number of machines may run this: a row is claimed by a conditional UPDATE.
    """
    now = context.clock.now()
    if _queries_are_paused(context, now):
        return 0
    if context.policy.query_workers > 1:
        return _query_together(context, limit=limit)
    return _query_paced(read_due(_due(context, now), limit=limit), context)


def _due(context: GatewayContext, now: datetime) -> QuerySet[GatewayTransaction]:
    rows = GatewayTransaction.objects.filter(gateway=context.alias, next_query_at__lte=now)
    return rows.order_by("next_query_at", "pk").select_related("payment__order", "deposit")


def _query_paced(rows: Iterable[GatewayTransaction], context: GatewayContext) -> int:
    queried, pause = 0, 1 / context.policy.query_rate
    for transaction in rows:
        if not _claim_due(transaction, context.clock.now()):
            continue
        with log_row_error(transaction.reference):
            query_and_record(transaction, context=context)
        queried += 1
        context.sleep(pause)
        if _queries_are_paused(context, context.clock.now()):
            break
    return queried


def _query_together(context: GatewayContext, *, limit: int) -> int:
    """Query in several threads, up to `limit` rows for each, at the gateway's rate for all together."""
    workers, pace = context.policy.query_workers, RateLimiter(context.policy.query_rate, context.sleep)
    queried: list[str] = []

    def ask_one(transaction: GatewayTransaction) -> None:
        # Claim before waiting, so that a row claimed by another worker costs no turn.
        if _claim_due(transaction, context.clock.now()):
            queried.append(transaction.reference)
            pace.wait()
            with log_row_error(transaction.reference):
                query_and_record(transaction, context=context)

    rows = islice(_due_batches(context, batch=limit), limit * workers)
    run_in_threads(rows, ask_one, threads=workers)
    return len(queried)


def _due_batches(context: GatewayContext, *, batch: int) -> Iterator[GatewayTransaction]:
    """Yield due rows until none is left or queries are paused; a row may come twice."""
    while not _queries_are_paused(context, now := context.clock.now()):
        rows = read_due(_due(context, now), limit=batch)
        for number, transaction in enumerate(rows):
            if number % _LOOK_EVERY == 0 and _queries_are_paused(context, context.clock.now()):
                return
            yield transaction
        # Fewer rows than asked for are no end: other workers claim some of them while they are read.
        if not rows:
            return


def _claim_due(transaction: GatewayTransaction, now: datetime) -> bool:
    mine = GatewayTransaction.objects.filter(
        pk=transaction.pk, state=transaction.state, next_query_at=transaction.next_query_at
    )
    return bool(mine.update(next_query_at=now + CLAIM, last_queried_at=now))


def _queries_are_paused(context: GatewayContext, now: datetime) -> bool:
    return GatewayPause.objects.filter(gateway=context.alias, queries_until__gt=now).exists()
