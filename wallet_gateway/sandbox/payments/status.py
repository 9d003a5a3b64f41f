"""The status query: all transactions under a reference as status records of the interface."""

from __future__ import annotations

from typing import Any

from wallet_gateway.protocol.status import write_timestamp
from wallet_gateway.sandbox.models import RecordOrigin, RecordState, SandboxState, TransactionRecord
from wallet_gateway.sandbox.payments.dialect import written_amount, written_id, written_state
from wallet_gateway.sandbox.payments.provider_decision import UNDOCUMENTED_STATE
from wallet_gateway.sandbox.payments.records import steps_of
from wallet_gateway.sandbox.state import FaultMode, RequestContext, current_conditions


def status_records(context: RequestContext, reference: str) -> list[dict[str, Any]]:
    """Return the visible records under a reference, oldest first unless the behaviour has another order.

    ``status_lag`` hides recent changes. Follow-ups that the portal made under references of its own belong to
    their original's.
    """
    behaviour = context.conditions.behaviour
    seen_until = context.conditions.now - behaviour.status_lag
    records = list(context.merchant.records.filter(reference=reference))
    originals = [record for record in records if not record.original_reference]
    if originals:
        by_portal = TransactionRecord.objects.filter(original__in=originals, origin=RecordOrigin.PORTAL)
        records += by_portal.exclude(reference=reference)
    answer = []
    for record in sorted(records, key=lambda record: record.pk):
        step = next((step for step in reversed(steps_of(record)) if step.at <= seen_until), None)
        if step is not None:
            answer.append(_written(record, step.state, behaviour))
    if context.fault_mode is FaultMode.UNDOCUMENTED:
        answer = [record | {"state": UNDOCUMENTED_STATE} for record in answer]
    return answer[::-1] if behaviour.newest_first else answer


def status_record(record: TransactionRecord) -> dict[str, Any]:
    """Return one record in wire form, in its current state."""
    return _written(record, record.state, current_conditions().behaviour)


def _written(record: TransactionRecord, state: str, behaviour: SandboxState) -> dict[str, Any]:
    details = record.details
    if state == RecordState.ERRORED:
        # A failed transaction has neither a payer nor an id at the provider.
        details = {name: value if name == "apmName" else None for name, value in details.items()}
    return {
        "id": written_id(record, state, behaviour),
        "state": written_state(state, behaviour),
        "currencyCode": record.currency,
        "transactionAmount": written_amount(record, state, behaviour),
        "clientSystemTransactionId": record.reference,
        "type": record.type,
        "transactionDateTime": write_timestamp(record.created_at),
        "apmDetails": details,
    }
