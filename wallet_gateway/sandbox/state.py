"""What holds while a request is answered: the clock, and the behaviour where the interface is silent.

Both are one row of the database, so that they outlive a restart with the transactions they go with.

What every verb of the engine is given beside the request.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from wallet_gateway.sandbox.db_transactions import CachedValue, write_lock
from wallet_gateway.sandbox.models import DuplicatePolicy, LetterCase, Merchant, SandboxState, WalletMode

MAX_TIME: Final = datetime(2999, 1, 1, tzinfo=UTC)
"""Where the sandbox's clock ends; times beyond it are no use to anybody."""

_ONLY_ROW: Final = 1


class ClockLimitReached(ValueError):
    """The clock was to be moved farther than it goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """The answers a real gateway might give where the interface is silent."""

    duplicates: DuplicatePolicy
    """What happens to a request that arrives again word for word."""
    status_lag: timedelta
    """How far the status query is behind."""
    letter_case: LetterCase
    """How the names in answers are written."""
    numeric_amounts: bool
    """Whether answers carry amounts as numbers, also where the default is text."""
    share_references: bool
    """Whether a follow-up may carry its original's reference, once per type."""
    another_card: bool
    """Whether a checkout page can still be paid after a refused card or an error on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The moment, and the behaviour in force at it."""

    now: datetime
    behaviour: Behaviour


def current_conditions() -> Conditions:
    """Read the clock and the behaviour."""
    return _conditions_of(cached_state.get())


def advance_clock(by: timedelta) -> datetime:
    """Move the sandbox's clock forward and give its new time; raises ``ClockAtItsEnd``."""
    with write_lock():
        state = _state()
        if MAX_TIME - datetime.now(UTC) - state.clock_ahead < by:
            raise ClockLimitReached(f"The sandbox's clock ends at {MAX_TIME.isoformat()}; move it by less.")
        state.clock_ahead += by
        _save(state)
    return _conditions_of(state).now


def change_behaviour(changes: dict[str, Any]) -> Behaviour:
    """Change the fields of ``Behaviour`` that are named and give the behaviour in force."""
    with write_lock():
        state = _state()
        for name, value in changes.items():
            setattr(state, name, value)
        _save(state)
    return _conditions_of(state).behaviour


def wallet_mode() -> WalletMode:
    """Read how the emulated wallet is to behave in the browser."""
    return WalletMode(cached_state.get().wallet_mode)


def change_wallet_mode(mode: WalletMode) -> None:
    """Have the emulated wallet behave otherwise."""
    with write_lock():
        state = _state()
        state.wallet_mode = mode
        _save(state)


def _state() -> SandboxState:
    return SandboxState.objects.filter(pk=_ONLY_ROW).first() or SandboxState(pk=_ONLY_ROW)


def _save(state: SandboxState) -> None:
    state.save()
    cached_state.forget()


cached_state = CachedValue(_state)
"""The row, as long as nobody changes it."""


def _conditions_of(state: SandboxState) -> Conditions:
    return Conditions(
        now=datetime.now(UTC) + state.clock_ahead,
        behaviour=Behaviour(
            duplicates=DuplicatePolicy(state.duplicates),
            status_lag=state.status_lag,
            letter_case=LetterCase(state.letter_case),
            numeric_amounts=state.numeric_amounts,
            share_references=state.share_references,
            another_card=state.another_card,
        ),
    )


class FaultMode(StrEnum):
    """How a request is to go wrong while it is processed to the end."""

    NONE = "none"
    ERRORED = "errored"
    """The provider fails."""
    UNDOCUMENTED = "undocumented_state"
    """The provider leaves it in a state the interface does not know."""
    PARTIAL = "partial"
    """The provider gives back less than asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """One request's circumstances: whose it is, what holds, and how it is to go wrong."""

    merchant: Merchant
    conditions: Conditions
    base_url: str
    """Where the caller reached the gateway, without a trailing slash."""
    fault_mode: FaultMode = FaultMode.NONE
