"""When to query the gateway again: the backoff of an unknown outcome and the schedules of all other states.

A schedule is a tuple of waits counted from one instant. The row stores how many steps it has done;
`next_query_at` converts that to an instant, or to None when there is nothing left to query.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from itertools import accumulate, chain, repeat, takewhile

from wallet_gateway.domain.states import (
    FINAL_STATES,
    OPENING_KINDS,
    UNSENT_STATES,
    TransactionKind,
    TransactionState,
)

LEASE = timedelta(seconds=120)
"""How long a sender may work before others may conclude that it died."""

CLAIM = timedelta(seconds=60)
"""How long a claimed query belongs to the worker that claimed it."""

QUERY_WITHIN = timedelta(seconds=30)
"""A worker that has not begun a query this long after its claim does not begin it at all."""

SEND_WITHIN_SECONDS = 30.0
"""A sender that has not begun this long after its claim does not begin at all."""

REOPEN_MARGIN = timedelta(seconds=60)
"""A hosted page with less time left than this is not offered again, unless its total lifetime is short."""

SETTLE_TIME = timedelta(minutes=15)
"""How long after a page's end, or after an answer, a record may still appear."""

OPERATOR_AFTER = timedelta(hours=24)
OPERATOR_ABSENT_ANSWERS = 5
"""From this age and this many empty answers on, an unknown outcome needs a person."""

PENDING_IS_LONG = timedelta(days=7)
"""From this age on, a transaction that is still pending at the gateway needs a person, who may decide on it.

A card is decided within the hour, and is left to a person after `OPERATOR_AFTER`. The slowest methods of a
hosted page, and refunds, take up to five banking days; with a weekend, that is a week.
"""

SILENCE = timedelta(days=1)
"""How long a due query may go without a readable answer before a person is notified.

A gateway's outage is over within hours, and a hosted page lives a quarter of an hour at most. If there is no
answer for a day, for example for a page a day past its end, it does not recover by itself: a customer may
have paid there.
"""

LONGEST_PAGE = timedelta(seconds=900)
"""The longest life of a hosted page (the interface, redirectUrlTimeout): used when its end is not known."""

SHORTEST_PAGE = timedelta(seconds=60)
"""The shortest life that we give to a hosted page: nobody can pay in less."""

PAUSE_AT_UNKNOWNS = 3
PAUSE_WINDOW = timedelta(minutes=10)
PAUSE = timedelta(minutes=5)
"""More unknown outcomes than this within the window pause new sends."""

MIX_UP_PAUSE = timedelta(minutes=15)
"""How long a mix-up of units stops all sending: time for a person to check, and to extend the stop."""

MIX_UP_WINDOW = timedelta(hours=1)
"""Mix-ups on two orders within this time are a fault of the gateway, and not of one customer."""

LONGEST_PAUSE = timedelta(minutes=15)
"""The longest pause that a gateway's Retry-After can cause."""


def pause_end(now: datetime, seconds: float) -> datetime:
    """Return when a pause ends that a gateway requests by Retry-After, in seconds."""
    return now + min(timedelta(seconds=seconds), LONGEST_PAUSE)


_S, _M, _H, _D = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))

_BACKOFF_WAITS = (2 * _S, 5 * _S, 15 * _S, _M, 5 * _M, 15 * _M, _H, 2 * _H, 4 * _H, 8 * _H, 16 * _H, 24 * _H)
BACKOFF = tuple(accumulate((*_BACKOFF_WAITS, *[_D] * 27)))
"""2 s, 5 s, 15 s, 1, 5, 15 min, 1, 2, 4, 8, 16, 24 h apart, then daily to about day 30."""

PENDING_TIMETABLE = tuple(accumulate((15 * _S, 30 * _S, _M, 2 * _M, 5 * _M, 15 * _M, _H, 4 * _H, *[_D] * 30)))
OPEN_TIMETABLE = (_M, 3 * _M, 5 * _M, 10 * _M)
CONFIRM_TIMETABLE = (5 * _M, _H, _D)
"""When an approval is queried: until its record has been seen, and once more after a day in any case.

What was refused, other than a hosted page, is queried each time.
"""

