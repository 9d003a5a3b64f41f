"""The status update of one transaction, which every operation passes to `settle`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from wallet_gateway.client.exchange import Exchange
from wallet_gateway.domain.actors import NOBODY, Actor
from wallet_gateway.domain.explanations import Explanation
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionState
from wallet_gateway.domain.outcomes import INCONCLUSIVE, Finding
from wallet_gateway.models import TransactionEventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusUpdate:
    """A result or a decision about one transaction."""

    kind: TransactionEventKind
    event: LifecycleEvent | None = None
    """None if there is no state transition, for example when only the next query is scheduled."""
    finding: Finding = INCONCLUSIVE
    exchange: Exchange | None = None
    explanation: Explanation | None = None
    actor: Actor = NOBODY
    """Who decided; empty if nobody did."""
    attempt_no: int | None = None
    """The claim of the sender: one that has lost its claim must not record "nothing left"."""
    decided_on: TransactionState | None = None
    """The state that a person saw and decided on: the decision is valid for that state only."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of the transaction to write."""
    queried_in: TransactionState | None = None
    """The state at the time of the status query: `changes` are void if the state is another one now."""
    queried_since: datetime | None = None
    """When that state began: `changes` are void, too, if the transaction has left it and come back."""
    query_not_before: datetime | None = None
    """The earliest time of the next query, as requested by the gateway."""
    is_awaited: bool = False
    """Whether the call that made the operation is returning this result to its caller."""
    also: Callable[[], object] | None = None
    """A further write in the same database transaction, which may be repeated."""
    is_kept: bool = True
    """False to write no event for an update that changes nothing; a transition is always written."""
