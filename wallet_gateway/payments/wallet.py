"""The wallet button: its session, its sheet's price, its result, and the keys that encrypt its secrets."""

from __future__ import annotations

from wallet_gateway.domain.cards import WalletOutcome, outcome_of
from wallet_gateway.domain.policy import WalletLimit, WalletLimits, WalletPolicy
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import Payment
from wallet_gateway.models.transactions import WalletEvent
from wallet_gateway.payments.key_rotation import KeySurvey, KeyUse, Rotation, rotate_keys, survey_keys
from wallet_gateway.payments.wallet_attempts import abandon
from wallet_gateway.payments.wallet_card import pay
from wallet_gateway.payments.wallet_limits import check_open, raise_limits
from wallet_gateway.payments.wallet_pricing import SheetPrice
from wallet_gateway.payments.wallet_session import (
    WalletSession,
    next_reference,
    open_session,
    price_sheet,
    record_event,
)
from wallet_gateway.reports.receipts import WalletReceipt
from wallet_gateway.reports.receipts import wallet_receipt as receipt
from wallet_gateway.wallet_hooks import (
    AuthenticationQuestion,
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)

__all__ = [
    "AuthenticationQuestion",
    "KeySurvey",
    "KeyUse",
    "Rotation",
    "SheetDiscount",
    "SheetFault",
    "SheetPrice",
    "SheetPricing",
    "SheetQuestion",
    "ShippingOption",
    "WalletEvent",
    "WalletLimit",
    "WalletLimits",
    "WalletOutcome",
    "WalletPolicy",
    "WalletReceipt",
    "WalletSession",
    "abandon",
    "check_open",
    "next_reference",
    "open_session",
    "outcome",
    "pay",
    "price_sheet",
    "raise_limits",
    "receipt",
    "record_event",
    "rotate_keys",
    "survey_keys",
]


@sensitive_variables()
def outcome(payment: Payment) -> WalletOutcome:
    """Return how a page continues after `pay`.

    :param payment: what `pay` returned.
    :returns: one of `WalletOutcome`; with `THREE_D_SECURE` send the customer to `payment.redirect_url`.
    """
    return outcome_of(TransactionState(payment.opening.state))
