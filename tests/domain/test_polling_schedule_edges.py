"""The edges of the schedule: its first and last question, what moves an instant, what a question covers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.tables import every
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import (
    LATEST_RETRY,
    LONGEST_PAUSE,
    SOONEST_RETRY,
    PollState,
    instants,
    is_silent,
    next_query_at,
    next_retry_at,
    pause_end,
    repeat_waits,
    step_after,
)

S, K = TransactionState, TransactionKind
NOW = datetime(2026, 5, 17, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (
    timedelta(seconds=1),
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(days=1),
)
END = NOW + 15 * MINUTE
WINDOW = 7 * DAY


def position(state: TransactionState, **given: object) -> PollState:
    fields = {
        "kind": K.CHECKOUT,
        "state": state,
        "since": NOW,
        "expires_at": END,
        "step": 0,
    } | given
    return PollState(**fields)  # type: ignore[arg-type]


def approved(**given: object) -> PollState:
    waits = repeat_waits(K.CHECKOUT, daily_for=WINDOW, limit=180 * DAY)
    return position(S.APPROVED, **{"confirmed": True, "repeat_waits": waits} | given)


def test_a_gateways_pause_ends_when_it_says_and_after_a_quarter_of_an_hour_at_most() -> None:
    assert pause_end(NOW, 90) == NOW + 90 * SECOND
    assert pause_end(NOW, 10**6) == NOW + LONGEST_PAUSE == NOW + 15 * MINUTE


def test_what_opened_a_payment_is_asked_about_every_day_of_the_window_beginning_with_the_first() -> None:
    waits = repeat_waits.__wrapped__(K.CHECKOUT, daily_for=3 * DAY, limit=30 * DAY)
    assert waits == (DAY, 2 * DAY, 3 * DAY, 10 * DAY, 24 * DAY)


def test_a_window_of_hours_is_one_day() -> None:
    waits = repeat_waits.__wrapped__(K.CHECKOUT, daily_for=HOUR, limit=10 * DAY)
    assert waits == (DAY, 8 * DAY)


def test_a_follow_up_is_asked_about_once_more_a_day_later() -> None:
    assert repeat_waits.__wrapped__(K.CAPTURE, daily_for=3 * DAY, limit=30 * DAY) == (DAY,)


def test_what_is_asked_about_no_more_is_not_silent() -> None:
    finished = position(S.APPROVED, confirmed=True)
    assert next_query_at(finished) is None
    assert not is_silent(finished, NOW + 100 * DAY)


@every("kind", sorted(set(TransactionKind) - {K.CHECKOUT}))
def test_only_a_hosted_page_is_watched_after_its_end(kind: TransactionKind) -> None:
    assert instants(position(S.EXPIRED, kind=kind)) == ()
    assert instants(position(S.EXPIRED))


def test_a_page_refused_at_the_very_instant_of_a_question_is_not_asked_about_at_that_instant() -> None:
    refused = END + MINUTE
    assert instants(position(S.REJECTED, since=refused))[0] == refused + 5 * MINUTE


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
    asked = position(state)
    planned = next_query_at(asked)
    assert planned is not None
    assert next_query_at(asked, jitter=jitter) == planned + timedelta(seconds=moved)


@every(
    ("step", "at", "expected"),
    [
        # Each question advances by one step, a late one covers those that it is late for.
        (0, 2 * SECOND, 1),
        (1, 7 * SECOND, 2),
        (0, 22 * SECOND, 3),
        # One that is asked early advances, too.
        (2, 3 * SECOND, 3),
    ],
)
def test_an_answer_ends_its_step_and_all_that_are_past(step: int, at: timedelta, expected: int) -> None:
    assert step_after(position(S.UNKNOWN, step=step), NOW + at) == expected


@every(
    ("step", "at", "expected"),
    [
        # Confirmed, it goes on with the first repetition.
        (0, 5 * MINUTE, 2),
        (2, DAY, 3),
        # Asked before its time since another transaction of the payment ended: its day still comes.
        (3, DAY + HOUR, 3),
        (4, DAY + HOUR, 4),
        (3, 2 * DAY, 4),
        (3, 3 * DAY, 5),
    ],
)
def test_a_repeated_question_asked_before_its_time_keeps_its_step(
    step: int, at: timedelta, expected: int
) -> None:
    assert step_after(approved(step=step), NOW + at) == expected


def test_an_approval_that_is_not_confirmed_is_asked_about_again_an_hour_later() -> None:
    assert step_after(approved(confirmed=False), NOW + 5 * MINUTE) == 1


def test_an_unknown_outcome_that_happens_to_be_confirmed_skips_nothing() -> None:
    assert step_after(position(S.UNKNOWN, confirmed=True), NOW + 2 * SECOND) == 1


@every(
    ("age", "wait"),
    [
        (10 * MINUTE, MINUTE),
        (SECOND, SOONEST_RETRY),
        (3 * DAY, LATEST_RETRY),
    ],
)
def test_a_question_without_an_answer_is_repeated_after_a_tenth_of_its_age(
    age: timedelta, wait: timedelta
) -> None:
    assert next_retry_at(since=NOW - age, now=NOW) == NOW + wait
