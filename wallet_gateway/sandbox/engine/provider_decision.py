"""What the provider makes of a transaction: its state and the provider's own word for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.follow_ups import DETACHED_REFUND_TYPE, FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.engine.calls import Twist
from wallet_gateway.sandbox.engine.special_amounts import SpecialAmount, special_amount
from wallet_gateway.sandbox.models import Outcome, RecordState

UNDOCUMENTED_STATE: Final = "Quarantined"
"""A state the interface does not name; whoever meets it must not take it for an end."""


class ProviderWord(StrEnum):
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
class Verdict:
    """A state with the provider's word for it."""

    state: str
    provider_state_code: str


PENDING: Final = Verdict(RecordState.PENDING, ProviderWord.PENDING)
REFUSED: Final = Verdict(RecordState.ERRORED, ProviderWord.REFUSED)
CANCELLED: Final = Verdict(RecordState.ERRORED, ProviderWord.CANCELLED)
FAILED: Final = Verdict(RecordState.ERRORED, ProviderWord.FAILED)
NOT_AUTHENTICATED: Final = Verdict(RecordState.ERRORED, ProviderWord.NOT_AUTHENTICATED)
ABANDONED: Final = Verdict(RecordState.ERRORED, ProviderWord.ABANDONED)
QUARANTINED: Final = Verdict(UNDOCUMENTED_STATE, ProviderWord.QUARANTINED)

_SUCCESS: Final[dict[str, ProviderWord]] = {
    CheckoutType.SALE: ProviderWord.CAPTURED,
    CheckoutType.PREAUTHORIZATION: ProviderWord.AUTHORIZED,
    AuthorizationType.PREAUTHORIZATION: ProviderWord.AUTHORIZED,
    FollowUpType.CAPTURE: ProviderWord.CAPTURED,
    FollowUpType.REFUND: ProviderWord.REFUNDED,
    FollowUpType.REVERSAL_PREAUTHORIZATION: ProviderWord.REVERSED,
    DETACHED_REFUND_TYPE: ProviderWord.REFUNDED,
}
_OF_SPECIAL_AMOUNT: Final[dict[SpecialAmount | None, Verdict]] = {
    SpecialAmount.REFUSED: REFUSED,
    SpecialAmount.PENDING: PENDING,
    SpecialAmount.ERRORED: FAILED,
}
_OF_TWIST: Final = {Twist.ERRORED: FAILED, Twist.UNDOCUMENTED: QUARANTINED}
_OF_OUTCOME: Final = {
    Outcome.PENDING: PENDING,
    Outcome.REFUSED: REFUSED,
    Outcome.CANCELLED: CANCELLED,
    Outcome.ERROR: FAILED,
}


def success_of(record_type: str) -> Verdict:
    """The verdict on a transaction that works."""
    return Verdict(RecordState.APPROVED, _SUCCESS[record_type])


def verdict_on_request(record_type: str, money: Money, twist: Twist) -> Verdict:
    """The verdict on a merchant's request: a fault decides before the amount does."""
    special = special_amount(money)
    return _OF_TWIST.get(twist) or _OF_SPECIAL_AMOUNT.get(special) or success_of(record_type)


def verdict_of_outcome(record_type: str, outcome: Outcome) -> Verdict:
    """The verdict a deciding outcome of the checkout page, or of settling, stands for."""
    return _OF_OUTCOME.get(outcome) or success_of(record_type)
