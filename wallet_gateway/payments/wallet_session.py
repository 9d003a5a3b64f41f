"""What a page with a wallet button asks for: the button, a reference for another card, a price; its reports.

What a browser reports about its sheet is kept for the timeline and never trusted; a reported failure is a
reason to ask the gateway whether it still takes the key that the page has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import get_language, override, pgettext
from django.utils.translation import gettext_noop as _

from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.error_codes import GATEWAY_KEY_EXPIRED, WALLET_BUSY
from wallet_gateway.domain.policy import MOST_WALLET_DECIMALS, WalletPolicy
from wallet_gateway.domain.polling_schedule import BUTTON_IS_FRESH
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.encryption import UnreadableSecret
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt, WalletKey
from wallet_gateway.models.transactions import MOST_EVENTS, WalletEvent
from wallet_gateway.operation_errors import OperationError, WalletUnavailable
from wallet_gateway.payments.checkout import check_payable, insert_attempt, lock_payable
from wallet_gateway.payments.inputs import member_of
from wallet_gateway.payments.sending import check_sending_not_paused
from wallet_gateway.payments.wallet_attempts import OrderAttempts, fresh, hash_of_session, load, with_event
from wallet_gateway.payments.wallet_limits import (
    check_before_sheet,
    close_at_limit,
    count_attempt,
    count_event,
    count_price,
    limits_of,
)
from wallet_gateway.payments.wallet_pricing import (
    NOTHING_CHOSEN,
    SheetPrice,
    is_newer,
    price_of,
    shown_last,
    snapshot_of,
    with_next,
)
from wallet_gateway.payments.wallet_result import as_report, checked_choices
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.wallet_keys import PublicKey, current_key, is_of_account, is_refused, opened

_TIME_TO_PAY = timedelta(minutes=5)
"""An attempt with less remaining time is not shown again."""
AUTH_METHODS = ("PAN_ONLY", "CRYPTOGRAM_3DS")
DEFAULT_OPTION = "DEFAULT"
AUTHORIZATION, OPTION = "PAYMENT_AUTHORIZATION", "SHIPPING_OPTION"
_BUTTON_LOCALES = frozenset(
    (
        *("en", "ar", "bg", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "id", "it", "ja"),
        *("ko", "ms", "nl", "no", "pl", "pt", "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "zh"),
    )
)
"""The codes of `buttonLocale`, as the interface lists them."""
# Django has both written forms of Norwegian, the wallet has one; browsers have written `in` for Indonesian.
_RENAMED_LOCALES = {"nb": "no", "nn": "no", "in": "id"}
_ONCE = frozenset({WalletEvent.READY, WalletEvent.UNAVAILABLE})
"""Reported again by every reload: only the first report is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletSession:
    """The data a page needs for its button. `repr` leaves out the parameters, which include the key."""

    reference: str
    """The clientSystemTransactionId, which the result must carry."""
    parameters: dict[str, Any] = field(repr=False)
    """The positional parameters of `runWalletPay` by name, in order; all values are JSON-serializable."""
    expires_at: datetime
    """After this the button cannot be paid with; the page opens a new session."""


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
    wallet = _checked(order, context)
    tried = load(order)
    _check_button(tried, context)
    price = _price(tried.order, NOTHING_CHOSEN, wallet, context)
    snapshot = snapshot_of(price, NOTHING_CHOSEN)
    reused = _reusable(tried, session, context)
    if reused is None:
        key = current_key(context=context)
        transaction = _new_attempt(tried, key.row, session, snapshot, context)
    else:
        transaction, key = reused
    account = context.gateway.account
    parameters = {
        "mid": account.merchant_id,
        "sid": account.store_id,
        "clientSystemTransactionId": transaction.reference,
        "allowedMethods": list(AUTH_METHODS),
        "allowedCardNetworks": list(wallet.card_networks),
        "countryCode": wallet.country,
        "currencyCode": transaction.currency,
        "amountStatus": "FINAL",
        "amount": price.total.to_wire(),
        "profile": wallet.profile,
        "publicKeyApi": key.api_key,
        "useWalletButton": wallet.use_wallet_button,
        "merchantNo": wallet.merchant_no,
        "merchantName": wallet.merchant_name,
        "optionalParams": _optional(
            price, wallet, language or order.language, dynamic=context.price is not None
        ),
    }
    assert transaction.expires_at is not None  # noqa: S101 - every button has an end
    return WalletSession(
        reference=transaction.reference, parameters=parameters, expires_at=transaction.expires_at
    )


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
    _checked(order, context)
    tried, now = load(order), context.clock.now()
    mine = tried.of_session(session)
    # The attempt whose sheet is continued.
    if after or not mine:
        before = tried.meant(after, session)
    else:
        with_result = [transaction for transaction in mine if transaction.wallet.results_count]
        before = (with_result or mine)[-1]
    latest = mine[-1]
    _check_button(tried, context)
    if _is_unused(before, now):
        return str(before.reference)
    wallet = before.wallet
    # The sheet makes its accounts with its own key, whichever the session's newest button has.
    has_same_key = latest.wallet.key_id == wallet.key_id
    if context.price is None and has_same_key and _is_unused(latest, now):
        return str(latest.reference)
    key = wallet.key
    if key.refused_at or key.expires_at <= now or not is_of_account(key, context):
        raise WalletUnavailable(*GATEWAY_KEY_EXPIRED)
    transaction = _new_attempt(tried, key, session, shown_last(wallet.price), context)
    return str(transaction.reference)


