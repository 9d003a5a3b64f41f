"""How this gateway writes the state, id and amount of a transaction, where the interface leaves it open.

Rows keep the documented state, the id and the amount, by which the rules go; answers and status records are
written as the configured behaviour says.
"""

from __future__ import annotations

from typing import Final

from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.sandbox.models import (
    AMOUNT_AS_REQUESTED,
    NO_AMOUNT,
    PlaceholderId,
    RecordState,
    SandboxState,
    TransactionRecord,
)

_PLACEHOLDERS: Final[dict[str, str]] = {
    PlaceholderId.ZEROS: "00000000-0000-0000-0000-000000000000",
    PlaceholderId.ZERO: "0",
    PlaceholderId.EMPTY: "",
}


def written_state(state: str, behaviour: SandboxState) -> str:
    """Return the word for a state."""
    word: str = behaviour.state_words.get(state, state)
    return word


def written_id(record: TransactionRecord, state: str, behaviour: SandboxState) -> str:
    """Return the id of a transaction in this state; an approved one always has its own."""
    if state == RecordState.APPROVED:
        return record.record_id
    return _PLACEHOLDERS.get(behaviour.placeholder_ids, record.record_id)


def written_amount(record: TransactionRecord, state: str, behaviour: SandboxState) -> NumberText | None:
    """Return the amount in the status record of a transaction in this state."""
    if state != RecordState.ERRORED or behaviour.errored_amount == AMOUNT_AS_REQUESTED:
        return NumberText(record.amount.to_wire())
    return None if behaviour.errored_amount == NO_AMOUNT else NumberText(behaviour.errored_amount)
