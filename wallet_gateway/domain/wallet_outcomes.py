"""What a page does next after the wallet's sheet, by the state of the authorization."""

from __future__ import annotations

from enum import StrEnum

from wallet_gateway.domain.states import TransactionState


class WalletOutcome(StrEnum):
    """The result of a wallet payment, as shown to the customer."""

    APPROVED = "APPROVED"
    """The card was charged, or its amount is reserved."""
    DECLINED = "DECLINED"
    """The gateway refused it; another card may work, with a new reference."""
    CHECKING = "CHECKING"
    """The result is not known yet: the customer must not pay again."""
    THREE_D_SECURE = "THREE_D_SECURE"
    """Send the customer to the payment's `redirect_url`."""
    TRY_AGAIN = "TRY_AGAIN"
    """Nothing was charged and nothing will be; the button may be pressed again."""


_S = TransactionState
_BY_STATE = {
    _S.APPROVED: WalletOutcome.APPROVED,
    _S.REJECTED: WalletOutcome.DECLINED,
    _S.AWAITING_3DS: WalletOutcome.THREE_D_SECURE,
    _S.AWAITING_RESULT: WalletOutcome.TRY_AGAIN,
    _S.EXPIRED: WalletOutcome.TRY_AGAIN,
    _S.ABANDONED: WalletOutcome.TRY_AGAIN,
}


def outcome_of(state: TransactionState) -> WalletOutcome:
    """Return what a state means for the page; a state that is not clearly final is still being checked."""
    return _BY_STATE.get(state, WalletOutcome.CHECKING)
