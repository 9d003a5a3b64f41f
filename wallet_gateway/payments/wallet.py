"""The wallet button: its session, its sheet's price, its result, and the keys of what it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.views.decorators.debug import sensitive_variables

from wallet_gateway import gateways
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.domain.wallet_outcomes import WalletOutcome, outcome_of
from wallet_gateway.gateways import cipher, context_of, return_urls
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations.errors import WalletUnavailable
from wallet_gateway.operations.wallet import attempts as wallet_attempts
from wallet_gateway.operations.wallet import encryption_keys
from wallet_gateway.operations.wallet import events as wallet_events
from wallet_gateway.operations.wallet import pay as wallet_payment
from wallet_gateway.operations.wallet import session as wallet_session
from wallet_gateway.operations.wallet.encryption_keys import KeySurvey, KeyUse, Rotation
from wallet_gateway.operations.wallet.hooks import (
    AuthenticationQuestion,
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)
from wallet_gateway.operations.wallet.pricing import SheetPrice
from wallet_gateway.operations.wallet.session import WalletSession
from wallet_gateway.queries.wallet import WalletReceipt
from wallet_gateway.queries.wallet import wallet_receipt as receipt

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
    "WalletOutcome",
    "WalletPolicy",
    "WalletReceipt",
    "WalletSession",
    "next_reference",
    "note_event",
    "open_session",
    "outcome",
    "pay",
    "price_sheet",
    "receipt",
    "rotate_keys",
    "survey_keys",
]


@sensitive_variables()
def open_session(order: PaymentOrder, *, session: str, language: str = "") -> WalletSession:
    """Return what a page needs to show a wallet button for an order, bound to the customer's session.

    `session` is the session's key. The same order and session get the same attempt again until a result has
    come. Raises `WalletUnavailable`, and then the hosted page is still there, `SendingStopped` and
    `OrderNotPayable`.
    """
    context = context_of(order.gateway)
    return wallet_session.open_session(order=order, session=session, context=context, language=language)


def next_reference(order: PaymentOrder, *, session: str, after: str = "") -> str:
    """Return a reference for another card in a sheet that is open, after the first one was declined.

    `after` is the reference that the sheet had before; a shop that prices its sheets should say it, for a
    customer may have several open. Raises `InvalidInput`, `WalletUnavailable`, `SendingStopped`
    and `OrderNotPayable`.
    """
    context = context_of(order.gateway)
    return wallet_session.next_reference(order=order, session=session, context=context, after=after)


@sensitive_variables()
def price_sheet(
    order: PaymentOrder,
    *,
    reference: str,
    session: str,
    shipping_address: Mapping[str, Any] | None = None,
    shipping_option: str | None = None,
    offers: Sequence[str] = (),
) -> SheetPrice:
    """Price what the customer chose on the sheet, and remember it: this, and no other sum, is authorized.

    Raises `InvalidInput`.
    """
    return wallet_session.price_sheet_of(
        order=order,
        reference=reference,
        session=session,
        chosen={"address": shipping_address, "option": shipping_option, "offers": offers},
        context=context_of(order.gateway),
    )


@sensitive_variables()
def pay(order: PaymentOrder | str, *, session: str, detail: Mapping[str, Any]) -> Payment:
    """Charge the card of a sheet's result, `event.detail` as it is, once; ask `outcome` what then.

    `order` may be the token of one. A repeated result returns the payment as it stands. A failure of the
    sheet is noted and leaves the order payable. Raises `InvalidInput`,
    `InvalidState` after too many results, `OrderNotPayable`, `SendingStopped`, `WalletUnavailable`,
    `CardRefused`, `PriceChanged` and `TryAgain`; after each of them nothing was charged.
    """
    tried = wallet_attempts.load(order)
    return wallet_payment.pay_with_wallet(
        tried=tried,
        session=session,
        detail=detail,
        context=context_of(tried.order.gateway),
        return_urls=return_urls,
    )


def outcome(payment: Payment) -> WalletOutcome:
    """Say what a page does next after `pay`."""
    return outcome_of(TransactionState(payment.opening.state))


def note_event(
    order: PaymentOrder, *, reference: str, session: str, event: WalletEvent | str, message: str = ""
) -> None:
    """Keep what the browser reports, an error or a closed sheet, for the timeline; it decides nothing.

    Of one attempt the first twenty reports are kept, shortened and without card numbers. Raises
    `InvalidInput`, and ValueError for an event that there is not.
    """
    wallet_events.note_event(
        order=order,
        reference=reference,
        session=session,
        event=WalletEvent(event),
        message=message,
        clock=gateways.clock(),
    )


def rotate_keys() -> Rotation:
    """Encrypt every stored secret with the first of the `FERNET_KEYS`; may be interrupted and repeated.

    Raises `WalletUnavailable` where the settings have no keys.
    """
    newest = cipher()
    if newest is None:
        raise WalletUnavailable(ErrorCode.FERNET_KEYS_MISSING)
    return encryption_keys.rotate_keys(newest)


def survey_keys() -> KeySurvey:
    """Return how many stored secrets each of the `FERNET_KEYS` encrypts; changes nothing."""
    known = cipher()
    return encryption_keys.survey(known) if known is not None else KeySurvey(keys=(), unreadable=0)
