"""Amounts that always do the same, for people who click through a shop without a test's control calls.

What the provider makes of a transaction: its state and the provider's own word for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Final

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.detached_refunds import DETACHED_REFUND_TYPE
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.models import Outcome, RecordState
from wallet_gateway.sandbox.state import FaultMode


class SpecialAmount(Enum):
    """The special amounts in major units, in whatever currency has such an amount; no other is special."""

    REFUSED = Decimal("6660.01")
    PENDING = Decimal("6660.02")
    ERRORED = Decimal("6660.03")
    SLOW = Decimal("6660.04")
    """The answer takes its time; nothing else is unusual."""


def special_amount(money: Money) -> SpecialAmount | None:
    """Tell whether, and how, an amount is special."""
    return _BY_VALUE.get(money.amount)


_BY_VALUE = {special.value: special for special in SpecialAmount}


UNDOCUMENTED_STATE: Final = "Quarantined"
"""A state the interface does not name; whoever meets it must not take it for an end."""


class ProviderStateCode(StrEnum):
    """The values of ``providerStateCode``; the interface prints the first, the others are the sandbox's."""

    CAPTURED = "CapturedByProvider"
    AUTHORIZED = "AuthorizedByProvider"
    REFUNDED = "RefundedByProvider"
    REVERSED = "ReversedByProvider"
    PENDING = "PendingAtProvider"
    REFUSED = "RefusedByProvider"
    CANCELLED = "CancelledByCustomer"
    FAILED = "FailedAtProvider"
    NOT_AUTHENTICATED = "NotAuthenticated"
    ABANDONED = "AbandonedByCustomer"
    QUARANTINED = "QuarantinedByProvider"


@dataclass(frozen=True, slots=True)
class ProviderDecision:
    """A state with the provider's word for it."""

    state: str
    provider_state_code: str


PENDING: Final = ProviderDecision(RecordState.PENDING, ProviderStateCode.PENDING)
REFUSED: Final = ProviderDecision(RecordState.ERRORED, ProviderStateCode.REFUSED)
CANCELLED: Final = ProviderDecision(RecordState.ERRORED, ProviderStateCode.CANCELLED)
FAILED: Final = ProviderDecision(RecordState.ERRORED, ProviderStateCode.FAILED)
NOT_AUTHENTICATED: Final = ProviderDecision(RecordState.ERRORED, ProviderStateCode.NOT_AUTHENTICATED)
ABANDONED: Final = ProviderDecision(RecordState.ERRORED, ProviderStateCode.ABANDONED)
QUARANTINED: Final = ProviderDecision(UNDOCUMENTED_STATE, ProviderStateCode.QUARANTINED)

_SUCCESS: Final[dict[str, ProviderStateCode]] = {
    CheckoutType.SALE: ProviderStateCode.CAPTURED,
    CheckoutType.PREAUTHORIZATION: ProviderStateCode.AUTHORIZED,
    AuthorizationType.PREAUTHORIZATION: ProviderStateCode.AUTHORIZED,
    FollowUpType.CAPTURE: ProviderStateCode.CAPTURED,
    FollowUpType.REFUND: ProviderStateCode.REFUNDED,
    FollowUpType.REVERSAL_PREAUTHORIZATION: ProviderStateCode.REVERSED,
    DETACHED_REFUND_TYPE: ProviderStateCode.REFUNDED,
}
_BY_SPECIAL_AMOUNT: Final[dict[SpecialAmount | None, ProviderDecision]] = {
    SpecialAmount.REFUSED: REFUSED,
    SpecialAmount.PENDING: PENDING,
    SpecialAmount.ERRORED: FAILED,
}
_BY_FAULT_MODE: Final = {FaultMode.ERRORED: FAILED, FaultMode.UNDOCUMENTED: QUARANTINED}
_BY_OUTCOME: Final = {
    Outcome.PENDING: PENDING,
    Outcome.REFUSED: REFUSED,
    Outcome.CANCELLED: CANCELLED,
    Outcome.ERROR: FAILED,
}


def approval_of(record_type: str) -> ProviderDecision:
    """The verdict on a transaction that works."""
    return ProviderDecision(RecordState.APPROVED, _SUCCESS[record_type])


def decide_request(record_type: str, money: Money, fault_mode: FaultMode) -> ProviderDecision:
    """The verdict on a merchant's request: a fault decides before the amount does."""
    special = special_amount(money)
    return _BY_FAULT_MODE.get(fault_mode) or _BY_SPECIAL_AMOUNT.get(special) or approval_of(record_type)


def decision_for_outcome(record_type: str, outcome: Outcome) -> ProviderDecision:
    """The verdict a deciding outcome of the checkout page, or of settling, stands for."""
    return _BY_OUTCOME.get(outcome) or approval_of(record_type)
