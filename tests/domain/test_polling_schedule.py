"""When to ask again, against a clock that is an argument."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.domain.lifecycle import OPENING_KINDS, TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import (
    BACKOFF,
    PollState,
    QueryPriority,
    decidable_after,
    instants,
    is_silent,
    may_conclude_expired,
    needs_operator,
    next_query_at,
    next_retry_at,
    offered_until,
    page_end,
    pause_end,
    query_priority,
    repeat_waits,
    step_after,
)

S, K = TransactionState, TransactionKind
NOW = datetime(2026, 5, 17, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))
END = NOW + 15 * MINUTE
NEVER_GIVEN_UP = [S.UNKNOWN, S.OPEN, S.AWAITING_3DS, S.PENDING]
REPEATS = repeat_waits.__wrapped__(K.CHECKOUT, daily_for=7 * DAY, limit=180 * DAY)
jitters = st.floats(min_value=-1, max_value=1)


def position(state: TransactionState, **given: object) -> PollState:
    fields = {"kind": K.CHECKOUT, "state": state, "since": NOW, "expires_at": END, "step": 0} | given
    return PollState(**fields)  # type: ignore[arg-type]


def approved(**given: object) -> PollState:
    return position(S.APPROVED, **{"confirmed": True, "repeat_waits": REPEATS} | given)


# The timetables

SETTLED = 30 * MINUTE
WEEK = [SETTLED + day * DAY for day in range(1, 8)]
DAY_OF_A_REFUSAL = [5 * MINUTE, HOUR, DAY]


@every(
    ("state", "given", "expected"),
    [
        (S.OPEN, {}, [MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE, 16 * MINUTE, SETTLED, *WEEK]),
        (
            S.OPEN,
            {"expires_at": None},
            [MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE, 16 * MINUTE, SETTLED, *WEEK],
        ),
        (
            S.OPEN,
            {"expires_at": NOW + MINUTE},
            [2 * MINUTE, 16 * MINUTE, *(16 * MINUTE + day * DAY for day in range(1, 8))],
        ),
        (S.EXPIRED, {}, WEEK),
        (S.EXPIRED, {"kind": K.AUTHORIZATION}, []),
        (S.ABANDONED, {}, [SETTLED, *WEEK]),
        (S.ABANDONED, {"expires_at": None}, []),
        (S.ABANDONED, {"kind": K.CAPTURE}, []),
        (
            S.ABANDONED,
            {"decided_by_person": True, "kind": K.CAPTURE},
            [day * DAY for day in range(1, 91)],
        ),
        (S.REJECTED, {}, [5 * MINUTE, 16 * MINUTE, SETTLED, *WEEK]),
        (S.REJECTED, {"expires_at": None}, [5 * MINUTE, 16 * MINUTE, SETTLED, *WEEK]),
        (S.REJECTED, {"kind": K.CAPTURE}, DAY_OF_A_REFUSAL),
        (S.REJECTED, {"kind": K.AUTHORIZATION, "expires_at": None}, DAY_OF_A_REFUSAL),
        # Refused after its page had ended: watched for what is left of the week.
        (
            S.REJECTED,
            {"expires_at": NOW - 3 * DAY - SETTLED},
            [5 * MINUTE, *(day * DAY - 15 * MINUTE for day in range(1, 5))],
        ),
        (S.REJECTED, {"expires_at": NOW - 30 * DAY}, [5 * MINUTE]),
        (
            S.REJECTED,
            {"expires_at": NOW - MINUTE},
            [5 * MINUTE, 14 * MINUTE, *(w - 16 * MINUTE for w in WEEK)],
        ),
        (S.APPROVED, {}, DAY_OF_A_REFUSAL),
        (S.APPROVED, {"confirmed": True}, []),
        (S.APPROVED, {"repeat_waits": (DAY, 2 * DAY)}, [*DAY_OF_A_REFUSAL, 2 * DAY]),
        *((state, {}, []) for state in (S.CREATED, S.AWAITING_RESULT, S.SENDING, S.NOT_SENT, S.ANOMALY)),
    ],
)
def test_each_state_has_its_timetable(
    state: TransactionState, given: dict[str, object], expected: list[timedelta]
) -> None:
    at = position(state, **given)
    assert [instant - NOW for instant in instants(at)] == expected
    assert next_query_at(at) == (NOW + expected[0] if expected else None)
    if state not in NEVER_GIVEN_UP:
        assert next_query_at(replace(at, step=200)) is None, "an end is not asked about for ever"


def test_what_has_no_outcome_is_asked_about_within_seconds_and_then_ever_more_rarely_for_a_month() -> None:
    assert [wait.total_seconds() for wait in BACKOFF[:6]] == [2, 7, 22, 82, 382, 1282]
    assert BACKOFF[11] - BACKOFF[10] == DAY
    assert 29 * DAY < BACKOFF[-1] < 31 * DAY
    assert [instant - NOW for instant in instants(position(S.UNKNOWN))] == list(BACKOFF)
    asked = [instant - NOW for instant in instants(position(S.PENDING))]
    assert instants(position(S.PENDING)) == instants(position(S.AWAITING_3DS))
    assert [wait.total_seconds() for wait in asked[:4]] == [15, 45, 105, 225]
    assert 30 * DAY < asked[-1] < 32 * DAY


@pytest.mark.parametrize("state", NEVER_GIVEN_UP)
@given(step=st.integers(min_value=0, max_value=500), jitter=jitters)
def test_about_what_has_not_ended_there_is_always_a_next_question(
    state: TransactionState, step: int, jitter: float
) -> None:
    asked = next_query_at(position(state, step=step), jitter=jitter)
    later = next_query_at(position(state, step=step + 1), jitter=jitter)
    assert asked is not None
    assert later is not None
    assert asked < later
    if step > len(instants(position(state))):
        assert abs(later - asked - 7 * DAY) <= timedelta(days=3)


@every("state", NEVER_GIVEN_UP)
@every("days", [1, 35, 100, 1000])
def test_an_answer_after_a_long_silence_covers_the_weeks_that_it_lasted(
    days: int, state: TransactionState
) -> None:
    now = NOW + days * DAY
    asked = next_query_at(position(state, step=step_after(position(state, step=3), now)))
    assert asked is not None
    assert timedelta(0) < asked - now <= 7 * DAY


# Steps


@every(
    ("at", "after", "expected"),
    [
        # Each answer advances by one step; a late one covers those that it is late for.
        (position(S.UNKNOWN), 2 * SECOND, 1),
        (position(S.UNKNOWN, step=1), 7 * SECOND, 2),
        (position(S.UNKNOWN), 22 * SECOND, 3),
        (position(S.UNKNOWN, step=2), 3 * SECOND, 3),
        (position(S.UNKNOWN, confirmed=True), 2 * SECOND, 1),
        # Not seen yet: again after an hour. Once its record was seen, the next is that of the next day.
        (approved(confirmed=False), 5 * MINUTE, 1),
        (approved(), 5 * MINUTE, 2),
        (approved(step=2), DAY, 3),
        # Asked before its time since another transaction of the payment ended: its day still comes.
        (approved(step=3), DAY + HOUR, 3),
        (approved(step=4), DAY + HOUR, 4),
        (approved(step=3), 2 * DAY, 4),
        (approved(step=3), 3 * DAY, 5),
        (approved(step=2), 4 * DAY + HOUR, 6),
    ],
)
def test_an_answer_ends_its_step_and_all_that_are_past(
    at: PollState, after: timedelta, expected: int
) -> None:
    assert step_after(at, NOW + after) == expected


# Approvals that are queried again


@every(
    ("daily_for", "limit", "expected"),
    [
        (7, 180, [1, 2, 3, 4, 5, 6, 7, 14, 28, 58, 88, 118, 148, 178]),
        (3, 30, [1, 2, 3, 10, 24]),
        (2.5, 30, [1, 2, 3, 10, 24]),
        (1 / 24, 10, [1, 8]),
        (30, 5, [1, 2, 3, 4, 5]),
        (7, 1, [1]),
        (7, 0, []),
    ],
)
@every("kind", sorted(TransactionKind))
def test_a_payment_is_queried_daily_in_its_window_and_then_rarely_and_a_follow_up_once(
    kind: TransactionKind, daily_for: float, limit: float, expected: list[float]
) -> None:
    found = repeat_waits.__wrapped__(kind, daily_for=daily_for * DAY, limit=limit * DAY)
    assert [wait / DAY for wait in found] == (expected if kind in OPENING_KINDS else expected[:1])


@given(jitters)
def test_two_queries_in_the_window_are_never_more_than_a_day_apart_and_end(jitter: float) -> None:
    asked = [next_query_at(approved(step=step), jitter=jitter) for step in range(2, 9)]
    assert asked == [NOW + day * DAY for day in range(1, 8)]
    assert next_query_at(approved(step=step_after(approved(step=2), NOW + 178 * DAY)), jitter=jitter) is None


@every("state", sorted(TransactionState))
def test_what_a_customer_waits_for_comes_before_what_is_watched_and_that_before_what_is_repeated(
    state: TransactionState,
) -> None:
    expected = QueryPriority.UNFINISHED if state in NEVER_GIVEN_UP else QueryPriority.WATCHED
    assert query_priority(position(state)) is query_priority(position(state, step=1)) is expected
    repeated = QueryPriority.REPEATED if state is S.APPROVED else expected
    assert query_priority(position(state, step=2)) is repeated


# Jitter


@every(
    ("state", "jitter", "moved"),
    [
        (S.UNKNOWN, 1.0, 0.4),
        (S.UNKNOWN, -1.0, -0.4),
        (S.OPEN, 1.0, 12),
        # Before its time the question about a page would conclude nothing.
        (S.OPEN, -1.0, 12),
    ],
)
def test_a_question_is_moved_by_a_fifth_of_its_wait(
    state: TransactionState, jitter: float, moved: float
) -> None:
    planned = next_query_at(position(state))
    assert planned is not None
    assert next_query_at(position(state), jitter=jitter) == planned + timedelta(seconds=moved)


@given(st.integers(min_value=0, max_value=len(BACKOFF) - 1), jitters)
def test_jitter_moves_a_question_by_at_most_a_fifth_of_its_wait(step: int, jitter: float) -> None:
    plain = next_query_at(position(S.UNKNOWN, step=step))
    moved = next_query_at(position(S.UNKNOWN, step=step), jitter=jitter)
    wait = BACKOFF[step] - (BACKOFF[step - 1] if step else timedelta())
    assert plain is not None
    assert moved is not None
    assert abs(moved - plain) <= wait / 5


@pytest.mark.parametrize("state", [S.OPEN, S.REJECTED])
@given(jitters, st.integers(min_value=60, max_value=900))
def test_however_the_questions_jitter_one_comes_soon_after_a_page_has_settled_and_concludes(
    state: TransactionState, jitter: float, seconds: int
) -> None:
    end = NOW + timedelta(seconds=seconds)
    at = position(state, expires_at=end)
    asked = next_query_at(replace(at, step=instants(at).index(end + 15 * MINUTE)), jitter=jitter)
    assert asked is not None
    assert may_conclude_expired(expires_at=end, now=asked)
    assert end + 15 * MINUTE <= asked < end + 20 * MINUTE


def test_a_page_is_expired_only_once_its_record_would_have_shown() -> None:
    assert not may_conclude_expired(expires_at=END, now=END + 15 * MINUTE - timedelta(microseconds=1))
    assert may_conclude_expired(expires_at=END, now=END + 15 * MINUTE)


# People


@every(
    ("age", "absent", "after", "expected"),
    [
        (DAY, 5, DAY, True),
        (DAY, 4, DAY, False),
        (DAY - MINUTE, 5, DAY, False),
        (40 * DAY, 0, DAY, False),
        (6 * DAY, 9, 7 * DAY, False),
        (8 * DAY, 4, 7 * DAY, False),
        (7 * DAY, 5, 7 * DAY, True),
    ],
)
def test_a_person_is_asked_after_a_time_and_five_empty_answers(
    age: timedelta, absent: int, after: timedelta, expected: bool
) -> None:
    assert needs_operator(since=NOW, absent_answers=absent, now=NOW + age, after=after) is expected
    if after == DAY:
        assert needs_operator(since=NOW, absent_answers=absent, now=NOW + age) is expected


def test_what_waits_for_its_provider_is_a_persons_after_a_week_and_everything_else_after_a_day() -> None:
    week = {(kind, S.PENDING) for kind in TransactionKind if kind is not K.AUTHORIZATION}
    for kind in TransactionKind:
        for state in (S.UNKNOWN, S.AWAITING_3DS, S.PENDING):
            assert decidable_after(kind, state) == (7 * DAY if (kind, state) in week else DAY)


def test_a_page_is_silent_a_day_past_its_end_and_anything_else_when_no_due_question_was_answered() -> None:
    for step in (0, 4, 12):
        page = position(S.OPEN, step=step)
        assert not is_silent(page, END + DAY - SECOND)
        assert is_silent(page, END + DAY)
    for step in (0, 5, 20):
        at = position(S.PENDING, step=step)
        assert not is_silent(at, instants(at)[step] + DAY - SECOND)
        assert is_silent(at, instants(at)[step] + DAY)
    assert not is_silent(position(S.APPROVED, confirmed=True), NOW + 100 * DAY), "asked about no more"
    assert page_end(position(S.OPEN, expires_at=None)) == END


# Pauses, retries and open pages


def test_a_gateways_pause_ends_when_it_says_and_after_a_quarter_of_an_hour_at_most() -> None:
    assert pause_end(NOW, 90) == NOW + 90 * SECOND
    assert pause_end(NOW, 10**6) == NOW + 15 * MINUTE


@every(("age", "wait"), [(10 * MINUTE, MINUTE), (SECOND, 5 * SECOND), (3 * DAY, HOUR)])
def test_a_question_without_an_answer_is_repeated_after_a_tenth_of_its_age(
    age: timedelta, wait: timedelta
) -> None:
    assert next_retry_at(since=NOW - age, now=NOW) == NOW + wait


@every(("lifetime", "margin"), [(60, 15), (120, 30), (239, 59.75), (240, 60), (900, 60)])
def test_a_page_is_offered_again_but_for_its_last_minute_or_quarter(lifetime: float, margin: float) -> None:
    end = NOW + timedelta(seconds=lifetime)
    assert end - offered_until(opened_at=NOW, expires_at=end) == timedelta(seconds=margin)
