"""When to ask again, against a clock that is an argument."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import every
from wallet_gateway.domain import polling_schedule, states

S, K = states.TransactionState, states.TransactionKind
P = polling_schedule.QueryPriority
instants, next_query_at = polling_schedule.instants, polling_schedule.next_query_at
NOW = datetime(2026, 5, 17, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))
END = NOW + 15 * MINUTE
NEVER_GIVEN_UP = [S.UNKNOWN, S.OPEN, S.AWAITING_3DS, S.PENDING]
jitters = st.floats(min_value=-1, max_value=1)


def waits_of(kind: states.TransactionKind, daily_for: float, limit: float) -> tuple[timedelta, ...]:
    return polling_schedule.repeat_waits(kind, daily_for=daily_for * DAY, limit=limit * DAY)


REPEATS = waits_of(K.CHECKOUT, 7, 180)


def position(state: states.TransactionState, **given: object) -> polling_schedule.PollState:
    fields = {"kind": K.CHECKOUT, "state": state, "since": NOW, "expires_at": END, "step": 0} | given
    return polling_schedule.PollState(**fields)  # type: ignore[arg-type]


def approved(**given: object) -> polling_schedule.PollState:
    return position(S.APPROVED, **{"confirmed": True, "repeat_waits": REPEATS} | given)


# The timetables

SETTLED = 30 * MINUTE
WEEK = [SETTLED + day * DAY for day in range(1, 8)]
OF_A_PAGE = [MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE, 16 * MINUTE, SETTLED, *WEEK]
DAY_OF_A_REFUSAL = [5 * MINUTE, HOUR, DAY]


@every(
    ("state", "given", "expected"),
    [
        # A page whose end is not known lives as long as any.
        *((S.OPEN, {"expires_at": end}, OF_A_PAGE) for end in (END, None)),
        (
            S.OPEN,
            {"expires_at": NOW + MINUTE},
            [2 * MINUTE, 16 * MINUTE, *(16 * MINUTE + day * DAY for day in range(1, 8))],
        ),
        (S.EXPIRED, {}, WEEK),
        (S.EXPIRED, {"kind": K.AUTHORIZATION}, []),
        (S.ABANDONED, {}, [SETTLED, *WEEK]),
        *((S.ABANDONED, none, []) for none in ({"expires_at": None}, {"kind": K.CAPTURE})),
        (S.ABANDONED, {"decided_by_person": True, "kind": K.CAPTURE}, [day * DAY for day in range(1, 91)]),
        *(
            (S.REJECTED, {"expires_at": end}, [5 * MINUTE, 16 * MINUTE, SETTLED, *WEEK])
            for end in (END, None)
        ),
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
            [5 * MINUTE, 14 * MINUTE, *(wait - 16 * MINUTE for wait in WEEK)],
        ),
        (S.APPROVED, {}, DAY_OF_A_REFUSAL),
        (S.APPROVED, {"confirmed": True}, []),
        (S.APPROVED, {"repeat_waits": (DAY, 2 * DAY)}, [*DAY_OF_A_REFUSAL, 2 * DAY]),
        *((state, {}, []) for state in (S.AWAITING_RESULT, S.SENDING, S.NOT_SENT, S.ANOMALY)),
    ],
)
def test_each_state_has_its_timetable(
    state: states.TransactionState, given: dict[str, object], expected: list[timedelta]
) -> None:
    at = position(state, **given)
    assert [instant - NOW for instant in instants(at)] == expected
    assert next_query_at(at) == (NOW + expected[0] if expected else None)
    if state not in NEVER_GIVEN_UP:
        assert next_query_at(replace(at, step=200)) is None, "an end is not asked about for ever"


def test_what_has_no_outcome_is_asked_about_within_seconds_and_then_ever_more_rarely_for_a_month() -> None:
    unknown, pending = (
        [(instant - NOW).total_seconds() for instant in instants(position(state))]
        for state in (S.UNKNOWN, S.PENDING)
    )
    assert unknown[:6] == [2, 7, 22, 82, 382, 1282]
    assert pending[:4] == [15, 45, 105, 225]
    assert instants(position(S.PENDING)) == instants(position(S.AWAITING_3DS))
    assert unknown[11] - unknown[10] == 86_400
    assert 29 < unknown[-1] / 86_400 < 31
    assert 30 < pending[-1] / 86_400 < 32


@pytest.mark.parametrize("state", NEVER_GIVEN_UP)
@given(step=st.integers(min_value=0, max_value=500), jitter=jitters)
def test_about_what_has_not_ended_there_is_always_a_next_question_and_none_is_moved_far(
    state: states.TransactionState, step: int, jitter: float
) -> None:
    asked, later, plain, before = (
        next_query_at(position(state, step=max(at, 0)), jitter=moved)
        for at, moved in ((step, jitter), (step + 1, jitter), (step, 0), (step - 1, 0))
    )
    assert asked is not None
    assert later is not None
    assert plain is not None
    assert before is not None
    assert asked < later
    assert abs(asked - plain) <= (plain - (before if step else NOW)) / 5
    if step > len(instants(position(state))):
        assert abs(later - asked - 7 * DAY) <= timedelta(days=3)


@every("state", NEVER_GIVEN_UP)
@every("days", [1, 35, 100, 1000])
def test_an_answer_after_a_long_silence_covers_the_weeks_that_it_lasted(
    days: int, state: states.TransactionState
) -> None:
    now = NOW + days * DAY
    step = polling_schedule.step_after(position(state, step=3), now)
    asked = next_query_at(position(state, step=step))
    assert asked is not None
    assert timedelta(0) < asked - now <= 7 * DAY


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
    at: polling_schedule.PollState, after: timedelta, expected: int
) -> None:
    assert polling_schedule.step_after(at, NOW + after) == expected


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
@every("kind", sorted(K))
def test_a_payment_is_queried_daily_in_its_window_and_then_rarely_and_a_follow_up_once(
    kind: states.TransactionKind, daily_for: float, limit: float, expected: list[float]
) -> None:
    found = [wait / DAY for wait in waits_of(kind, daily_for, limit)]
    assert found == (expected if kind in states.OPENING_KINDS else expected[:1])


@every("jitter", [-1, 0.3, 1])
def test_two_queries_in_the_window_are_never_more_than_a_day_apart_and_end(jitter: float) -> None:
    asked = [next_query_at(approved(step=step), jitter=jitter) for step in range(2, 9)]
    assert asked == [NOW + day * DAY for day in range(1, 8)]
    last = polling_schedule.step_after(approved(step=2), NOW + 178 * DAY)
    assert next_query_at(approved(step=last), jitter=jitter) is None


@every("state", sorted(S))
def test_what_a_customer_waits_for_comes_before_what_is_watched_and_that_before_what_is_repeated(
    state: states.TransactionState,
) -> None:
    early = P.UNFINISHED if state in NEVER_GIVEN_UP else P.WATCHED
    found = [polling_schedule.query_priority(position(state, step=step)) for step in (0, 1, 2)]
    assert found == [early, early, P.REPEATED if state is S.APPROVED else early]


# Jitter


@every(
    ("state", "jitter", "moved"),
    # Before its time the question about a page would conclude nothing.
    [(S.UNKNOWN, 1.0, 0.4), (S.UNKNOWN, -1.0, -0.4), (S.OPEN, 1.0, 12), (S.OPEN, -1.0, 12)],
)
def test_a_question_is_moved_by_a_fifth_of_its_wait(
    state: states.TransactionState, jitter: float, moved: float
) -> None:
    planned = next_query_at(position(state))
    assert planned is not None
    assert next_query_at(position(state), jitter=jitter) == planned + timedelta(seconds=moved)


@every("state", [S.OPEN, S.REJECTED])
@every("jitter", [-1, 0, 0.5, 1])
@every("seconds", [60, 239, 900])
def test_however_the_questions_jitter_one_comes_soon_after_a_page_has_settled_and_concludes(
    state: states.TransactionState, jitter: float, seconds: int
) -> None:
    settled = NOW + timedelta(seconds=seconds) + 15 * MINUTE
    at = position(state, expires_at=settled - 15 * MINUTE)
    asked = next_query_at(replace(at, step=instants(at).index(settled)), jitter=jitter)
    assert asked is not None
    assert settled <= asked < settled + 5 * MINUTE
    for instant in (asked, settled, settled - timedelta(microseconds=1)):
        concludes = polling_schedule.may_conclude_expired(expires_at=settled - 15 * MINUTE, now=instant)
        assert concludes is (instant >= settled)


# People


@every(
    ("age", "absent", "after", "expected"),
    [
        (DAY, 5, {}, True),
        (DAY, 4, {}, False),
        (DAY - MINUTE, 5, {}, False),
        (40 * DAY, 0, {}, False),
        (6 * DAY, 9, {"after": 7 * DAY}, False),
        (8 * DAY, 4, {"after": 7 * DAY}, False),
        (7 * DAY, 5, {"after": 7 * DAY}, True),
    ],
)
def test_a_person_is_asked_after_a_time_and_five_empty_answers(
    age: timedelta, absent: int, after: dict[str, timedelta], expected: bool
) -> None:
    asks = polling_schedule.needs_operator(since=NOW, absent_answers=absent, now=NOW + age, **after)
    assert asks is expected


def test_what_waits_for_its_provider_is_a_persons_after_a_week_and_everything_else_after_a_day() -> None:
    week = {(kind, S.PENDING) for kind in K if kind is not K.AUTHORIZATION}
    for kind in K:
        for state in (S.UNKNOWN, S.AWAITING_3DS, S.PENDING):
            expected = 7 * DAY if (kind, state) in week else DAY
            assert polling_schedule.decidable_after(kind, state) == expected, (kind, state)


def test_a_page_is_silent_a_day_past_its_end_and_anything_else_when_no_due_question_was_answered() -> None:
    is_silent = polling_schedule.is_silent
    for step in (0, 5, 12):
        pending = position(S.PENDING, step=step)
        for at, since in ((position(S.OPEN, step=step), END), (pending, instants(pending)[step])):
            assert [is_silent(at, since + DAY - SECOND), is_silent(at, since + DAY)] == [False, True], at
    assert not is_silent(position(S.APPROVED, confirmed=True), NOW + 100 * DAY), "asked about no more"
    assert polling_schedule.page_end(position(S.OPEN, expires_at=None)) == END


# Pauses, retries and open pages


def test_a_gateways_pause_ends_when_it_says_and_after_a_quarter_of_an_hour_at_most() -> None:
    assert polling_schedule.pause_end(NOW, 90) == NOW + 90 * SECOND
    assert polling_schedule.pause_end(NOW, 10**6) == NOW + 15 * MINUTE


@every(("age", "wait"), [(10 * MINUTE, MINUTE), (SECOND, 5 * SECOND), (3 * DAY, HOUR)])
def test_a_question_without_an_answer_is_repeated_after_a_tenth_of_its_age(
    age: timedelta, wait: timedelta
) -> None:
    assert polling_schedule.next_retry_at(since=NOW - age, now=NOW) == NOW + wait


@every(("lifetime", "margin"), [(60, 15), (120, 30), (239, 59.75), (240, 60), (900, 60)])
def test_a_page_is_offered_again_but_for_its_last_minute_or_quarter(lifetime: float, margin: float) -> None:
    end = NOW + timedelta(seconds=lifetime)
    offered = polling_schedule.offered_until(opened_at=NOW, expires_at=end)
    assert end - offered == timedelta(seconds=margin)
