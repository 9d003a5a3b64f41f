"""The conditions under which a request is answered: clock, configured behaviour, merchant and fault mode.

Clock and behaviour are one database row, so that they survive a restart together with the transactions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from wallet_gateway.sandbox.db_transactions import CachedValue, write_lock
from wallet_gateway.sandbox.models import (
    BillingAddressRule,
    DuplicatePolicy,
    LetterCase,
    Merchant,
    PlaceholderId,
    PortalReference,
    SandboxState,
    WalletMode,
)

MAX_TIME: Final = datetime(2999, 1, 1, tzinfo=UTC)
"""The latest time of the sandbox's clock."""

_ONLY_ROW: Final = 1


class ClockLimitReached(ValueError):
    """The clock cannot be set to that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Configurable answers where the interface leaves them open."""

    duplicates: DuplicatePolicy
    """How a request is answered that repeats an earlier one exactly."""
    status_lag: timedelta
    """How long the status query does not yet report a change."""
    letter_case: LetterCase
    """Letter case of the field names in answers."""
    numeric_amounts: bool
    """Whether answers carry amounts as numbers where the default is text."""
    share_references: bool
    """Whether a follow-up may carry its original's reference, once per type."""
    another_card: bool
    """Whether a checkout remains open after a refused card or an error."""
    billing_address: BillingAddressRule
    """Whether a checkout needs a billing address."""
    errored_amount: str
    """The amount of errored records: ``requested``, ``null``, or digits."""
    placeholder_ids: PlaceholderId
    """What records that are not approved carry in place of their id."""
    state_words: dict[str, str]
    """Other words for documented states."""
    portal_references: PortalReference
    """The reference of follow-ups that are made in the provider's portal."""
    newest_first: bool
    """Whether the status query lists the newest record first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The time and the behaviour of one request."""

    now: datetime
    behaviour: Behaviour


class FaultMode(StrEnum):
    """How processing a request goes wrong."""

    NONE = "none"
    ERRORED = "errored"
    """The provider fails."""
    UNDOCUMENTED = "undocumented_state"
    """The transaction gets a state that the interface does not define."""
    PARTIAL = "partial"
    """The provider refunds less than requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """The merchant and conditions of one request, and how it is to fail."""

    merchant: Merchant
    conditions: Conditions
    base_url: str
    """Scheme and host under which the caller reached the gateway; the path of a page goes behind it."""
    fault_mode: FaultMode = FaultMode.NONE


def current_conditions() -> Conditions:
    """Return the current time and behaviour."""
    return _conditions_of(cached_state.get())


def advance_clock(by: timedelta) -> datetime:
    """Advance the sandbox's clock and return the new time; raises ``ClockLimitReached``."""
    with write_lock():
        state = _state()
        if MAX_TIME - datetime.now(UTC) - state.clock_ahead < by:
            raise ClockLimitReached(f"The sandbox's clock ends at {MAX_TIME.isoformat()}; move it by less.")
        state.clock_ahead += by
        _save(state)
    return _conditions_of(state).now


def set_clock(to: datetime) -> datetime:
    """Set the sandbox's clock and return the new time; raises ``ClockLimitReached``."""
    ahead = to - datetime.now(UTC)
    if ahead < timedelta() or to > MAX_TIME:
        raise ClockLimitReached(
            f"The sandbox's clock runs from the machine's time to {MAX_TIME.isoformat()}; it cannot be set "
            f"to {to.isoformat()}."
        )
    return _conditions_of(_change(clock_ahead=ahead)).now


def reset_clock() -> datetime:
    """Set the sandbox's clock back to the machine's and return the time."""
    return _conditions_of(_change(clock_ahead=timedelta())).now


def change_behaviour(changes: dict[str, Any]) -> Behaviour:
    """Change the given fields of ``Behaviour`` and return the new behaviour."""
    return _conditions_of(_change(**changes)).behaviour


def wallet_mode() -> WalletMode:
    """Return how the emulated wallet behaves in the browser."""
    return WalletMode(cached_state.get().wallet_mode)


def change_wallet_mode(mode: WalletMode) -> None:
    """Change how the emulated wallet behaves in the browser."""
    _change(wallet_mode=mode)


def _state() -> SandboxState:
    return SandboxState.objects.filter(pk=_ONLY_ROW).first() or SandboxState(pk=_ONLY_ROW)


def _change(**values: Any) -> SandboxState:
    """Set columns of the row of state and return it as it is now."""
    with write_lock():
        state = _state()
        for name, value in values.items():
            setattr(state, name, value)
        _save(state)
    return state


def _save(state: SandboxState) -> None:
    state.save()
    cached_state.invalidate()


cached_state = CachedValue(_state)
"""The row of state."""


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
            billing_address=BillingAddressRule(state.billing_address),
            errored_amount=state.errored_amount,
            placeholder_ids=PlaceholderId(state.placeholder_ids),
            state_words=state.state_words,
            portal_references=PortalReference(state.portal_references),
            newest_first=state.newest_first,
        ),
    )
