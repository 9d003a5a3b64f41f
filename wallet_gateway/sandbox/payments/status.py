"""The status query: all transactions under a reference as status records of the interface."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from wallet_gateway.protocol.status import write_timestamp
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.sandbox.models import RecordState, TransactionRecord
from wallet_gateway.sandbox.models.prepared_sql import select_rows
from wallet_gateway.sandbox.payments.provider_decision import UNDOCUMENTED_STATE
from wallet_gateway.sandbox.payments.records import HistoryStep, steps_of
from wallet_gateway.sandbox.state import FaultMode, RequestContext


def status_records(context: RequestContext, reference: str) -> list[dict[str, Any]]:
    """Return the visible records under a reference, oldest first; ``status_lag`` hides recent changes."""
    seen_until = context.conditions.now - context.conditions.behaviour.status_lag
    records = select_rows(TransactionRecord, merchant_id=context.merchant.pk, reference=reference)
    seen = ((record, _step_seen(record, until=seen_until)) for record in records)
    wire = [status_record(record, state=step.state) for record, step in seen if step is not None]
    if context.fault_mode is FaultMode.UNDOCUMENTED:
        wire = [record | {"state": UNDOCUMENTED_STATE} for record in wire]
    return wire


def status_record(record: TransactionRecord, *, state: str | None = None) -> dict[str, Any]:
    """Return one record in wire form, in the given state or its current one."""
    state = state or record.state
    return {
        "id": record.record_id,
        "state": state,
        "currencyCode": record.currency,
        "transactionAmount": NumberText(record.amount.to_wire()),
        "clientSystemTransactionId": record.reference,
        "type": record.type,
        "transactionDateTime": write_timestamp(record.created_at),
        "apmDetails": _details(record, state),
    }


def _step_seen(record: TransactionRecord, *, until: datetime) -> HistoryStep | None:
    return next((step for step in reversed(steps_of(record)) if step.at <= until), None)


def _details(record: TransactionRecord, state: str) -> dict[str, Any]:
    if state != RecordState.ERRORED:
        details: dict[str, Any] = record.details
        return details
    # A failed transaction has neither a payer nor an id at the provider.
    return {name: value if name == "apmName" else None for name, value in record.details.items()}
