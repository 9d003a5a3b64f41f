"""When nothing that was begun for a cancelled order can pay it any more: each state, as a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.support.tables import every
from wallet_gateway.domain.polling_schedule import (
    LATEST_CHECK,
    SETTLE_TIME,
    SOONEST_CHECK,
    PollState,
    instants,
    may_still_pay,
    next_release_check,
)
from wallet_gateway.domain.states import TransactionKind, TransactionState

S, K = TransactionState, TransactionKind
NOW = datetime(2030, 1, 1, tzinfo=UTC)
END = NOW + timedelta(minutes=15)
BLOCKS = {S.SENDING, S.UNKNOWN, S.OPEN, S.AWAITING_3DS, S.PENDING, S.ANOMALY}


def position(
    state: TransactionState,
    *,
    kind: TransactionKind = K.CHECKOUT,
    step: int = 0,
    since: datetime = NOW,
    end: datetime | None = END,
) -> PollState:
    return PollState(kind=kind, state=state, since=since, expires_at=end, step=step)


@every("state", list(TransactionState))
def test_what_has_not_ended_may_still_pay_and_what_was_not_sent_may_not(state: TransactionState) -> None:
    assert may_still_pay(position(state), has_page=False) is (state in BLOCKS)
    of_card = may_still_pay(position(state, kind=K.AUTHORIZATION), has_page=False)
    assert of_card is (state in BLOCKS | {S.NOT_SENT}), "an unsent card is given up in a moment"


def test_a_refused_page_may_be_paid_until_a_query_after_its_end_and_the_settle_time() -> None:
    due = instants(position(S.REJECTED))
    decisive = due.index(END + SETTLE_TIME)
    for step in range(len(due)):
        blocks = may_still_pay(position(S.REJECTED, step=step), has_page=True)
        assert blocks is (step <= decisive), f"after {step} answers"


def test_a_refusal_that_is_found_after_the_settle_time_is_that_answer() -> None:
    late = END + SETTLE_TIME + timedelta(seconds=1)
    assert not may_still_pay(position(S.REJECTED, since=late), has_page=True)
    assert may_still_pay(position(S.REJECTED, since=late - timedelta(seconds=2)), has_page=True)


def test_a_page_whose_end_is_not_known_counts_as_one_of_the_longest_life() -> None:
    assert may_still_pay(position(S.REJECTED, end=None), has_page=True)
    assert not may_still_pay(position(S.REJECTED, end=None), has_page=False), "it was never opened"


def test_the_next_look_is_at_the_first_query_and_neither_at_once_nor_a_day_later() -> None:
    minutes = timedelta(minutes=1)
    assert next_release_check(NOW, []) == NOW + SOONEST_CHECK
    assert next_release_check(NOW, [None, NOW - minutes]) == NOW + SOONEST_CHECK
    assert next_release_check(NOW, [NOW + 20 * minutes, NOW + 5 * minutes]) == NOW + 5 * minutes
    assert next_release_check(NOW, [NOW + timedelta(days=7)]) == NOW + LATEST_CHECK
