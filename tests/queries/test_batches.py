"""Batches that nobody drives: running ones whose heartbeat is some minutes old."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.models.rows import NOW
from wallet_gateway.models import BatchState, OperationBatch
from wallet_gateway.queries.batches import IDLE_AFTER, idle_batches, is_stalled

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def a_batch(state: BatchState, age: timedelta) -> OperationBatch:
    return OperationBatch.objects.create(
        kind="REFUND", state=state, created_by="anna", created_at=NOW - age, driven_at=NOW - age
    )


@pytest.mark.parametrize("state", BatchState)
def test_only_a_running_batch_can_be_without_a_driver(state: BatchState) -> None:
    batch = a_batch(state, IDLE_AFTER + timedelta(seconds=1))
    idle = state is BatchState.RUNNING
    assert list(idle_batches(NOW)) == ([batch] if idle else [])
    assert is_stalled(batch, NOW) is idle


def test_one_that_was_driven_lately_has_a_driver_and_the_oldest_comes_first() -> None:
    fresh = a_batch(BatchState.RUNNING, IDLE_AFTER)
    old = a_batch(BatchState.RUNNING, timedelta(minutes=6))
    older = a_batch(BatchState.RUNNING, timedelta(hours=1))
    assert not is_stalled(fresh, NOW)
    assert list(idle_batches(NOW)) == [older, old]