def _check_button(tried: OrderAttempts, context: GatewayContext) -> None:
    check_payable(tried.order, context.clock.now())
    with close_at_limit(tried.order, context):
        check_before_sheet(tried, context)


def _new_attempt(
    tried: OrderAttempts, key: WalletKey, session: str, price: Mapping[str, Any], context: GatewayContext
) -> GatewayTransaction:
    """Lock the order, count and insert a further attempt; its other attempts stay: nothing is sent yet."""
    order, session_hash = tried.order, hash_of_session(session)

    def write() -> GatewayTransaction:
        now = context.clock.now()
        lock_payable(order, now)
        mine = WalletAttempt.objects.filter(transaction__payment=OuterRef("pk"), session_hash=session_hash)
        found = Payment.objects.filter(order=order).aggregate(
            payments=Count("pk"), mine=Count("pk", filter=Exists(mine))
        )
        count_attempt(order, tried.usage, is_new_session=not found["mine"], limits=limits_of(context))
        ends = [now + BUTTON_IS_FRESH, key.expires_at]
        if order.payable_until is not None:
            ends.append(order.payable_until)
        transaction = insert_attempt(
            order,
            TransactionKind.AUTHORIZATION,
            number=found["payments"] + 1,
            reference=context.new_reference(),
            context=context,
            created_at=now,
            state_changed_at=now,
            state=TransactionState.AWAITING_RESULT,
            expires_at=min(ends),
        )
        wallet = WalletAttempt(
            transaction=transaction,
            key=key,
            gateway=context.alias,
            session_hash=session_hash,
            price=dict(price),
        )
        wallet.save(force_insert=True)
        return transaction

    with close_at_limit(order, context):
        return in_transaction(write)


def _is_unused(transaction: GatewayTransaction, now: datetime) -> bool:
    return fresh(transaction, now) and transaction.wallet.results_count == 0


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
    context = context_of(order.gateway)
    checked = checked_choices({"address": shipping_address, "option": shipping_option, "offers": offers})
    if context.price is None:
        # Nothing depends on the choices, and they are not stored.
        checked = dict(NOTHING_CHOSEN)
    tried = load(order)
    transaction = tried.meant(reference, session)
    with close_at_limit(tried.order, context):
        number = count_price(tried.order, tried.usage, checked["offers"], limits=limits_of(context))
    price = _price(tried.order, checked, context.wallet_of(tried.order), context)
    if price.errors:
        return price
    shown = snapshot_of(price, checked, number)

    def store() -> bool:
        # A result may arrive in between, and so may another price.
        rows = WalletAttempt.objects.select_for_update().filter(pk=transaction.wallet.pk)
        wallet = rows.only("price", "results_count").get()
        if not is_newer(shown, wallet.price):
            return False
        # What was shown when a card was approved stays: the card is charged that price.
        wallet.price = with_next(wallet.price, shown) if wallet.results_count else dict(shown)
        wallet.save(update_fields=["price"])
        return True

    # A shop's slow function may answer after the customer has chosen otherwise, and the sheet shows that.
    if not in_transaction(store):
        raise WalletUnavailable(*WALLET_BUSY)
    return price


def _price(
    order: PaymentOrder, chosen: Mapping[str, Any], wallet: WalletPolicy | None, context: GatewayContext
) -> SheetPrice:
    price = price_of(order, chosen, context=context)
    # The sheet would show a choice of which nobody is told, and the customer be sent the first option.
    if price.options and wallet and OPTION not in wallet.callbacks:
        raise OperationError(
            _("The pricing function returned options, but CALLBACKS leaves out SHIPPING_OPTION.")
        )
    return price


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
    context = context_of(order.gateway)
    event = member_of(WalletEvent, event, argument="event")
    tried = load(order)
    transaction, order_id = tried.meant(reference, session), tried.order.pk
    detail = as_report(message)

    def comment() -> None:
        # Two pages may report at once, and a result may arrive in between: none of these may be lost.
        rows = WalletAttempt.objects.select_for_update().filter(pk=transaction.wallet.pk)
        wallet = rows.only("events").get()
        is_known = event in _ONCE and event in {known["event"] for known in wallet.events}
        if len(wallet.events) < MOST_EVENTS and not is_known and count_event(order_id):
            wallet.events = with_event(wallet, event, detail, now=context.clock.now())
            wallet.save(update_fields=["events"])

    in_transaction(comment)
    return event is WalletEvent.ERROR and is_refused(transaction.wallet.key, context=context)


