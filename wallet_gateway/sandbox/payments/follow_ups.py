"""Capture, refund and reversal, requested by the merchant or made in the provider's portal."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from wallet_gateway.protocol.follow_ups import FollowUpRequest, FollowUpResponse, FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import PortalReference, RecordOrigin, TransactionRecord
from wallet_gateway.sandbox.payments.dialect import written_id, written_state
from wallet_gateway.sandbox.payments.limits import check_follow_up
from wallet_gateway.sandbox.payments.payer import display_name, follow_up_details
from wallet_gateway.sandbox.payments.provider_decision import ProviderDecision, approval_of, decide_request
from wallet_gateway.sandbox.payments.records import find_original, write_record
from wallet_gateway.sandbox.payments.references import answer_once
from wallet_gateway.sandbox.state import RequestContext, current_conditions


def execute_follow_up(context: RequestContext, request: FollowUpRequest) -> dict[str, Any]:
    """Execute a capture, refund or reversal and return the follow-up response; raises a ``Refusal``."""
    behaviour = context.conditions.behaviour

    def execute() -> dict[str, Any]:
        original = find_original(context.merchant, request.client_system_invoice_id)
        check_follow_up(original, request.type, request.money)
        record = _write(
            original,
            request.type,
            request.money,
            reference=request.client_system_transaction_id,
            decision=decide_request(request.type, request.money, context.fault_mode),
            origin=RecordOrigin.API,
            now=context.conditions.now,
        )
        response = FollowUpResponse.build(
            id=record.record_id,
            state=record.state,
            provider_state_code=record.provider_state_code,
            currency_code=record.currency,
            client_system_transaction_id=record.reference,
            apm_details={
                "apm_provider_name": display_name(context.merchant.provider),
                "apm_payment_method": record.type,
            },
        ).to_wire()
        return response | {
            "id": written_id(record, record.state, behaviour),
            "state": written_state(record.state, behaviour),
        }

    has_original_reference = request.client_system_transaction_id == request.client_system_invoice_id
    shared = has_original_reference and behaviour.share_references
    return answer_once(context, request, execute, shared=shared)


def make_portal_follow_up(
    original: TransactionRecord, follow_up: FollowUpType, amount: Money
) -> TransactionRecord:
    """Create a follow-up of the portal, under the reference that the behaviour says; raises a ``Refusal``."""
    with write_lock():
        check_follow_up(original, follow_up, amount)
        conditions = current_conditions()
        has_own = conditions.behaviour.portal_references == PortalReference.OWN
        return _write(
            original,
            follow_up,
            amount,
            reference=f"PORTAL-{secrets.token_hex(8).upper()}" if has_own else original.reference,
            decision=approval_of(follow_up),
            origin=RecordOrigin.PORTAL,
            now=conditions.now,
        )


def _write(
    original: TransactionRecord,
    follow_up: FollowUpType,
    amount: Money,
    *,
    reference: str,
    decision: ProviderDecision,
    origin: RecordOrigin,
    now: datetime,
) -> TransactionRecord:
    merchant = original.merchant
    return write_record(
        merchant=merchant,
        reference=reference,
        record_type=follow_up,
        money=amount,
        decision=decision,
        now=now,
        origin=origin,
        details=follow_up_details(provider=merchant.provider, email=original.details["apmPayerEmailAddress"]),
        original=original,
        original_reference=original.reference,
    )
