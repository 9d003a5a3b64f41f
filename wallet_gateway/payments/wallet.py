"""The wallet button: its session, its sheet's price, its result, and the keys that encrypt its secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import Secret

from wallet_gateway import gateways
from wallet_gateway.domain.actors import By
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits
from wallet_gateway.domain.wallet_outcomes import WalletOutcome, outcome_of
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import ciphers, context_of, return_urls
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations.argument_types import check_order, check_type
from wallet_gateway.operations.errors import InvalidInput, WalletUnavailable
from wallet_gateway.operations.settlement.db_transactions import check_outside_transaction
from wallet_gateway.operations.wallet import attempts as wallet_attempts
from wallet_gateway.operations.wallet import encryption_keys
from wallet_gateway.operations.wallet import events as wallet_events
from wallet_gateway.operations.wallet import limits as wallet_limits
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
from wallet_gateway.queries.wallet import WalletReceipt, wallet_receipt

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
def open_session(order: PaymentOrder, *, session: str, language: str = "") -> WalletSession:
    """Return the data for a page with a wallet button for an order, bound to the customer's session.

    `session` is the session's key. The same order and session get the same attempt until a result has
    come. Raises `WalletUnavailable` (the hosted page can still be used; the code says whether a limit has
    closed the button), `SendingStopped` and `OrderNotPayable`.
    """
    check_outside_transaction("payments.wallet.open_session")
    check_order(order)
    context = context_of(order.gateway)
    return wallet_session.open_session(order=order, session=session, context=context, language=language)


@sensitive_variables()
def check_open(order: PaymentOrder) -> None:
    """Raise `WalletUnavailable` if a limit has closed the order's button, as the row was read.

    `open_session` checks it, too; call this before a customer's session is created for it.
    """
    check_order(order)
    wallet_limits.check_open(order)


@sensitive_variables()
def raise_limits(order: PaymentOrder, *, by: By, reason: str) -> PaymentOrder:
    """Open an order's button that a limit has closed, and add each limit once more in full.

    `by` is the person who decided it; both texts are stored in the order's timeline. Raises `InvalidInput`
    without one of them, and `InvalidState` if no limit has closed the button.
    """
    check_outside_transaction("payments.wallet.raise_limits")
    check_order(order)
    return wallet_limits.raise_limits(order=order, by=by, reason=reason, clock=gateways.clock())


@sensitive_variables()
def next_reference(order: PaymentOrder, *, session: str, after: str = "") -> str:
    """Return a reference for another card in a sheet that is open, after the first one was declined.

    `after` is the previous reference of the sheet; a shop with its own pricing should pass it, because a
    customer may have several sheets open. Raises `InvalidInput`, `WalletUnavailable`, `SendingStopped`
    and `OrderNotPayable`.
    """
    check_outside_transaction("payments.wallet.next_reference")
    check_order(order)
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
    """Price the customer's choices on the sheet and store the price: only this amount is authorized.

    Raises `InvalidInput`, and `WalletUnavailable` after too many prices or discount codes of the order.
    """
    check_outside_transaction("payments.wallet.price_sheet")
    check_order(order)
    return wallet_session.price_sheet_of(
        order=order,
        reference=reference,
        session=session,
        chosen={"address": shipping_address, "option": shipping_option, "offers": offers},
        context=context_of(order.gateway),
    )


@sensitive_variables()
def pay(
    order: PaymentOrder | str, *, session: str, detail: Mapping[str, Any] | Secret[dict[str, Any]]
) -> Payment:
    """Charge the card of a sheet's result once; `detail` is the unchanged `event.detail`.

    It may be wrapped in pydantic's `Secret`, which shows it to nobody. `order` may be an order's token. A
    repeated result returns the payment in its current state. A failure of the sheet is recorded and leaves
    the order payable. `outcome` says how the page continues.

    Raises `InvalidInput`, `InvalidState` after too many results, `OrderNotPayable`, `SendingStopped`,
    `WalletUnavailable`, `CardRefused`, `PriceChanged` and `TryAgain`; after each of them nothing was charged.
    """
    check_outside_transaction("payments.wallet.pay")
    if not isinstance(order, str):
        check_order(order)
    tried = wallet_attempts.load(order)
    return wallet_payment.pay_with_wallet(
        tried=tried,
        session=session,
        detail=detail,
        context=context_of(tried.order.gateway),
        return_urls=partial(return_urls, gateway=tried.order.gateway),
    )


@sensitive_variables()
def receipt(order: PaymentOrder) -> WalletReceipt | None:
    """Return the wallet data of the card that pays an order; None if no card does. One SQL statement."""
    check_order(order)
    return wallet_receipt(order)


@sensitive_variables()
def outcome(payment: Payment) -> WalletOutcome:
    """Return how a page continues after `pay`."""
    check_type("payment", payment, Payment)
    return outcome_of(TransactionState(payment.opening.state))


@sensitive_variables()
def record_event(
    order: PaymentOrder, *, reference: str, session: str, event: WalletEvent | str, message: str = ""
) -> None:
    """Store an event reported by the browser, such as a closed sheet, for the timeline; it decides nothing.

    The first twenty events of an attempt and 200 of an order are stored, shortened and without card numbers.
    Raises `InvalidInput`.
    """
    check_outside_transaction("payments.wallet.record_event")
    check_order(order)
    wallet_events.record_event(
        order=order,
        reference=reference,
        session=session,
        event=_event(event),
        message=message,
        clock=gateways.clock(),
    )


def _event(given: WalletEvent | str) -> WalletEvent:
    try:
        return WalletEvent(given)
    except ValueError as error:
        known = ", ".join(WalletEvent)
        raise InvalidInput(ErrorCode.ARGUMENT_CHOICE, argument="event", known=known) from error


@sensitive_variables()
def rotate_keys() -> Rotation:
    """Encrypt every stored secret with the first of its gateway's `FERNET_KEYS`, or of the shop's.

    It may be interrupted and repeated. Raises `WalletUnavailable` where neither has a key.
    """
    known = ciphers()
    if known.shop is None and not known.of_gateways:
        raise WalletUnavailable(ErrorCode.FERNET_KEYS_MISSING)
    return encryption_keys.rotate_keys(known)


@sensitive_variables()
def survey_keys() -> KeySurvey:
    """Return how many stored secrets each of the `FERNET_KEYS` encrypts; changes nothing."""
    known = ciphers()
    if known.shop is None and not known.of_gateways:
        return KeySurvey(keys=(), unreadable=0)
    return encryption_keys.survey(known)
