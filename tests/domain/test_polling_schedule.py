"""When to ask again, against a clock that is an argument."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    offered_until,
    page_end,
    query_priority,
    repeat_waits,
    step_after,
)

S = TransactionState
NOW = datetime(2026, 5, 17, 12, 0, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
END = NOW + 15 * MINUTE


def position(state: TransactionState, **given: object) -> PollState:
    fields = {
        "kind": TransactionKind.CHECKOUT,
        "state": state,
        "since": NOW,
        "expires_at": END,
        "step": 0,
    } | given
    return PollState(**fields)  # type: ignore[arg-type]


def waits(state: TransactionState, **given: object) -> list[timedelta]:
    return [instant - NOW for instant in instants(position(state, **given))]


def test_an_unknown_outcome_is_asked_after_two_five_and_fifteen_seconds_and_then_ever_more_rarely() -> None:
    seconds = [wait.total_seconds() for wait in BACKOFF[:6]]
    assert seconds == [2, 7, 22, 82, 382, 1282]
    assert BACKOFF[11] - BACKOFF[10] == DAY
    assert 29 * DAY < BACKOFF[-1] < 31 * DAY


def test_an_open_page_is_asked_after_one_three_five_ten_minutes_and_after_its_end() -> None:
    assert waits(TransactionState.OPEN)[:6] == [
        MINUTE,
        3 * MINUTE,
        5 * MINUTE,
        10 * MINUTE,
        16 * MINUTE,
        30 * MINUTE,
    ]


def test_a_page_of_one_minute_is_not_asked_after_before_its_end() -> None:
    assert waits(TransactionState.OPEN, expires_at=NOW + MINUTE)[0] == 2 * MINUTE


def test_a_lost_page_is_watched_from_its_settle_time_on_for_a_week() -> None:
    assert waits(TransactionState.ABANDONED)[:2] == [30 * MINUTE, 30 * MINUTE + DAY]
    assert waits(TransactionState.ABANDONED)[-1] == 30 * MINUTE + 7 * DAY


def test_what_a_person_gave_up_is_watched_for_ninety_days() -> None:
    watched = waits(TransactionState.ABANDONED, decided_by_person=True, kind=TransactionKind.CAPTURE)
    assert watched[-1] == 90 * DAY


def test_an_approval_is_confirmed_after_five_minutes_and_not_again_once_seen() -> None:
    assert waits(TransactionState.APPROVED)[0] == 5 * MINUTE
    assert waits(TransactionState.APPROVED, confirmed=True) == []


# Approvals that are queried again


def days(kind: TransactionKind, *, daily_for: float, limit: float) -> list[float]:
    """Return the days after an approval on which it is queried again."""
    found = repeat_waits(kind, daily_for=daily_for * DAY, limit=limit * DAY)
    return [wait / DAY for wait in found]


@pytest.mark.parametrize(
    ("daily_for", "limit", "expected"),
    [
        (7, 180, [1, 2, 3, 4, 5, 6, 7, 14, 28, 58, 88, 118, 148, 178]),
        (3, 30, [1, 2, 3, 10, 24]),
        (2.5, 30, [1, 2, 3, 10, 24]),
        (0.5, 9, [1, 8]),
        (30, 5, [1, 2, 3, 4, 5]),
        (7, 1, [1]),
        (7, 0, []),
    ],
)
def test_a_payment_is_queried_daily_in_its_window_and_then_ever_more_rarely(
    daily_for: float, limit: float, expected: list[float]
) -> None:
    for kind in (TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION):
        assert days(kind, daily_for=daily_for, limit=limit) == expected


@pytest.mark.parametrize("kind", sorted(set(TransactionKind) - OPENING_KINDS))
def test_a_follow_up_is_queried_again_for_its_own_double_only(kind: TransactionKind) -> None:
    assert days(kind, daily_for=7, limit=180) == [1]
    assert days(kind, daily_for=7, limit=0) == []


REPEATS = repeat_waits(TransactionKind.CHECKOUT, daily_for=7 * DAY, limit=180 * DAY)


def approved(**given: object) -> PollState:
    return position(S.APPROVED, repeat_waits=REPEATS, **given)


def test_once_its_record_was_seen_the_next_query_is_the_one_of_the_next_day() -> None:
    assert step_after(approved(), NOW + 5 * MINUTE) == 1, "not seen yet: again after an hour"
    seen = approved(confirmed=True)
    step = step_after(seen, NOW + 5 * MINUTE)
    assert next_query_at(replace(seen, step=step)) == NOW + DAY


@given(st.floats(min_value=-1, max_value=1))
def test_two_queries_in_the_window_are_never_more_than_a_day_apart(jitter: float) -> None:
    asked = [next_query_at(approved(confirmed=True, step=step), jitter=jitter) for step in range(2, 9)]
    assert asked == [NOW + day * DAY for day in range(1, 8)]


def test_a_late_answer_covers_the_days_that_it_is_late() -> None:
    late = approved(confirmed=True, step=2)
    step = step_after(late, NOW + 4 * DAY + HOUR)
    assert next_query_at(replace(late, step=step)) == NOW + 5 * DAY


def test_at_its_end_a_payment_is_queried_no_more() -> None:
    last = approved(confirmed=True, step=2)
    assert next_query_at(replace(last, step=step_after(last, NOW + 178 * DAY))) is None


@pytest.mark.parametrize("state", sorted(set(TransactionState)))
def test_what_a_customer_waits_for_comes_before_what_is_watched_and_that_before_what_is_repeated(
    state: TransactionState,
) -> None:
    expected = QueryPriority.UNFINISHED if state in NEVER_GIVEN_UP else QueryPriority.WATCHED
    assert query_priority(position(state)) is expected
    assert query_priority(position(state, step=1)) is expected
    repeated = QueryPriority.REPEATED if state is S.APPROVED else expected
    assert query_priority(position(state, step=2)) is repeated


@pytest.mark.parametrize("kind", sorted(set(TransactionKind) - {TransactionKind.CHECKOUT}))
def test_a_refusal_is_looked_at_again_for_a_day(kind: TransactionKind) -> None:
    assert waits(TransactionState.REJECTED, kind=kind) == [5 * MINUTE, 60 * MINUTE, DAY]
    assert waits(TransactionState.REJECTED, kind=kind, expires_at=None) == [5 * MINUTE, 60 * MINUTE, DAY]


WEEK_OF_A_PAGE = [16 * MINUTE, 30 * MINUTE, *(30 * MINUTE + day * DAY for day in range(1, 8))]


def test_a_page_on_which_a_card_was_refused_is_watched_until_its_end_and_a_week_longer() -> None:
    assert waits(TransactionState.REJECTED) == [5 * MINUTE, *WEEK_OF_A_PAGE]
    assert waits(TransactionState.REJECTED, expires_at=None) == [5 * MINUTE, *WEEK_OF_A_PAGE], (
        "the longest life"
    )


def test_what_was_refused_after_its_page_had_ended_is_watched_for_what_is_left_of_the_week() -> None:
    ended = NOW - 3 * DAY - 30 * MINUTE
    days = waits(TransactionState.REJECTED, expires_at=ended)
    assert days == [5 * MINUTE, *(day * DAY - 15 * MINUTE for day in range(1, 5))]
    assert waits(TransactionState.REJECTED, expires_at=NOW - 30 * DAY) == [5 * MINUTE]


@given(st.floats(min_value=-1, max_value=1))
def test_however_the_questions_jitter_one_comes_after_a_refused_page_has_settled(jitter: float) -> None:
    timetable = instants(position(TransactionState.REJECTED))
    step = timetable.index(END + 15 * MINUTE)
    asked = next_query_at(position(TransactionState.REJECTED, step=step), jitter=jitter)
    assert asked is not None
    assert END + 15 * MINUTE <= asked < END + 20 * MINUTE


@pytest.mark.parametrize(
    "state",
    [
        TransactionState.CREATED,
        TransactionState.AWAITING_RESULT,
        TransactionState.SENDING,
        TransactionState.NOT_SENT,
        TransactionState.ANOMALY,
    ],
)
def test_nothing_is_asked_about_what_was_not_sent_or_waits_for_a_person(state: TransactionState) -> None:
    assert next_query_at(position(state)) is None


NEVER_GIVEN_UP = [S.UNKNOWN, S.OPEN, S.AWAITING_3DS, S.PENDING]


@pytest.mark.parametrize("state", NEVER_GIVEN_UP)
@given(step=st.integers(min_value=0, max_value=500), jitter=st.floats(min_value=-1, max_value=1))
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


@pytest.mark.parametrize("state", NEVER_GIVEN_UP)
def test_an_answer_after_a_long_silence_covers_the_weeks_that_it_lasted(state: TransactionState) -> None:
    for days in (1, 35, 100, 1000):
        now = NOW + days * DAY
        step = step_after(position(state, step=3), now)
        asked = next_query_at(position(state, step=step))
        assert asked is not None
        assert timedelta(0) < asked - now <= 7 * DAY


def test_an_end_is_not_asked_about_for_ever() -> None:
    ends = [S.APPROVED, S.REJECTED, S.EXPIRED, S.ABANDONED]
    assert [next_query_at(position(state, step=200)) for state in ends] == [None] * 4


def test_a_used_up_timetable_asks_no_more() -> None:
    assert next_query_at(position(TransactionState.REJECTED, step=10)) is None
    assert next_query_at(position(TransactionState.REJECTED, kind=TransactionKind.CAPTURE, step=3)) is None


@given(st.integers(min_value=0, max_value=len(BACKOFF) - 1), st.floats(min_value=-1, max_value=1))
def test_jitter_moves_a_question_by_at_most_a_fifth_of_its_wait(step: int, jitter: float) -> None:
    plain = next_query_at(position(TransactionState.UNKNOWN, step=step))
    moved = next_query_at(position(TransactionState.UNKNOWN, step=step), jitter=jitter)
    wait = BACKOFF[step] - (BACKOFF[step - 1] if step else timedelta())
    assert plain is not None
    assert moved is not None
    assert abs(moved - plain) <= wait / 5


def test_a_page_is_expired_only_once_its_record_would_have_shown() -> None:
    assert not may_conclude_expired(expires_at=END, now=END + 15 * MINUTE - timedelta(microseconds=1))
    assert may_conclude_expired(expires_at=END, now=END + 15 * MINUTE)


@pytest.mark.parametrize(
    ("age", "absent", "expected"),
    [(DAY, 5, True), (DAY, 4, False), (DAY - MINUTE, 5, False), (40 * DAY, 0, False)],
)
def test_a_person_is_asked_after_a_day_and_five_empty_answers(
    age: timedelta, absent: int, expected: bool
) -> None:
    assert needs_operator(since=NOW, absent_answers=absent, now=NOW + age) is expected


def test_what_waits_for_its_provider_is_a_persons_after_a_week_and_everything_else_after_a_day() -> None:
    week = {(kind, S.PENDING) for kind in TransactionKind if kind is not TransactionKind.AUTHORIZATION}
    for kind in TransactionKind:
        for state in (S.UNKNOWN, S.AWAITING_3DS, S.PENDING):
            assert decidable_after(kind, state) == (7 * DAY if (kind, state) in week else DAY)


def test_a_person_is_asked_after_a_patience_of_its_own() -> None:
    after = timedelta(days=7)
    assert not needs_operator(since=NOW, absent_answers=9, now=NOW + 6 * DAY, after=after)
    assert not needs_operator(since=NOW, absent_answers=4, now=NOW + 8 * DAY, after=after)
    assert needs_operator(since=NOW, absent_answers=5, now=NOW + 7 * DAY, after=after)


def test_what_is_pending_is_asked_after_ever_more_rarely_for_a_month_and_then_by_the_week() -> None:
    asked = waits(TransactionState.PENDING)
    assert asked == waits(TransactionState.AWAITING_3DS)
    assert [wait.total_seconds() for wait in asked[:4]] == [15, 45, 105, 225]
    assert 30 * DAY < asked[-1] < 32 * DAY


def test_an_expired_page_is_watched_for_a_week_more() -> None:
    watched = waits(TransactionState.EXPIRED)
    assert watched[0] == 30 * MINUTE + DAY
    assert len(watched) == 7


@pytest.mark.parametrize("kind", [TransactionKind.CAPTURE, TransactionKind.DETACHED_REFUND])
def test_only_pages_and_decisions_are_watched(kind: TransactionKind) -> None:
    assert waits(TransactionState.ABANDONED, kind=kind, expires_at=None) == []


def test_an_open_page_of_unknown_end_is_taken_for_one_of_the_longest_life() -> None:
    longest = position(TransactionState.OPEN, expires_at=NOW + 15 * MINUTE)
    unknown = position(TransactionState.OPEN, expires_at=None)
    assert instants(unknown) == instants(longest)
    assert page_end(unknown) == NOW + 15 * MINUTE
    assert waits(TransactionState.ABANDONED, expires_at=None) == []


@pytest.mark.parametrize(
    ("age", "silent"), [(DAY - timedelta(seconds=1), False), (DAY, True), (9 * DAY, True)]
)
def test_an_open_page_is_silent_a_day_past_its_end(age: timedelta, silent: bool) -> None:
    for step in (0, 4, 12):
        assert is_silent(position(TransactionState.OPEN, step=step), END + age) is silent


@pytest.mark.parametrize("step", [0, 5, 20])
def test_anything_else_is_silent_when_a_due_question_has_had_no_answer_for_a_day(step: int) -> None:
    at = position(TransactionState.PENDING, step=step)
    due = instants(at)[step]
    assert not is_silent(at, due + DAY - timedelta(seconds=1))
    assert is_silent(at, due + DAY)


@given(st.floats(min_value=-1, max_value=1), st.integers(min_value=60, max_value=900))
def test_however_the_questions_jitter_one_after_the_settle_time_concludes(
    jitter: float, seconds: int
) -> None:
    end = NOW + timedelta(seconds=seconds)
    timetable = instants(position(TransactionState.OPEN, expires_at=end))
    step = timetable.index(end + 15 * MINUTE)
    asked = next_query_at(position(TransactionState.OPEN, expires_at=end, step=step), jitter=jitter)
    assert asked is not None
    assert may_conclude_expired(expires_at=end, now=asked)
    assert asked < end + 20 * MINUTE


@pytest.mark.parametrize(
    ("lifetime", "margin"), [(60, 15), (120, 30), (239, 59.75), (240, 60), (900, 60)], ids=str
)
def test_a_page_is_offered_again_but_for_its_last_minute_or_quarter(lifetime: float, margin: float) -> None:
    end = NOW + timedelta(seconds=lifetime)
    assert end - offered_until(opened_at=NOW, expires_at=end) == timedelta(seconds=margin)
