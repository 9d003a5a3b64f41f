"""What is due is asked about at the gateway's rate, the oldest first; see also `test_asking_together`."""

from __future__ import annotations

from dataclasses import replace

import pytest

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
