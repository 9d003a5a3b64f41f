"""The wallet button: its session, its sheet's price, its result, and the keys that encrypt its secrets."""

from __future__ import annotations

from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits
from wallet_gateway.domain.wallet_outcomes import WalletOutcome, outcome_of
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import ciphers
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations.wallet import encryption_keys
from wallet_gateway.operations.wallet.encryption_keys import KeySurvey, KeyUse, Rotation
from wallet_gateway.operations.wallet.hooks import (
    AuthenticationQuestion,
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)
from wallet_gateway.payments.wallet_attempts import abandon, record_event
from wallet_gateway.payments.wallet_card import pay
from wallet_gateway.payments.wallet_limits import check_open, raise_limits
from wallet_gateway.payments.wallet_pricing import SheetPrice
from wallet_gateway.payments.wallet_session import WalletSession, next_reference, open_session, price_sheet
from wallet_gateway.reports.receipts import WalletReceipt, wallet_receipt

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
def receipt(order: PaymentOrder) -> WalletReceipt | None:
    """Return the wallet data of the card that pays an order.

    :param order: any order.
    :returns: network, last digits, amount and what the sheet was asked for; None if no wallet card pays it.
        One SQL statement.
    """
    return wallet_receipt(order)


@sensitive_variables()
def outcome(payment: Payment) -> WalletOutcome:
    """Return how a page continues after `pay`.

    :param payment: what `pay` returned.
    :returns: one of `WalletOutcome`; with `THREE_D_SECURE` send the customer to `payment.redirect_url`.
    """
    return outcome_of(TransactionState(payment.opening.state))


@sensitive_variables()
def rotate_keys() -> Rotation:
    """Encrypt every stored secret with the first of its gateway's `FERNET_KEYS`, or of the shop's.

    E-mail addresses, by which orders are found, are hashed again under the first of the shop's keys, or under
    `SECRET_KEY` without any. It may be interrupted and repeated.

    :returns: how many were encrypted or hashed anew, how many are left, and how many cannot be read.
    """
    return encryption_keys.rotate_keys(ciphers())


@sensitive_variables()
def survey_keys() -> KeySurvey:
    """Return how many stored secrets each of the `FERNET_KEYS` encrypts; changes nothing.

    :returns: the use of each key by its fingerprint, and what none of them opens.
    """
    known = ciphers()
    if known.shop is None and not known.of_gateways:
        return KeySurvey(keys=(), unreadable=0)
    return encryption_keys.survey(known)
