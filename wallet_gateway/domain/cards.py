"""The card of a wallet button: its name, when 3-D Secure is required, what a page does next. Pure."""

from __future__ import annotations

from enum import StrEnum

from wallet_gateway.domain.error_codes import gettext_noop as _
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.protocol.accounts import CardNetwork, CardType
from wallet_gateway.protocol.authorizations import AuthenticationStatus, ThreeDSecure

# Its name


_NETWORKS = {
    "VISA": "Visa",
    "MASTERCARD": "Mastercard",
    "AMEX": "American Express",
    "DISCOVER": "Discover",
    "JCB": "JCB",
}
"""The networks of the interface, as they write themselves; the same in every language."""


def network_name(network: str) -> str:
    """Return a network as it writes itself, such as `Visa`; an unknown one as it was told."""
    return _NETWORKS.get(network.upper(), network)


def card_name(network: str, last_four: str) -> str:
    """Return `Visa •••• 1111`; either part may be missing, and without both the name is empty."""
    name = network_name(network)
    return f"{name} •••• {last_four}".strip() if last_four else name


# When 3-D Secure is required before a card is charged, and whether its result is sufficient. The payment
# account determines the type of card, never the page. Codes are those of EMV 3-D Secure: a `transStatus` of
# one letter, and an indicator (ECI) of two digits that each card network numbers differently.


class AuthenticationRequirement(StrEnum):
    """The step required before the card is charged."""

    NOTHING = "NOTHING"
    """The card's cryptogram is the proof."""
    REDIRECT = "REDIRECT"
    """The gateway leads the customer through 3-D Secure after the authorization request."""
    EXTERNAL = "EXTERNAL"
    """The shop's own authenticator supplies the result before the authorization request."""


class CardMismatch(ValueError):
    """The account and the data from the page do not match; nothing may be sent. It says why, in English."""


def duty_of(card_type: CardType, *, has_cryptogram: bool, external: bool) -> AuthenticationRequirement:
    """Return the authentication that a card of this type requires; raises `CardMismatch`.

    `external` means that the shop has its own authenticator.
    """
    if card_type is CardType.TOKEN:
        if not has_cryptogram:
            raise CardMismatch(_("The cryptogram of a tokenized card is missing."))
        return AuthenticationRequirement.NOTHING
    if has_cryptogram:
        raise CardMismatch(_("The card is not tokenized but came with a cryptogram."))
    return AuthenticationRequirement.EXTERNAL if external else AuthenticationRequirement.REDIRECT


_S = AuthenticationStatus
_ECI_OF_MOST = {_S.AUTHENTICATED: "05", _S.ATTEMPTED: "06", _S.UNAVAILABLE: "07"}
_ECI_OF_MASTERCARD = {_S.AUTHENTICATED: "02", _S.ATTEMPTED: "01", _S.UNAVAILABLE: "00"}
_WITHOUT_PROOF = frozenset({_S.UNAVAILABLE, _S.INFORMATIONAL})
_REFUSALS = {
    _S.NOT_AUTHENTICATED: _("3-D Secure failed: the customer was not authenticated."),
    _S.REJECTED: _("3-D Secure failed: the card's issuer rejected it."),
    _S.CHALLENGE: _("3-D Secure is not finished: the customer must be challenged."),
}


def why_not_charge(result: ThreeDSecure, *, network: str, accept_unauthenticated: bool) -> str | None:
    """Return the rule that forbids charging a card after this 3-D Secure result, in English; None if allowed.

    `network` is empty if the gateway does not name it. `accept_unauthenticated` is the shop's policy for
    unavailable 3-D Secure: the shop then bears the risk.
    """
    status = result.transaction_status
    if status in _REFUSALS:
        return _REFUSALS[status]
    if status in _WITHOUT_PROOF and not accept_unauthenticated:
        return _("3-D Secure gave no proof (status %(status)s). The settings require one.")
    if status in _ECI_OF_MOST:
        # The network's own indicator for this result; any network's if it is unknown.
        tables = [_ECI_OF_MOST, _ECI_OF_MASTERCARD]
        if network:
            is_mastercard = network.upper() == CardNetwork.MASTERCARD
            tables = [_ECI_OF_MASTERCARD if is_mastercard else _ECI_OF_MOST]
        if result.eci.zfill(2) not in {table[status] for table in tables}:
            return _("The ECI %(eci)s does not fit the 3-D Secure status %(status)s of %(network)s.")
    return None


# What a page does next after the wallet's sheet, by the state of the authorization


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


_BY_STATE = {
    TransactionState.APPROVED: WalletOutcome.APPROVED,
    TransactionState.REJECTED: WalletOutcome.DECLINED,
    TransactionState.AWAITING_3DS: WalletOutcome.THREE_D_SECURE,
    TransactionState.AWAITING_RESULT: WalletOutcome.TRY_AGAIN,
    TransactionState.EXPIRED: WalletOutcome.TRY_AGAIN,
    TransactionState.ABANDONED: WalletOutcome.TRY_AGAIN,
}


def outcome_of(state: TransactionState) -> WalletOutcome:
    """Return what a state means for the page; a state that is not clearly final is still being checked."""
    return _BY_STATE.get(state, WalletOutcome.CHECKING)
