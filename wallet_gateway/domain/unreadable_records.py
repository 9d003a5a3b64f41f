"""Unreadable records of a status query: which may belong to a transaction, and how they are described.

Such a record is neither evidence nor absence: it may be an approval, or the second execution beside one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.record_attribution import Expectation
from wallet_gateway.protocol.status import UnreadableRecord
from wallet_gateway.protocol.text import quote


def concerning(records: Sequence[UnreadableRecord], expected: Expectation) -> tuple[UnreadableRecord, ...]:
    """Return the records that may belong to our payment and are not known to be another transaction's."""
    return tuple(record for record in records if _concerns(record, expected))


def may_be_own(record: UnreadableRecord, expected: Expectation) -> bool:
    """Return whether a record of our payment may be this transaction's: unknown fields may match."""
    if _folded_type(record) not in {"", expected.wire_type}:
        return False
    if record.client_system_transaction_id not in expected.other_references:
        return True
    return expected.reported_id in {"", record.id}


def is_surely_own(record: UnreadableRecord, expected: Expectation) -> bool:
    """Return whether a record names this transaction's reference, or stands for records that were not read.

    Of what is not read, nobody can say that the transaction has no record.
    """
    names_it = record.client_system_transaction_id == expected.reference
    return record.is_rest or (names_it and may_be_own(record, expected))


def unreadable_explanation(records: Sequence[UnreadableRecord]) -> Explanation:
    """Return how many records cannot be read, with the first of them and what is wrong with each."""
    named = [_named(record) for record in records]
    return explain(ExplanationCode.RECORDS_UNREADABLE, count=len(records), records=named)


def fingerprint_of(records: Sequence[UnreadableRecord]) -> str:
    """Return the same short text for the same records, regardless of their order and repetition."""
    seen = ",".join(sorted({record.fingerprint for record in records}))
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


def _concerns(record: UnreadableRecord, expected: Expectation) -> bool:
    reference, record_type = record.client_system_transaction_id, _folded_type(record)
    if reference is not None and reference not in {expected.reference} | expected.other_references:
        return False
    if (record.id or "", record_type) in expected.taken:
        return False
    siblings = expected.expected_elsewhere
    return not any(reference in one.references and record_type == one.wire_type for one in siblings)


def _folded_type(record: UnreadableRecord) -> str:
    return (record.type or "").lower()


def _named(record: UnreadableRecord) -> dict[str, str]:
    type_, id_ = (quote(text) if text else "" for text in (record.type, record.id))
    return {"type": type_, "id": id_, "fault": record.complaint}
