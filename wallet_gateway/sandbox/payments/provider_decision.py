"""How the provider decides a transaction: by fault mode, by special amount, or by the customer's outcome.

Special amounts always have the same result, for people who test a shop by hand without control calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Final

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.follow_ups import DETACHED_REFUND_TYPE, FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.models import Outcome, RecordState
from wallet_gateway.sandbox.state import FaultMode


class SpecialAmount(Enum):
    """The special amounts in major units of any currency that has such an amount."""

    REFUSED = Decimal("6660.01")
    PENDING = Decimal("6660.02")
    ERRORED = Decimal("6660.03")
    SLOW = Decimal("6660.04")
    """The answer is slow; the result is normal."""


def special_amount(money: Money) -> SpecialAmount | None:
    """Return the special amount, or None for any other amount."""
    return _BY_VALUE.get(money.amount)


_BY_VALUE = {special.value: special for special in SpecialAmount}
UNDOCUMENTED_STATE: Final = "Quarantined"
"""A state that the interface does not define; a client must not treat it as final."""


class ProviderStateCode(StrEnum):
    """The values of ``providerStateCode``; the interface names only the first."""

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
    """A transaction's state and the provider's code for it."""

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
    """Return the decision for a successful transaction."""
    return ProviderDecision(RecordState.APPROVED, _SUCCESS[record_type])


def decide_request(record_type: str, money: Money, fault_mode: FaultMode) -> ProviderDecision:
    """Return the decision on a merchant's request; a fault mode takes precedence over a special amount."""
    special = special_amount(money)
    return _BY_FAULT_MODE.get(fault_mode) or _BY_SPECIAL_AMOUNT.get(special) or approval_of(record_type)


def decision_for_outcome(record_type: str, outcome: Outcome) -> ProviderDecision:
    """Return the decision that corresponds to an outcome of the checkout page or of settling."""
    return _BY_OUTCOME.get(outcome) or approval_of(record_type)
