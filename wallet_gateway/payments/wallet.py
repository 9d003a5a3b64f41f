"""The wallet button: its session, its sheet's price, its result, and the keys that encrypt its secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import Secret

from wallet_gateway import gateways
from wallet_gateway.domain.actors import By
from wallet_gateway.domain.error_codes import ARGUMENT_CHOICE
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits
from wallet_gateway.domain.wallet_outcomes import WalletOutcome, outcome_of
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import ciphers, context_of, return_urls
from wallet_gateway.ledger.transactions import check_outside_transaction
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.inputs import check_row
from wallet_gateway.operations.wallet import abandon as wallet_abandon
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
def open_session(order: PaymentOrder, *, session: str, language: str = "") -> WalletSession:
    """Return the data for a page with a wallet button for an order, bound to the customer's session.

    The same order and session get the same attempt until a result has come. The interface, Browser script
    interface, has the 15 parameters.

    :param order: an order that can be paid, in a currency with two decimals or none.
    :param session: a random text from the data of the customer's session, not empty; only its hash is stored.
        `session_key` is not suitable: each login changes it.
    :param language: of the button, if the settings name none: `"de"`.
    :returns: the parameters of `runWalletPay`, the attempt's reference and its end.
    :raises WalletUnavailable: the payment page can still be used: `wallet_unavailable` and
        `wallet_limit_reached`.
    :raises OrderNotPayable: `order_not_payable` and `order_ended`.
    :raises SendingStopped: `sending_stopped`.
    :raises InvalidInput: `wallet_session_unknown`.
    :raises OperationError: `pricing_invalid`: a fault of the shop's `PRICING` function.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.open_session")
    context = context_of(order.gateway)
    return wallet_session.open_session(order=order, session=session, context=context, language=language)


@sensitive_variables()
def check_open(order: PaymentOrder) -> None:
    """Raise `WalletUnavailable` if a limit has closed the order's button, as the row was read.

    `open_session` checks it, too; call this before a customer's session is created for it.

    :param order: any order.
    :raises WalletUnavailable: `wallet_limit_reached`.
    """
    wallet_limits.check_open(order)


@sensitive_variables()
def raise_limits(order: PaymentOrder, *, by: By, reason: str) -> PaymentOrder:
    """Open an order's button that a limit has closed, and add each limit once more in full.

    :param order: an order whose button is closed.
    :param by: the person who decided it: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty; it is stored in the order's timeline.
    :returns: the order as it is now.
    :raises InvalidState: `changed_meanwhile`, if no limit has closed the button.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.raise_limits")
    check_row(order, PaymentOrder)
    return wallet_limits.raise_limits(order=order, by=by, reason=reason, clock=gateways.clock())


@sensitive_variables()
def next_reference(order: PaymentOrder, *, session: str, after: str = "") -> str:
    """Return a reference for another card in a sheet that is open, after the first one was declined.

    :param order: the order of the sheet.
    :param session: the session's key, as for `open_session`.
    :param after: the previous reference of the sheet; a shop with `PRICING` passes it, because a customer may
        have several sheets open.
    :returns: the new clientSystemTransactionId.
    :raises InvalidInput: `wallet_session_unknown`.
    :raises WalletUnavailable: `wallet_unavailable`, where the page must be loaded again if its key has
        expired, and `wallet_limit_reached`.
    :raises OrderNotPayable: `order_not_payable` and `order_ended`.
    :raises SendingStopped: `sending_stopped`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.next_reference")
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

    :param order: the order of the sheet.
    :param reference: the attempt's reference, from `open_session` or `next_reference`.
    :param session: the session's key, as for `open_session`.
    :param shipping_address: what the sheet reports: `{"countryCode": "DE", "postalCode": "10115"}`; None
        before an address is chosen.
    :param shipping_option: id of one of the offered options; None before one is chosen.
    :param offers: redemption codes that the customer has entered.
    :returns: total, lines and options; or `errors`, which the sheet shows, and then nothing is stored.
    :raises InvalidInput: `fields_invalid` and `wallet_session_unknown`.
    :raises WalletUnavailable: `wallet_limit_reached`, after too many prices or codes, and
        `wallet_unavailable`.
    :raises OperationError: `pricing_invalid`: a fault of the shop's `PRICING` function.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.price_sheet")
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
    """Charge the card of a sheet's result once; `outcome` says how the page continues.

    A repeated result returns the payment in its current state. A failure of the sheet is recorded and leaves
    the order payable. After each of the errors nothing was charged. The interface, Events.

    :param order: the order, or its token as text.
    :param session: the session's key, as for `open_session`.
    :param detail: the unchanged `event.detail` of the page; pydantic's `Secret` around it shows it to nobody.
    :returns: the payment; give it to `outcome`.
    :raises InvalidInput: `fields_invalid`, whose `errors` name each field; `wallet_session_unknown`.
    :raises CardRefused: ask for another card: `card_refused` and `three_ds_failed`.
    :raises PriceChanged: `price_changed`: show the new price.
    :raises TryAgain: `try_again`.
    :raises InvalidState: `too_many_results`, after five for one reference.
    :raises OrderNotPayable: `order_not_payable` and `order_ended`.
    :raises WalletUnavailable: `wallet_limit_reached` and `wallet_unavailable`.
    :raises SendingStopped: `sending_stopped`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.pay")
    tried = wallet_attempts.load(order)
    return wallet_payment.pay_with_wallet(
        tried=tried,
        session=session,
        detail=detail,
        context=context_of(tried.order.gateway),
        return_urls=partial(return_urls, gateway=tried.order.gateway),
    )


@sensitive_variables()
def abandon(payment: Payment) -> Payment:
    """Close an attempt whose wallet result has not come: one that comes later is refused and charges nothing.

    Call it before you tell a customer that nothing was charged, where the page has lost the way to the shop.

    :param payment: the attempt; one that no longer waits for its result, or has none, stays as it is.
    :returns: the attempt as it is now; give it to `outcome`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.abandon")
    if payment.opening.state != TransactionState.AWAITING_RESULT:
        return payment
    return wallet_abandon.abandon(payment, context=context_of(payment.opening.gateway))


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
def record_event(
    order: PaymentOrder, *, reference: str, session: str, event: WalletEvent | str, message: str = ""
) -> bool:
    """Store an event reported by the browser, such as a closed sheet, for the timeline.

    The first twenty events of an attempt and 200 of an order are stored. After an `ERROR` the gateway is
    asked, at most once a minute, whether it still takes the key that the page has.

    :param order: the order of the page.
    :param reference: the attempt's reference.
    :param session: the session's key, as for `open_session`.
    :param event: one of `WalletEvent`: `"CLOSED"`.
    :param message: what the browser says; shortened, and stored without card numbers.
    :returns: whether the page needs a new session, because the gateway refuses the key of this one.
    :raises InvalidInput: `argument_invalid` for another event; `wallet_session_unknown`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.record_event")
    return wallet_events.record_event(
        order=order,
        reference=reference,
        session=session,
        event=_event(event),
        message=message,
        context=context_of(order.gateway),
    )


def _event(given: WalletEvent | str) -> WalletEvent:
    try:
        return WalletEvent(given)
    except ValueError as error:
        known = ", ".join(WalletEvent)
        raise InvalidInput(*ARGUMENT_CHOICE, argument="event", known=known) from error


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
