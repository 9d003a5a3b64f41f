"""The status query: all transactions under a reference as status records of the interface."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from wallet_gateway.protocol.status import write_timestamp
from wallet_gateway.sandbox.models import RecordOrigin, RecordState, TransactionRecord
from wallet_gateway.sandbox.models.prepared_sql import select_rows
from wallet_gateway.sandbox.payments.dialect import written_amount, written_id, written_state
from wallet_gateway.sandbox.payments.provider_decision import UNDOCUMENTED_STATE
from wallet_gateway.sandbox.payments.records import HistoryStep, steps_of
from wallet_gateway.sandbox.state import Behaviour, FaultMode, RequestContext, current_conditions


def status_records(context: RequestContext, reference: str) -> list[dict[str, Any]]:
    """Return the visible records under a reference, oldest first unless the behaviour has another order.

    ``status_lag`` hides recent changes.
    """
    behaviour = context.conditions.behaviour
    seen_until = context.conditions.now - behaviour.status_lag
    seen = ((record, _step_seen(record, until=seen_until)) for record in _records_about(context, reference))
    wire = [_written(record, step.state, behaviour) for record, step in seen if step is not None]
    if context.fault_mode is FaultMode.UNDOCUMENTED:
        wire = [record | {"state": UNDOCUMENTED_STATE} for record in wire]
    return wire[::-1] if behaviour.newest_first else wire


def status_record(record: TransactionRecord) -> dict[str, Any]:
    """Return one record in wire form, in its current state."""
    return _written(record, record.state, current_conditions().behaviour)


def _records_about(context: RequestContext, reference: str) -> list[TransactionRecord]:
    """Return the rows under a reference, and what the portal made of them under references of its own."""
    rows = select_rows(TransactionRecord, merchant_id=context.merchant.pk, reference=reference)
    elsewhere = [
        follow_up
        for row in rows
        if not row.original_reference
        for follow_up in select_rows(TransactionRecord, original_id=row.pk)
        if follow_up.origin == RecordOrigin.PORTAL and follow_up.reference != reference
    ]
    return sorted([*rows, *elsewhere], key=lambda row: row.pk)


def _written(record: TransactionRecord, state: str, behaviour: Behaviour) -> dict[str, Any]:
    return {
        "id": written_id(record, state, behaviour),
        "state": written_state(state, behaviour),
        "currencyCode": record.currency,
        "transactionAmount": written_amount(record, state, behaviour),
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
