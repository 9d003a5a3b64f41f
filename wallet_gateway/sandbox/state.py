"""The conditions under which a request is answered: clock, configured behaviour, merchant and fault mode.

Clock and behaviour are one database row, so that they survive a restart together with the transactions.
Also the sandbox's only database transactions: SQLite allows one writer, and other writers poll for their
turn; a lock of this process passes the turn on at once. The lock also keeps each check valid until the row
that relies on it is written, so that two requests cannot spend the same money.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import transaction as db_transaction

from wallet_gateway.sandbox.models import FaultKind, Merchant, SandboxState, WalletMode

_turn = threading.RLock()


@contextmanager
def write_lock() -> Iterator[None]:
    """Run the block as one database transaction while no other thread writes."""
    with _turn, db_transaction.atomic():
        yield


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The time and the behaviour of one request."""

    now: datetime
    behaviour: SandboxState


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """The merchant and conditions of one request, and how it is to fail."""

    merchant: Merchant
    conditions: Conditions
    base_url: str
    """Scheme and host under which the caller reached the gateway; the path of a page goes behind it."""
    fault: FaultKind | None = None
    """A fault that changes how the request is processed."""


def current_conditions() -> Conditions:
    """Return the current time and behaviour."""
    behaviour = SandboxState.objects.get()
    return Conditions(now=datetime.now(UTC) + behaviour.clock_ahead, behaviour=behaviour)


def change_behaviour(changes: Mapping[str, Any]) -> Conditions:
    """Change the given fields of clock and behaviour and return the new conditions."""
    with write_lock():
        # An update without values executes no statement.
        SandboxState.objects.update(**changes)
        return current_conditions()


def wallet_mode() -> WalletMode:
    """Return how the emulated wallet behaves in the browser."""
    return WalletMode(SandboxState.objects.get().wallet_mode)