FIRST_REPEAT = len(CONFIRM_TIMETABLE) - 1
"""From this step on, the query of an approval looks for what was done elsewhere, or done twice."""

REPEAT_GAPS = (7 * _D, 14 * _D, 30 * _D)
"""The intervals of these queries after the daily ones; the last interval repeats."""

QUERIES_ARE_BEHIND = _D
"""Queries about what has ended have fallen behind if they are due for longer than this."""

INSTANTS_ARE_LATE = _H
"""A transaction that has not ended is left undone if its next step is due for longer than this."""

RETRY_OF_REPEAT = _D
"""When to repeat a repeated query that was not answered."""

REPEAT_SHARE = 5
"""Repeated queries take at most one of so many of a gateway's query rate."""

WATCH_ATTEMPT = tuple(day * _D for day in range(1, 8))
WATCH_DECIDED = tuple(day * _D for day in range(1, 91))
FROM_THEN_ON = 7 * _D
"""The interval of queries for unfinished transactions after the end of their schedule: they never stop."""

_WITHOUT_END = frozenset(
    {TransactionState.UNKNOWN, TransactionState.OPEN, TransactionState.AWAITING_3DS, TransactionState.PENDING}
)
"""States that only evidence or a person ends, so there is always a next query."""

_OF_PAGES = frozenset(
    {TransactionState.OPEN, TransactionState.EXPIRED, TransactionState.REJECTED, TransactionState.ABANDONED}
)

SOONEST_RETRY = timedelta(seconds=5)
LATEST_RETRY = timedelta(hours=1)

BUTTON_IS_FRESH = timedelta(hours=1)
"""How long a wallet button's reference may wait for its result."""

RESEND_WAITS = (_S, 4 * _S, 16 * _S)
"""The waits before a worker repeats a request of which no byte left."""


