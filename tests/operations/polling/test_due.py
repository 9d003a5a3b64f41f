"""What is due is asked about at the gateway's rate, the oldest first; see also `test_asking_together`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import OperationalError, connection

from tests.operations.conftest import MakeContext, Pay, VirtualClock
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.due import reconcile_due

pytestmark = pytest.mark.django_db


def test_questions_keep_to_the_rate(make_context: MakeContext, open_page: Pay, clock: VirtualClock) -> None:
    waits: list[float] = []
    slow = replace(make_context(query_rate=4.0), sleep=waits.append)
    for _ in range(3):
        open_page()
    clock.advance(minutes=2)
    assert reconcile_due(context=slow) == 3
    assert waits == [0.25] * 3


def test_a_sweep_takes_no_more_than_its_limit_and_the_oldest_first(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    pages = []
    for _ in range(4):
        pages.append(open_page().pk)
        clock.advance(seconds=30)
    clock.advance(minutes=2)
    assert reconcile_due(context=context, limit=3) == 3
    unasked = GatewayTransaction.objects.get(query_count=0)
    assert unasked.payment_id == pages[-1]


@pytest.mark.django_db(transaction=True)
def test_a_claim_that_ends_in_a_deadlock_is_repeated_and_the_sweep_goes_on(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    open_page()
    clock.advance(minutes=2)
    deadlocks: list[str] = []

    def deadlock_once(execute: Callable[..., object], sql: str, *given: object) -> object:
        if sql.startswith("UPDATE") and not deadlocks:
            deadlocks.append(sql)
            raise OperationalError(1213, "Deadlock found when trying to get lock; try restarting transaction")
        return execute(sql, *given)

    with connection.execute_wrapper(deadlock_once):
        assert reconcile_due(context=context) == 1
    assert "last_queried_at" in deadlocks[0]
