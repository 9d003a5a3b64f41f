"""What was asked of the gateway, and the answers and records that it may give."""

from __future__ import annotations

from typing import Any

from wallet_gateway.domain.record_attribution import Expectation
from wallet_gateway.protocol.follow_ups import FollowUpResponse
from wallet_gateway.protocol.status import StatusRecord

OURS = "REF-1"
CAPTURE = Expectation(reference=OURS, wire_type="ecom.capture", currency="EUR", amount=1000)
DETACHED = Expectation(
    reference=OURS, wire_type="detached.refund", currency="EUR", amount=1000, may_be_less=True
)


def expecting(**changes: Any) -> Expectation:
    given: dict[str, Any] = {
        "reference": OURS,
        "wire_type": "ecom.capture",
        "currency": "EUR",
        "amount": 1000,
    } | changes
    return Expectation(**given)


def follow_up(**changes: Any) -> FollowUpResponse:
    given = {
        "id": "g1",
        "state": "Approved",
        "provider_state_code": "Captured",
        "currency_code": "EUR",
        "client_system_transaction_id": OURS,
    } | changes
    return FollowUpResponse.build(**given)


def record(**changes: Any) -> StatusRecord:
    given = {
        "id": "g1",
        "state": "Approved",
        "currency_code": "EUR",
        "transaction_amount": "10.00",
        "client_system_transaction_id": OURS,
        "type": "ecom.capture",
        "transaction_date_time": "2026-01-15T10:30:00.0000000",
    } | changes
    return StatusRecord.build(**given)
