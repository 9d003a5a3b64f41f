"""Status records of a type that the interface does not name, such as a chargeback.

Such a record decides nothing about our transactions. It is not absence either: the gateway knows the
reference. A person has to find out what it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.protocol.endpoints import WIRE_TYPES
from wallet_gateway.protocol.status import RecordState, StatusRecord

KNOWN_TYPES = frozenset(wire_type.lower() for wire_type in WIRE_TYPES.values())
"""The types that the interface names, in the normalized letter case."""


def of_unknown_type(records: Sequence[StatusRecord], references: Collection[str]) -> tuple[StatusRecord, ...]:
    """Return the records under these references whose type is unknown; an errored one changed nothing."""
    return tuple(record for record in records if _concerns(record, references))


def has_known_type(record: StatusRecord) -> bool:
    """Return whether the interface names the record's type; the letter case does not matter."""
    return record.type.lower() in KNOWN_TYPES


def unknown_type_explanation(record: StatusRecord) -> Explanation:
    """Return the description of a record of an unknown type."""
    return explain(
        ExplanationCode.UNKNOWN_TYPE,
        type=record.type,
        state=record.state,
        given=str(record.transaction_amount),
        currency=record.currency_code,
        record=record.id,
    )


def _concerns(record: StatusRecord, references: Collection[str]) -> bool:
    return (
        not has_known_type(record)
        and record.known_state is not RecordState.ERRORED
        and record.client_system_transaction_id in references
    )
