"""Idle batches, which need somebody.

An idle batch is running, but no sweep and no open page has executed its rows for some minutes.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet

from wallet_gateway.models import BatchState, OperationBatch

IDLE_AFTER = timedelta(minutes=5)
"""A sweep processes each running batch far more often than this."""


def idle_batches(now: datetime) -> QuerySet[OperationBatch]:
    """Return the running batches that no worker processes, the longest waiting first."""
    rows = OperationBatch.objects.filter(state=BatchState.RUNNING, driven_at__lt=now - IDLE_AFTER)
    return rows.order_by("driven_at", "pk")


def is_stalled(batch: OperationBatch, now: datetime) -> bool:
    """Return whether a batch is idle, based on the row."""
    driven_at = batch.driven_at or batch.created_at
    return batch.state == BatchState.RUNNING and driven_at < now - IDLE_AFTER
