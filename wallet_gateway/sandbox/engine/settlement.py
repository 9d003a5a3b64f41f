"""What the provider does on its own, later: deciding what is pending."""

from __future__ import annotations

from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.provider_decision import verdict_of_outcome
from wallet_gateway.sandbox.engine.records import change_state
from wallet_gateway.sandbox.engine.refusals import NotPending
from wallet_gateway.sandbox.models import Outcome, RecordState, TransactionRecord
from wallet_gateway.sandbox.state import current_conditions
from wallet_gateway.sandbox.write_lock import one_writer

SETTLING = (Outcome.SUCCESS, Outcome.REFUSED, Outcome.ERROR)
"""The outcomes a pending transaction can have."""


def settle_pending(record: TransactionRecord, outcome: Outcome) -> None:
    """Decide a pending transaction; raises ``NotPending``."""
    with one_writer():
        record.refresh_from_db()
        if record.state != RecordState.PENDING:
            raise NotPending(f"The transaction {quote(record.reference)} is {record.state}.")
        change_state(record, verdict_of_outcome(record.type, outcome), now=current_conditions().now)
