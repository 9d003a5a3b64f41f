"""What was asked of the gateway, and the answers and records that it may give."""

from __future__ import annotations

from typing import Any

from wallet_gateway.domain.evidence import Expectation, ExpectedRecord
from wallet_gateway.protocol.status import StatusRecord, UnreadableRecord

OURS, SHARED = "REF-1", "ORIGINAL"


def expecting(**changes: Any) -> Expectation:
    """Return what a capture of 10.00 EUR expects, with changes."""
    given: dict[str, Any] = {
        "reference": OURS,
        "wire_type": "ecom.capture",
        "currency": "EUR",
        "amount": 1000,
    }
    return Expectation(**given | changes)


CAPTURE = expecting()
DETACHED = expecting(wire_type="detached.refund", may_be_less=True)


def sibling(**changes: Any) -> ExpectedRecord:
    """Return the record of another transaction of ours: a refund of 10.00 under the shared reference."""
    given: dict[str, Any] = {"references": frozenset({SHARED}), "wire_type": "ecom.refund", "amount": 1000}
    return ExpectedRecord(**given | changes)


def record(**changes: Any) -> StatusRecord:
    """Return the record of that capture, approved, with changes."""
    given = {
        "id": "g1",
        "state": "Approved",
        "currency_code": "EUR",
        "transaction_amount": "10.00",
        "client_system_transaction_id": OURS,
        "type": "ecom.capture",
        "transaction_date_time": "2026-01-15T10:30:00.0000000",
    }
    return StatusRecord.build(**given | changes)


def filed(**changes: Any) -> StatusRecord:
    """Return such a record under the reference that transactions share."""
    return record(**{"client_system_transaction_id": SHARED} | changes)


def unreadable(**changes: Any) -> UnreadableRecord:
    """Return a record of which nothing is known."""
    given: dict[str, Any] = dict.fromkeys(("id", "type", "client_system_transaction_id"))
    return UnreadableRecord(**given | {"complaint": "id: is missing", "fingerprint": "f1"} | changes)