def _checked(order: PaymentOrder, context: GatewayContext) -> WalletPolicy:
    wallet = context.wallet_of(order)
    if wallet is None:
        raise WalletUnavailable(
            _("Gateway %(gateway)s has no WALLET in the settings."), gateway=context.alias
        )
    if currency_exponent(order.currency) > MOST_WALLET_DECIMALS:
        raise WalletUnavailable(_("Wallets cannot show an amount in %(currency)s."), currency=order.currency)
    context.check_sending_enabled()
    check_sending_not_paused(context)
    return wallet


def _reusable(
    tried: OrderAttempts, session: str, context: GatewayContext
) -> tuple[GatewayTransaction, PublicKey] | None:
    if context.price is not None:
        # Two sheets of one attempt would overwrite each other's price, and one be charged the other's price.
        return None
    # So long an attempt must last to be shown again; no longer than the order can be paid.
    now = context.clock.now()
    until = now if tried.order.is_time_over(now + _TIME_TO_PAY) else now + _TIME_TO_PAY
    for transaction in reversed(tried.of_session(session)):
        key = transaction.wallet.key
        if not fresh(transaction, until) or transaction.wallet.results_count:
            continue
        if key.refused_at is None and is_of_account(key, context):
            try:
                return transaction, opened(key, context)
            except UnreadableSecret:
                return None
    return None


def _optional(price: SheetPrice, wallet: WalletPolicy, language: str, *, dynamic: bool) -> dict[str, Any]:
    with override(language or get_language()):
        # Without a label the wallet shows no items.
        label = wallet.total_price_label or pgettext("line of the wallet's sheet", "Total")
    items = [{"label": name, "type": kind, "price": amount} for name, kind, amount in price.display_items]
    transaction_info: dict[str, Any] = {"displayItems": items, "totalPriceLabel": label}
    if wallet.checkout_option != DEFAULT_OPTION:
        transaction_info["checkoutOption"] = wallet.checkout_option
    given: dict[str, Any] = {
        "existingPaymentMethodRequired": wallet.existing_payment_method_required,
        "emailRequired": wallet.email_required,
        "billingAddressRequired": bool(wallet.billing_address),
        "callbackIntents": [intent for intent in wallet.callbacks if intent == AUTHORIZATION],
        "shippingAddressRequired": wallet.shipping_address,
        "additionalTransactionInfo": transaction_info,
        "allowPrepaidCards": wallet.allow_prepaid,
        "allowCreditCards": wallet.allow_credit,
        "buttonColor": wallet.button_color,
        "buttonType": wallet.button_type,
        "buttonSizeMode": wallet.button_size_mode,
    }
    # What a shop has set is sent although the wallet may lack it: the script says so on the console.
    own = wallet.button_locale
    if locale := _button_locale(own) or own or _button_locale(language):
        given["buttonLocale"] = locale
    if wallet.billing_address:
        billing: dict[str, Any] = {"format": wallet.billing_address}
        if wallet.billing_phone_required:
            billing["phoneNumberRequired"] = True
        given["billingAddressParameters"] = billing
    if wallet.shipping_address:
        shipping: dict[str, Any] = {}
        if wallet.shipping_countries:
            shipping["allowedCountryCodes"] = list(wallet.shipping_countries)
        if wallet.shipping_phone_required:
            shipping["phoneNumberRequired"] = True
        if shipping:
            given["shippingAddressParameters"] = shipping
    if dynamic:
        # The customer has choices, so the sheet requests its price from us.
        intents = {AUTHORIZATION, "OFFER"}
        if "OFFER" in wallet.callbacks:
            given["offerInfo"] = {"offers": []}
        if wallet.shipping_address:
            intents.add("SHIPPING_ADDRESS")
        if price.options:
            intents.add(OPTION)
            given["shippingOptionRequired"] = True
            options = []
            for option in price.options:
                # An empty description is left out, as the interface has it.
                described = {"description": option.description} if option.description else {}
                options.append({"id": option.id, "label": option.label, **described})
            given["shippingOptionParameters"] = {
                "defaultSelectedOptionId": price.selected_option,
                "shippingOptions": options,
            }
        given["callbackIntents"] = [intent for intent in wallet.callbacks if intent in intents]
    return given


def _button_locale(language: str) -> str:
    """Return the wallet's code of a language; empty for one the wallet lacks: it then takes the browser's."""
    base = re.split("[-_]", language.lower())[0]
    code = _RENAMED_LOCALES.get(base, base)
    return code if code in _BUTTON_LOCALES else ""
