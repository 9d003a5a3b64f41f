"""Claimed rows, one by one: a large batch is followed by one claimed meanwhile, and none is left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import pytest

from tests.operations.conftest import MakeContext, VirtualClock
from tests.operations.polling.test_claims import URGENT, due_pages
from wallet_gateway.domain.polling_schedule import QUERY_WITHIN
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.polling import claimed_rows as rows_of_sweep
from wallet_gateway.operations.polling.claims import Batch, claim_first

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
LARGEST = 4


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_of_sweep, "MAX_BATCH", LARGEST)


@dataclass
class Claims:
    """Hands out batches that were claimed before, because another thread does not see this test's rows."""

    batches: list[Batch]
    asked: list[tuple[int, bool]] = field(default_factory=list)
    """How many rows each claim was for, and whether a thread of its own asked."""
    is_done: threading.Event = field(default_factory=threading.Event)

    def __call__(self, most: int) -> Batch:
        self.asked.append((most, threading.current_thread() is not threading.main_thread()))
        self.is_done.set()
        return self.batches.pop(0)


Take = Callable[..., Generator[GatewayTransaction]]


@pytest.fixture
def claims(make_context: MakeContext, clock: VirtualClock) -> Callable[..., Claims]:
    def make(*sizes: int) -> Claims:
        due_pages(sum(sizes), clock)
        context = make_context(query_rate=1000.0)
        return Claims(
            [
                claim_first(context, URGENT, since=clock.now(), most=size)
                if size
                else Batch(claimed_at=clock.now())
                for size in (*sizes, 0)
            ]
        )

    return make


@pytest.fixture
def take(clock: VirtualClock) -> Take:
    def begin(
        claims: Claims, *, limit: int = 100, is_over: Callable[[], bool] = lambda: False, ahead: bool = True
    ) -> Generator[GatewayTransaction]:
        return rows_of_sweep.claimed_rows(
            claims, limit=limit, clock=clock, turn=lambda: None, is_over=is_over, claims_ahead=ahead
        )

    return begin


def still_due(clock: VirtualClock) -> int:
    return GatewayTransaction.objects.filter(next_query_at__lte=clock.now()).count()


def test_the_next_batch_is_claimed_when_half_of_a_full_one_is_taken(
    claims: Callable[..., Claims], take: Take
) -> None:
    given = claims(LARGEST, LARGEST, 1)
    rows = take(given)
    first = [next(rows) for _ in range(LARGEST // 2)]
    assert given.asked == [(100, False)]
    first.append(next(rows))
    assert given.is_done.wait(10)
    assert [row.reference for row in (*first, *rows)] == [f"due-{number:03}" for number in range(9)]
    assert given.asked == [(100, False), (96, True), (92, True), (91, False)]


@pytest.mark.parametrize(("sizes", "ahead"), [((2, 2), True), ((LARGEST, LARGEST), False)])
def test_a_small_batch_and_a_single_thread_claim_one_after_the_other(
    sizes: tuple[int, ...], ahead: bool, claims: Callable[..., Claims], take: Take
) -> None:
    given = claims(*sizes)
    assert len(list(take(given, ahead=ahead))) == sum(sizes)
    assert [is_ahead for _, is_ahead in given.asked] == [False] * 3


def test_no_more_is_claimed_than_the_limit_leaves(claims: Callable[..., Claims], take: Take) -> None:
    given = claims(LARGEST, 2)
    assert len(list(take(given, limit=6))) == 6
    assert given.asked == [(6, False), (2, True)]


def test_nothing_is_claimed_ahead_of_the_last_batch(claims: Callable[..., Claims], take: Take) -> None:
    given = claims(LARGEST)
    assert len(list(take(given, limit=LARGEST))) == LARGEST
    assert given.asked == [(LARGEST, False)]


def test_what_was_claimed_ahead_is_due_again_when_it_is_over(
    claims: Callable[..., Claims], take: Take, clock: VirtualClock
) -> None:
    given = claims(LARGEST, LARGEST)
    taken: list[GatewayTransaction] = []
    for row in take(given, is_over=lambda: len(taken) == 3):
        taken.append(row)
    assert (len(taken), given.asked[1:]) == (3, [(96, True)])
    assert still_due(clock) == 5


def test_what_was_claimed_ahead_is_due_again_when_nobody_takes_any_more(
    claims: Callable[..., Claims], take: Take, clock: VirtualClock
) -> None:
    rows = take(claims(LARGEST, LARGEST))
    for _ in range(3):
        next(rows)
    rows.close()
    # The fourth row of the first batch stays claimed until its claim ends, as if its worker had died.
    assert still_due(clock) == LARGEST


def test_what_was_claimed_ahead_is_not_queried_after_its_time(
    claims: Callable[..., Claims], take: Take, clock: VirtualClock
) -> None:
    rows = take(claims(LARGEST, LARGEST))
    for _ in range(LARGEST):
        next(rows)
    clock.advance(seconds=QUERY_WITHIN.total_seconds() + 1)
    assert list(rows) == []
    assert still_due(clock) == LARGEST


def test_a_claim_that_fails_fails_the_sweep(claims: Callable[..., Claims], take: Take) -> None:
    given = claims(LARGEST)
    given.batches.clear()
    with pytest.raises(IndexError):
        list(take(given))
