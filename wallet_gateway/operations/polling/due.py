"""Query the status of every due transaction at the gateway's query rate, in one or several threads.

First what a customer or an unknown outcome waits for, then what has ended and is watched. Approvals that are
queried again come last: they have a share of the rate, which all workers on all machines take in turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.db.models import QuerySet

from wallet_gateway.domain.polling_schedule import CLAIM, REPEAT_SHARE, QueryPriority
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import GatewayPause, GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.operations.polling.status_result import record_status_result
from wallet_gateway.operations.polling.worker_pool import RateLimiter, run_in_threads
from wallet_gateway.operations.settlement.db_transactions import in_statement
from wallet_gateway.operations.settlement.row_errors import log_row_error, read_due

_LOOK_EVERY = 32
"""Number of rows between two checks for a pause when several threads send queries."""

_URGENT = (QueryPriority.UNFINISHED, QueryPriority.WATCHED)

SHARE_LASTS = timedelta(minutes=1)
"""For how long one worker takes the share of repeated queries, at most."""


@sensitive_variables()
def reconcile_due(*, context: GatewayContext, limit: int = 500) -> int:
    """Query the status of every due transaction, the urgent ones first; return the number of queries."""
    return reconcile_urgent(context=context, limit=limit) + repeat_queries(context=context, limit=limit)


@sensitive_variables()
def reconcile_urgent(*, context: GatewayContext, limit: int = 500) -> int:
    """Query every due transaction but repeated ones, one claim at a time; return the number of queries.

    Any number of workers on any number of machines may run this: a row is claimed by a conditional UPDATE.
    """
    now = context.clock.now()
    if _queries_are_paused(context, now):
        return 0
    if context.policy.query_workers > 1:
        return _query_together(context, limit=limit)
    return _query_paced(_urgent(context, now, limit=limit), context)


def _due(context: GatewayContext, now: datetime, *priorities: QueryPriority) -> QuerySet[GatewayTransaction]:
    rows = GatewayTransaction.objects.filter(
        gateway=context.alias, query_priority__in=priorities, next_query_at__lte=now
    )
    return rows.order_by("next_query_at", "pk").select_related("payment__order", "deposit")


def _urgent(context: GatewayContext, now: datetime, *, limit: int) -> list[GatewayTransaction]:
    """Return the first due rows, the most urgent first. One range of the index for each priority."""
    rows: list[GatewayTransaction] = []
    for priority in _URGENT:
        rows += read_due(_due(context, now, priority), limit=limit - len(rows))
    return rows


def _query_paced(rows: Iterable[GatewayTransaction], context: GatewayContext) -> int:
    queried, pause = 0, 1 / context.policy.query_rate
    for transaction in rows:
        if not _claim_due(transaction, context.clock.now()):
            continue
        _query(transaction, context)
        queried += 1
        context.sleep(pause)
        if _queries_are_paused(context, context.clock.now()):
            break
    return queried


def _query_together(context: GatewayContext, *, limit: int) -> int:
    """Query in several threads, up to `limit` rows for each, at the gateway's rate for all together."""
    workers, pace = context.policy.query_workers, RateLimiter(context.policy.query_rate, context.sleep)
    queried: list[str] = []

    def query_one(transaction: GatewayTransaction) -> None:
        # Claim before waiting, so that a row claimed by another worker costs no turn.
        if _claim_due(transaction, context.clock.now()):
            queried.append(transaction.reference)
            pace.wait()
            _query(transaction, context)

    rows = islice(_due_batches(context, batch=limit), limit * workers)
    run_in_threads(rows, query_one, threads=workers)
    return len(queried)


def _due_batches(context: GatewayContext, *, batch: int) -> Iterator[GatewayTransaction]:
    """Yield due rows until none is left or queries are paused; a row may come twice."""
    while not _queries_are_paused(context, now := context.clock.now()):
        rows = _urgent(context, now, limit=batch)
        for number, transaction in enumerate(rows):
            if number % _LOOK_EVERY == 0 and _queries_are_paused(context, context.clock.now()):
                return
            yield transaction
        # Fewer rows than asked for are no end: other workers claim some of them while they are read.
        if not rows:
            return


def _query(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Query one claimed transaction and record the result; return whether there was an answer."""
    is_answered = True
    with log_row_error(transaction.reference) as failures:
        finding = query_status(transaction, context=context)
        record_status_result(transaction, finding, context)
        is_answered = finding is not None
    if failures:
        # The same error is likely at each of its queries, so a person has to see it in the work queue, too.
        same_state = GatewayTransaction.objects.filter(pk=transaction.pk, state=transaction.state)
        in_statement(lambda: same_state.update(needs_operator=True))
    return is_answered


# Approvals that are queried again


@sensitive_variables()
def repeat_queries(*, context: GatewayContext, limit: int = 500) -> int:
    """Query approvals again, at most a fifth of the rate for all workers together; return how many queries.

    What becomes urgent meanwhile is queried in between. A query without an answer ends it: these can wait.
    """
    if _queries_are_paused(context, context.clock.now()):
        return 0
    workers, pace = context.policy.query_workers, RateLimiter(context.policy.query_rate, context.sleep)
    queried: list[int] = []
    unanswered: list[str] = []

    def query_one(transaction: GatewayTransaction) -> None:
        if _claim_due(transaction, context.clock.now()):
            queried.append(1)
            pace.wait()
            if not _query(transaction, context):
                unanswered.append(transaction.reference)

    def in_turn() -> Iterator[GatewayTransaction]:
        for transaction in _take_share(context, limit=limit):
            now = context.clock.now()
            if unanswered or _queries_are_paused(context, now):
                return
            if _due(context, now, *_URGENT).exists():
                queried.append(reconcile_urgent(context=context, limit=limit))
            yield transaction

    if workers > 1:
        run_in_threads(in_turn(), query_one, threads=workers)
    else:
        for transaction in in_turn():
            query_one(transaction)
    return sum(queried)


def _take_share(context: GatewayContext, *, limit: int) -> list[GatewayTransaction]:
    """Return the rows that this worker may query again now; none while another has taken the share."""
    now, rate = context.clock.now(), context.policy.query_rate / REPEAT_SHARE
    most = max(1, int(rate * SHARE_LASTS.total_seconds()))
    rows = read_due(_due(context, now, QueryPriority.REPEATED), limit=min(most, limit))
    until = now + timedelta(seconds=len(rows) / rate)
    is_ours = bool(rows) and GatewayPause.take_repeats(context.alias, now=now, until=until)
    return rows if is_ours else []


def _claim_due(transaction: GatewayTransaction, now: datetime) -> bool:
    mine = GatewayTransaction.objects.filter(
        pk=transaction.pk, state=transaction.state, next_query_at=transaction.next_query_at
    )
    return bool(in_statement(lambda: mine.update(next_query_at=now + CLAIM, last_queried_at=now)))


def _queries_are_paused(context: GatewayContext, now: datetime) -> bool:
    return GatewayPause.objects.filter(gateway=context.alias, queries_until__gt=now).exists()
