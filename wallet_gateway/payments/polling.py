"""Query the status of every due transaction at the gateway's query rate, in one or several threads.

First what a customer or an unknown outcome waits for, then what has ended and is watched. Approvals that are
queried again come last: they have a share of the rate, which all workers on all machines take in turns. A row
is claimed by a conditional UPDATE, so that one worker queries it.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

from django.db import connections
from django.db.models import Q, QuerySet
from django.urls import get_script_prefix, set_script_prefix

from wallet_gateway.context import DatabaseClock, GatewayContext, is_left_alone
from wallet_gateway.domain.polling_schedule import (
    CLAIM,
    QUERY_WITHIN,
    REPEAT_SHARE,
    QueryPriority,
    next_retry_at,
)
from wallet_gateway.domain.states import FINAL_STATES
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.discrepancies import report_unrecorded
from wallet_gateway.ledger.transactions import (
    check_outside_transaction,
    in_statement,
    in_transaction,
    log_row_error,
)
from wallet_gateway.models import GatewayPause, GatewayTransaction, Payment
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.payments.status import query_status, record_status_result

_URGENT = (QueryPriority.UNFINISHED, QueryPriority.WATCHED)

SILENT_AFTER = 10
"""After how many queries without an answer, in a row, a gateway is left alone until the next sweep."""
SHARE_LASTS = timedelta(minutes=1)
"""For how long one worker takes the share of repeated queries, at most."""


@sensitive_variables()
def reconcile_due(*, gateway: str = "default", limit: int = 500) -> int:
    """Query the status of the transactions of one gateway that are due, as the sweep does.

    :param gateway: its alias in the settings.
    :param limit: how many at most: `500`.
    :returns: how many were queried.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    check_outside_transaction("payments.maintenance.reconcile_due")
    context = context_of(gateway)
    return reconcile_urgent(context=context, limit=limit) + repeat_queries(context=context, limit=limit)


def reconcile_urgent(*, context: GatewayContext, limit: int = 500) -> int:
    """Query every due transaction but repeated ones, up to `limit` for each thread; return how many queries.

    Any number of workers on any number of machines may run this: each row is claimed by one of them.
    """
    queries, workers, rate = _Queries(context), context.policy.query_workers, context.policy.query_rate
    urgent = _claim_of(_URGENT, context)
    if workers > 1:
        claimed = claimed_rows(
            urgent,
            limit=limit * workers,
            clock=context.clock,
            turn=RateLimiter(rate, context.clock.sleep).wait,
            is_over=queries.is_over,
        )
        with closing(claimed) as rows:
            run_in_threads(rows, queries.send, threads=workers)
    else:
        for transaction in claimed_rows(urgent, limit=limit, clock=context.clock, is_over=queries.is_over):
            queries.send(transaction)
            context.clock.sleep(1 / rate)
    return queries.count


def _claim_of(priorities: Sequence[QueryPriority], context: GatewayContext) -> Claim:
    """Return what claims the rows of these priorities that were not queried since now."""
    since = context.clock.now()
    return lambda most: claim_first(context, priorities, since=since, most=most)


