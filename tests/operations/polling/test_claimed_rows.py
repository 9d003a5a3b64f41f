"""Claimed rows, one by one: none is left behind, and none is queried after its time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import pytest

from tests.operations.conftest import MakeContext, VirtualClock
from tests.operations.polling.test_claims import URGENT, due_pages
from wallet_gateway.domain.polling_schedule import QUERY_WITHIN
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.polling.claimed_rows import claimed_rows
from wallet_gateway.operations.polling.claims import Batch, claim_first

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@dataclass
class Claims:
    """Claims batches of these sizes, then none."""

    context: object
    clock: VirtualClock
    sizes: list[int]
    asked: list[int] = field(default_factory=list)

    def __call__(self, most: int) -> Batch:
        self.asked.append(most)
        if not self.sizes:
            return Batch(claimed_at=self.clock.now())
        size = min(most, self.sizes.pop(0))
        return claim_first(self.context, URGENT, since=self.clock.now(), most=size)  # type: ignore[arg-type]


Claiming = Callable[..., Claims]


@pytest.fixture
def claims(make_context: MakeContext, clock: VirtualClock) -> Claiming:
    def make(*sizes: int) -> Claims:
        due_pages(sum(sizes), clock)
        return Claims(make_context(query_rate=1000.0), clock, [*sizes])

    return make


def taken(claims: Claims, limit: int = 100, **options: Callable[[], bool]) -> Generator[GatewayTransaction]:
    is_over = options.get("is_over", lambda: False)
    return claimed_rows(claims, limit=limit, clock=claims.clock, is_over=is_over)


def still_due(clock: VirtualClock) -> int:
    return GatewayTransaction.objects.filter(next_query_at__lte=clock.now()).count()


def test_batches_come_one_after_the_other_the_oldest_first(claims: Claiming) -> None:
    given = claims(4, 4, 1)
    assert [row.reference for row in taken(given)] == [f"due-{number:03}" for number in range(9)]
    assert given.asked == [100, 96, 92, 91]


def test_no_more_is_claimed_than_the_limit_leaves(claims: Claiming) -> None:
    given = claims(4, 4)
    assert len(list(taken(given, limit=6))) == 6
    assert given.asked == [6, 2]


def test_what_was_claimed_is_due_again_when_it_is_over(claims: Claiming, clock: VirtualClock) -> None:
    rows: list[GatewayTransaction] = []
    for row in taken(claims(4, 4), is_over=lambda: len(rows) == 3):
        rows.append(row)
    assert len(rows) == 3
    assert still_due(clock) == 5


def test_what_was_claimed_is_not_queried_after_its_time(claims: Claiming, clock: VirtualClock) -> None:
    rows = taken(claims(4))
    next(rows)
    clock.advance(seconds=QUERY_WITHIN.total_seconds() + 1)
    assert list(rows) == []
    assert still_due(clock) == 3


def test_a_claim_that_fails_fails_the_sweep(claims: Claiming) -> None:
    given = claims(1)
    rows = taken(given)
    next(rows)
    given.context = None
    given.sizes = [1]
    with pytest.raises(AttributeError):
        next(rows)
