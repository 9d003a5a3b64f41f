"""One piece of news about one transaction, as every operation hands it to be settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from wallet_gateway.client.exchange import Exchange
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionState
from wallet_gateway.domain.outcomes import NO_NEWS, Finding
from wallet_gateway.models import TransactionEventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusUpdate:
    """What was learned, or decided, about one transaction."""

    kind: TransactionEventKind
    event: LifecycleEvent | None = None
    """None when it moves nothing, be it only known now when to ask again."""
    finding: Finding = NO_NEWS
    exchange: Exchange | None = None
    detail: str = ""
    by: str = ""
    attempt_no: int | None = None
    """The claim under which it was learned: a sender that lost its claim must not say "nothing left"."""
    decided_on: TransactionState | None = None
    """The state that a person saw and decided on: the decision holds for that one and for no other."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of the transaction that go with it."""
    asked_in: TransactionState | None = None
    """The state in which the gateway was asked: `changes` are made for that one, and void in any other."""
    ask_not_before: datetime | None = None
    """When the gateway, by its own word, wants to be asked again."""
    also: Callable[[], object] | None = None
    """What else is written in the same transaction, which may be run again."""
    is_kept: bool = True
    """False for what is no news; what moves a transaction is kept in any case."""
