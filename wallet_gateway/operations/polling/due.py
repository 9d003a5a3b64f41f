"""Query the status of every due transaction at the gateway's query rate, in one or several threads.

First what a customer or an unknown outcome waits for, then what has ended and is watched. Approvals that are
queried again come last: they have a share of the rate, which all workers on all machines take in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta

from wallet_gateway.domain.polling_schedule import REPEAT_SHARE, QueryPriority
from wallet_gateway.ledger.due_rows import log_row_error
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import GatewayPause, GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.claimed_rows import Claim, claimed_rows
from wallet_gateway.operations.polling.claims import (
    BATCH_LASTS,
    claim_first,
    due,
    queries_are_paused,
)
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.operations.polling.status_result import record_status_result
from wallet_gateway.operations.polling.worker_pool import RateLimiter, run_in_threads

_URGENT = (QueryPriority.UNFINISHED, QueryPriority.WATCHED)

SHARE_LASTS = timedelta(minutes=1)
"""For how long one worker takes the share of repeated queries, at most."""


def reconcile_due(*, context: GatewayContext, limit: int = 500) -> int:
    """Query the status of every due transaction, the urgent ones first; return the number of queries."""
    return reconcile_urgent(context=context, limit=limit) + repeat_queries(context=context, limit=limit)


def reconcile_urgent(*, context: GatewayContext, limit: int = 500) -> int:
    """Query every due transaction but repeated ones, up to `limit` for each thread; return how many queries.

    Any number of workers on any number of machines may run this: each row is claimed by one of them.
    """
    queries = _Queries(context)
    _query_urgent(queries, context, limit=limit)
    return queries.count


def _query_urgent(queries: _Queries, context: GatewayContext, *, limit: int) -> None:
    workers = context.policy.query_workers
    if workers > 1:
        pace = RateLimiter(context.policy.query_rate, context.clock.sleep)
        claimed = claimed_rows(
            _claim(_URGENT, context),
            limit=limit * workers,
            clock=context.clock,
            turn=pace.wait,
            is_over=queries.caused_pause,
        )
        with closing(claimed) as rows:
            run_in_threads(rows, queries.send, threads=workers)
        return
    urgent = _claim(_URGENT, context)
    for transaction in claimed_rows(urgent, limit=limit, clock=context.clock, is_over=queries.caused_pause):
        queries.send(transaction)
        context.clock.sleep(1 / context.policy.query_rate)


def _claim(priorities: Sequence[QueryPriority], context: GatewayContext) -> Claim:
    """Return what claims the rows of these priorities that were not queried since now."""
    since = context.clock.now()
    return lambda most: claim_first(context, priorities, since=since, most=most)


class _Queries:
    """The queries of one call, shared by its threads."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._sent, self._unanswered = list[str](), list[str]()
        self._looked_after = 0

    @property
    def count(self) -> int:
        """How many were sent."""
        return len(self._sent)

    @property
    def has_unanswered(self) -> bool:
        """Whether one of them had no usable answer."""
        return bool(self._unanswered)

    def send(self, transaction: GatewayTransaction) -> None:
        """Query one transaction and record the result."""
        self._sent.append(transaction.reference)
        if not self._query(transaction):
            self._unanswered.append(transaction.reference)

    def _query(self, transaction: GatewayTransaction) -> bool:
        """Query one claimed transaction and settle the result; return whether there was an answer."""
        is_answered = True
        with log_row_error(transaction.reference) as failures:
            finding = query_status(transaction, context=self._context)
            record_status_result(transaction, finding, self._context)
            is_answered = finding is not None
        if failures:
            # The same error is likely at each of its queries, so a person has to see it in the work queue.
            same_state = GatewayTransaction.objects.filter(pk=transaction.pk, state=transaction.state)
            in_statement(lambda: same_state.update(needs_operator=True))
        return is_answered

    def caused_pause(self) -> bool:
        """Return whether queries are paused since an unanswered one; a claim sees the pauses of others."""
        if len(self._unanswered) == self._looked_after:
            return False
        self._looked_after = len(self._unanswered)
        return queries_are_paused(self._context, self._context.clock.now())


# Approvals that are queried again


def repeat_queries(*, context: GatewayContext, limit: int = 500) -> int:
    """Query approvals again, at most a fifth of the rate for all workers together; return how many queries.

    What becomes urgent meanwhile is queried in between. A query without an answer ends it: these can wait.
    """
    if queries_are_paused(context, context.clock.now()):
        return 0
    queries = _Queries(context)
    urgent = _query_repeated(queries, context, limit=limit)
    return queries.count + urgent


def _query_repeated(queries: _Queries, context: GatewayContext, *, limit: int) -> int:
    """Query approvals again; return how many queries that became urgent were sent in between."""
    pace = RateLimiter(context.policy.query_rate, context.clock.sleep)
    is_urgent_due = _once_a_second(lambda now: due(context, now, *_URGENT).exists(), context)
    are_paused = _once_a_second(lambda now: queries_are_paused(context, now), context)
    urgent: list[int] = []

    def turn() -> None:
        if is_urgent_due():
            urgent.append(reconcile_urgent(context=context, limit=limit))
        pace.wait()

    def is_over() -> bool:
        return queries.has_unanswered or are_paused()

    share = _take_share(context, limit=limit)
    repeated = _claim([QueryPriority.REPEATED], context)
    rows = claimed_rows(repeated, limit=share, clock=context.clock, turn=turn, is_over=is_over)
    if (workers := context.policy.query_workers) > 1:
        run_in_threads(rows, queries.send, threads=workers)
    else:
        for transaction in rows:
            queries.send(transaction)
    return sum(urgent)


def _once_a_second(look: Callable[[datetime], bool], context: GatewayContext) -> Callable[[], bool]:
    """Return a function that looks at most once a second, and in between returns False."""
    looked_at: datetime | None = None

    def is_found() -> bool:
        nonlocal looked_at
        now = context.clock.now()
        if looked_at is not None and now - looked_at < BATCH_LASTS:
            return False
        looked_at = now
        return look(now)

    return is_found


def _take_share(context: GatewayContext, *, limit: int) -> int:
    """Return how many rows this worker may query again now; 0 while another has taken the share."""
    now, rate = context.clock.now(), context.policy.query_rate / REPEAT_SHARE
    most = min(limit, max(1, int(rate * SHARE_LASTS.total_seconds())))
    found = len(due(context, now, QueryPriority.REPEATED).values_list("pk")[:most])
    until = now + timedelta(seconds=found / rate)
    is_ours = found > 0 and GatewayPause.take_repeats(context.alias, now=now, until=until)
    return found if is_ours else 0