class _Queries:
    """The queries of one call, shared by its threads."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._sent, self._unanswered = list[str](), list[str]()
        self._looked_after = self._unanswered_in_a_row = 0

    @property
    def count(self) -> int:
        """How many were sent."""
        return len(self._sent)

    @property
    def has_unanswered(self) -> bool:
        """Whether one of them had no usable answer."""
        return bool(self._unanswered)

    def send(self, transaction: GatewayTransaction) -> None:
        """Query one claimed transaction and record the result."""
        self._sent.append(transaction.reference)
        is_answered = True
        with log_row_error(transaction.reference) as failures:
            finding = query_status(transaction, context=self._context)
            record_status_result(transaction, finding, self._context)
            is_answered = finding is not None
        if failures:
            # The same error is likely at each of its queries, so a person has to see it in the work queue.
            same_state = GatewayTransaction.objects.filter(pk=transaction.pk, state=transaction.state)
            now = self._context.clock.now()
            again = next_retry_at(since=transaction.state_changed_at, now=now)
            in_statement(lambda: same_state.update(needs_operator=True, next_query_at=again))
            if transaction.state in FINAL_STATES:
                # The work queue shows those that have not ended.
                report_unrecorded(transaction, failures[0], now=now)
        if is_answered:
            self._unanswered_in_a_row = 0
        else:
            self._unanswered.append(transaction.reference)
            self._unanswered_in_a_row += 1

    def is_over(self) -> bool:
        """Return whether no further query is sent now: they are paused, or the gateway does not answer.

        A claim sees the pauses of others. A query may wait for half a minute, and a sweep that waits for a
        silent gateway delays what is due at other gateways, and what the shop is to be told.
        """
        if self._unanswered_in_a_row >= SILENT_AFTER:
            return True
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
    repeated = _claim_of([QueryPriority.REPEATED], context)
    rows = claimed_rows(repeated, limit=share, clock=context.clock, turn=turn, is_over=is_over)
    if (workers := context.policy.query_workers) > 1:
        run_in_threads(rows, queries.send, threads=workers)
    else:
        for transaction in rows:
            queries.send(transaction)
    return queries.count + sum(urgent)


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


# Claims


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
        ours = GatewayTransaction.objects.filter(pk=row.pk, next_query_at=batch.until)
        in_statement(partial(ours.update, **columns))


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


Claim = Callable[[int], Batch]
"""Claims a batch of at most so many rows."""


def claimed_rows(
    claim: Claim,
    *,
    limit: int,
    clock: DatabaseClock,
    turn: Callable[[], None] = lambda: None,
    is_over: Callable[[], bool],
) -> Generator[GatewayTransaction]:
    """Claim batch after batch and yield at most `limit` rows, each in its turn, to be queried at once.

    Rows that cannot be queried any more before their claim ends are given back, and when it is over, all that
    are left.
    """
    left = limit
    while left > 0 and (batch := claim(left)).rows:
        for place, transaction in enumerate(batch.rows):
            turn()
            if (over := is_over()) or not batch.may_query(clock.now()):
                give_back(batch, batch.rows[place:])
                if over:
                    return
                break
            left -= 1
            yield transaction


# Threads, each with its own database connection


T = TypeVar("T")

_CATCH_UP = 0.1
"""Maximum delay in seconds that later turns may catch up."""


class RateLimiter:
    """Limit the rate of all threads together."""

    def __init__(self, per_second: float, sleep: Callable[[float], None]) -> None:
        self._pause, self._sleep = 1 / per_second, sleep
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait for this thread's turn."""
        with self._lock:
            now = time.monotonic()
            turn = max(self._next, now - _CATCH_UP)
            self._next = turn + self._pause
        if turn > now:
            self._sleep(turn - now)


class _Items(Generic[T]):
    """What threads take in turns until there is no more of it, or one of them has failed."""

    def __init__(self, things: Iterable[T]) -> None:
        self._waiting = iter(things)
        self._lock = threading.Lock()
        self._is_over = False
        self.begun = 0

    def take(self) -> Iterator[T]:
        """Yield items for as long as there are any; called by each thread."""
        while found := self._next():
            yield from found

    def _next(self) -> list[T]:
        with self._lock:
            found = [] if self._is_over else list(islice(self._waiting, 1))
            self._is_over = not found
            self.begun += len(found)
        return found

    def end(self) -> None:
        """Let nothing more be taken."""
        with self._lock:
            self._is_over = True


def run_in_threads(things: Iterable[T], work: Callable[[T], object], *, threads: int) -> int:
    """Run `work` for each item, `threads` at a time; return the number of items started.

    A thread takes an item only when it is idle, so that none is held back waiting. An exception in a thread
    stops the taking of items, and is raised here once all threads have ended.
    """
    items, prefix = _Items(things), get_script_prefix()

    def work_off() -> None:
        # Receivers of the shop make addresses, and a thread begins without `FORCE_SCRIPT_NAME`.
        set_script_prefix(prefix)
        try:
            for thing in items.take():
                work(thing)
        finally:
            items.end()
            # No other thread can reach this one's.
            connections.close_all()

    with ThreadPoolExecutor(threads) as crew:
        try:
            done = [crew.submit(work_off) for _ in range(threads)]
            wait(done)
        finally:
            items.end()
    for each in done:
        each.result()
    return items.begun
