"""What a sweep leaves behind itself."""

from __future__ import annotations

import pytest

from tests.models.rows import an_order
from tests.operations.conftest import MakeContext, VirtualClock
from wallet_gateway.models import BatchState, OperationBatch, OperationBatchRow, SweepHeartbeat
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import DRAFTS_KEPT, drop_old_drafts, run_periodic_tasks

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_each_gateway_has_its_heartbeat_and_the_latest_one_counts(
    context: GatewayContext, make_context: MakeContext, clock: VirtualClock
) -> None:
    run_periodic_tasks(context=context)
    run_periodic_tasks(context=make_context(alias="second"))
    clock.advance(seconds=30)
    run_periodic_tasks(context=context)
    swept = dict(SweepHeartbeat.objects.values_list("gateway", "swept_at"))
    assert swept["default"] > swept["second"]


def test_drafts_that_nobody_confirmed_are_dropped_and_batches_stay(clock: VirtualClock) -> None:
    for state in BatchState:
        batch = OperationBatch.objects.create(
            kind="CAPTURE", created_by="anna", state=state, created_at=clock.now()
        )
        OperationBatchRow.objects.create(batch=batch, order=an_order())
    clock.advance(seconds=DRAFTS_KEPT.total_seconds())
    assert drop_old_drafts(clock=clock) == 0

    clock.advance(seconds=1)
    assert drop_old_drafts(clock=clock) == 1
    assert set(OperationBatch.objects.values_list("state", flat=True)) == set(BatchState) - {BatchState.DRAFT}
    assert OperationBatchRow.objects.count() == len(BatchState) - 1
