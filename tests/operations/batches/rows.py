"""The rows and states of a batch as they are now."""

from __future__ import annotations

from wallet_gateway.models import OperationBatch, OperationBatchRow

WHY = {"reason_code": "shipped", "comment": "parcel 1"}
LONG = 600.0


def rows_of(batch: OperationBatch) -> list[OperationBatchRow]:
    return list(batch.rows.select_related("transaction"))


def states_of(batch: OperationBatch) -> list[str]:
    return [row.state for row in rows_of(batch)]


def state_of(batch: OperationBatch) -> str:
    batch.refresh_from_db()
    return str(batch.state)