class QueryPriority(IntEnum):
    """The order in which due queries are sent: the lowest number first."""

    UNFINISHED = 0
    """A customer may be waiting, or it is unknown whether money moved."""
    WATCHED = 1
    """It has ended; its record has not been seen yet, or may still appear."""
    REPEATED = 2
    """An approval that is queried again and again, see `repeat_waits`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollState:
    """The position of a transaction in its schedule."""

    kind: TransactionKind
    state: TransactionState
    since: datetime
    """When it entered this state."""
    expires_at: datetime | None
    """When its hosted page ends, for a checkout."""
    step: int
    """How many scheduled queries were made in this state."""
    decided_by_person: bool = False
    confirmed: bool = False
    """A status record of it has been seen."""
    repeat_waits: tuple[timedelta, ...] = ()
    """When to query an approval again, counted from the approval: see `repeat_waits`."""


@lru_cache(maxsize=64)
def repeat_waits(kind: TransactionKind, *, daily_for: timedelta, limit: timedelta) -> tuple[timedelta, ...]:
    """Return how long after its approval a transaction is queried again, for changes made elsewhere.

    The transaction that opened a payment is queried for all of it: every day while the payment can be
    captured (`daily_for`), then ever more rarely up to `limit`. The gateway files operations of the
    provider's portal under its reference. A second execution of a follow-up is seen under the follow-up's own
    reference only, so that is queried once more, a day later.
    """
    days = max(1, -(-daily_for // _D))
    last_daily = days * _D
    rarely = accumulate(chain(REPEAT_GAPS, repeat(REPEAT_GAPS[-1])), initial=last_daily)
    next(rarely)
    daily = (day * _D for day in range(1, days + 1))
    waits = takewhile(lambda wait: wait <= limit, chain(daily, rarely))
    return tuple(waits) if kind in OPENING_KINDS else tuple(waits)[:1]


def query_priority(position: PollState) -> QueryPriority:
    """Return how urgent the next query of a transaction is."""
    if position.state in _WITHOUT_END:
        return QueryPriority.UNFINISHED
    is_repeat = position.state is TransactionState.APPROVED and position.step >= FIRST_REPEAT
    return QueryPriority.REPEATED if is_repeat else QueryPriority.WATCHED


def instants(position: PollState) -> tuple[datetime, ...]:
    """Return every instant at which the schedule of this state queries, in order; see also `FROM_THEN_ON`."""
    state, since = position.state, position.since
    if state is TransactionState.UNKNOWN:
        return tuple(since + wait for wait in BACKOFF)
    if state in {TransactionState.PENDING, TransactionState.AWAITING_3DS}:
        return tuple(since + wait for wait in PENDING_TIMETABLE)
    if state is TransactionState.OPEN:
        end = page_end(position)
        early = tuple(since + wait for wait in OPEN_TIMETABLE if since + wait < end)
        return early + _instants_from_end(end)
    if state is TransactionState.APPROVED:
        # Each step has the same place whether it is confirmed or not.
        if position.confirmed and not position.repeat_waits:
            return ()
        later = (wait for wait in position.repeat_waits if wait > CONFIRM_TIMETABLE[-1])
        return tuple(since + wait for wait in (*CONFIRM_TIMETABLE, *later))
    if state is TransactionState.REJECTED:
        confirming = tuple(since + wait for wait in CONFIRM_TIMETABLE)
        if position.kind is not TransactionKind.CHECKOUT:
            # What was answered with an error may have been carried out, and its record may appear late.
            return confirming
        # A refused card does not close the page: it can be paid until it ends, and its record may be late.
        late = _instants_from_end(page_end(position))
        return tuple(sorted({confirming[0], *(instant for instant in late if instant > since)}))
    if state not in {TransactionState.EXPIRED, TransactionState.ABANDONED}:
        return ()
    if position.decided_by_person:
        return tuple(since + wait for wait in WATCH_DECIDED)
    if position.kind is not TransactionKind.CHECKOUT or position.expires_at is None:
        return ()
    settled = position.expires_at + SETTLE_TIME
    watch = tuple(settled + wait for wait in WATCH_ATTEMPT)
    return (settled, *watch) if state is TransactionState.ABANDONED else watch


def page_end(position: PollState) -> datetime:
    """Return when a hosted page ends; if its end is not known, the latest possible instant."""
    return position.expires_at or position.since + LONGEST_PAGE


def is_silent(position: PollState, now: datetime) -> bool:
    """Return whether an unanswered query at `now` completes a silence that a person must be notified of.

    For an open page, that is a day past its end: with a readable answer, the page would have ended.
    """
    if position.state is TransactionState.OPEN:
        return now - page_end(position) >= SILENCE
    due = _instant(position, position.step)
    return due is not None and now - due >= SILENCE


def _instants_from_end(expires_at: datetime) -> tuple[datetime, ...]:
    """Return when a page is queried, from its end on.

    The second query may conclude "expired"; the days after it cover a gateway that could not be reached at
    that time, and a page that was paid after a refused card.
    """
    end = expires_at + SETTLE_TIME
    return (expires_at + _M, end, *(end + wait for wait in WATCH_ATTEMPT))


def next_query_at(position: PollState, *, jitter: float = 0.0) -> datetime | None:
    """Return when to query next; None when the schedule of a final state is used up.

    `jitter` between -1 and 1 moves the instant by up to a fifth of its distance from the previous step, so
    that many rows of one incident are not queried at the same time. For a hosted page it only delays: a query
    just before the settle time would conclude nothing, and the next one is a day later. Repeated queries have
    none: two of them must not be more than a day apart, and they have a share of the query rate of their own.
    """
    planned = _instant(position, position.step)
    if planned is None or query_priority(position) is QueryPriority.REPEATED:
        return planned
    before = (_instant(position, position.step - 1) if position.step else None) or position.since
    moved = abs(jitter) if position.state in _OF_PAGES else jitter
    return planned + (planned - before) * moved / 5


def step_after(position: PollState, now: datetime) -> int:
    """Return the step after a query answered now: the next one, skipping steps that its answer covers too."""
    timetable = instants(position)
    past = sum(1 for instant in timetable if instant <= now)
    if past == len(timetable) and position.state in _WITHOUT_END:
        past += (now - timetable[-1]) // FROM_THEN_ON
    if position.state is TransactionState.APPROVED and position.confirmed:
        past = max(past, FIRST_REPEAT)
    if query_priority(position) is QueryPriority.REPEATED and past <= position.step:
        # It came before its time, because another transaction of the payment ended.
        return position.step
    return max(position.step + 1, past)


def _instant(position: PollState, step: int) -> datetime | None:
    """Return when the query of a step is due, also after the schedule if the state never ends by itself."""
    timetable = instants(position)
    if step < len(timetable):
        return timetable[step]
    if position.state not in _WITHOUT_END:
        return None
    return timetable[-1] + (step - len(timetable) + 1) * FROM_THEN_ON


def next_retry_at(*, since: datetime, now: datetime) -> datetime:
    """Return when to repeat an unanswered query: with growing intervals, and never given up.

    Nothing was learned, so the step does not advance: a gateway that is down for a week uses up no query.
    """
    return now + min(max((now - since) / 10, SOONEST_RETRY), LATEST_RETRY)


def offered_until(*, opened_at: datetime, expires_at: datetime) -> datetime:
    """Return until when an open page is offered again: not in its last minute, or its last quarter.

    If a page is never offered again, every click would open a second one, and both could be paid.
    """
    return expires_at - min(REOPEN_MARGIN, (expires_at - opened_at) / 4)


def may_conclude_expired(*, expires_at: datetime, now: datetime) -> bool:
    """Return whether an empty answer given now means that the hosted page ended unpaid."""
    return now >= expires_at + SETTLE_TIME


def needs_operator(
    *, since: datetime, absent_answers: int, now: datetime, after: timedelta = OPERATOR_AFTER
) -> bool:
    """Return whether so many inconclusive answers came over so long that a person is needed."""
    return now - since >= after and absent_answers >= OPERATOR_ABSENT_ANSWERS


def decidable_after(kind: TransactionKind, state: TransactionState) -> timedelta:
    """Return the age from which a person may decide on a transaction that no evidence has ended."""
    waits_for_provider = state is TransactionState.PENDING and kind is not TransactionKind.AUTHORIZATION
    return PENDING_IS_LONG if waits_for_provider else OPERATOR_AFTER


# When a cancelled order is released: nothing that was begun for it can pay it any more. What was begun before
# the cancellation cannot be recalled at the gateway. It is queried until it has ended, by the same schedule
# as ever; only then may the shop sell the goods to somebody else.


SOONEST_CHECK = timedelta(minutes=1)
LATEST_CHECK = timedelta(hours=1)
"""How soon, and how late, the sweep looks again whether an order can be released."""


def may_still_pay(position: PollState, *, has_page: bool) -> bool:
    """Return whether a transaction that opens a payment may still be approved, by the rules of its schedule.

    `has_page` means that the address of its hosted page was received. A checkout of which no byte left does
    not count, nor a button that waits: a cancelled order sends nothing. An authorization of which no byte
    left is given up within minutes, and its order is pending until then. A refused card does not close its
    page, so a refused page counts until a query after its end, and after the time in which a record may still
    appear, has found no payment.
    """
    state, is_checkout = position.state, position.kind is TransactionKind.CHECKOUT
    if state is TransactionState.REJECTED and is_checkout and has_page:
        # Only an answered query advances the step. A refusal that was found later is such an answer.
        settled = page_end(position) + SETTLE_TIME
        return position.step < sum(1 for instant in instants(position) if instant <= settled)
    if state is TransactionState.NOT_SENT:
        return not is_checkout
    return state not in FINAL_STATES | UNSENT_STATES


def next_release_check(now: datetime, due: Iterable[datetime | None]) -> datetime:
    """Return when to look again at an order of which attempts are queried at the instants `due`."""
    soonest = min((instant for instant in due if instant is not None), default=now)
    return min(max(soonest, now + SOONEST_CHECK), now + LATEST_CHECK)
