"""Pay with what the wallet's sheet brought: take the result, look at the card, authorize once.

The order's amount, currency and merchant come from our rows. What the browser says is believed of the account
alone, and the gateway says what card is behind that. A cryptogram is sent once or never.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import IntegrityError
from django.views.decorators.debug import sensitive_variables

from wallet_gateway.client.errors import GatewayError
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.card_security import Duty, UnfitCard, duty_of, why_not_charge
from wallet_gateway.domain.lifecycle import IntentState, PaymentType, TransactionKind
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_RESULTS, WalletEvent
from wallet_gateway.operations import _authorizing
from wallet_gateway.operations._breaker import sending_is_paused
from wallet_gateway.operations._log_lines import one_line
from wallet_gateway.operations._patient_reads import read_patiently
from wallet_gateway.operations._transactions import in_transaction
from wallet_gateway.operations.attempts import OrderNotPayable
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.reconciliation import reconcile_attempt
from wallet_gateway.operations.wallet_attempts import Tried, fresh, load
from wallet_gateway.operations.wallet_events import with_event
from wallet_gateway.operations.wallet_hooks import AuthenticationQuestion
from wallet_gateway.operations.wallet_keys import PublicKey, WalletUnavailable, cipher_of, opened
from wallet_gateway.operations.wallet_pricing import choices_in, price_sheet, region_of
from wallet_gateway.operations.wallet_result import (
    InvalidWalletResult,
    bound_account,
    given_by,
    read_result,
    report_of,
)
from wallet_gateway.operations.wallet_secrets import CardSecrets, UnreadableSecret
from wallet_gateway.protocol.accounts import PaymentAccount
from wallet_gateway.protocol.authorizations import AuthorizationRequest, AuthorizationType, ThreeDSecure
from wallet_gateway.protocol.checkout import RedirectDetails
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.wallet_results import FailedWalletResult, WalletResult

logger = logging.getLogger("wallet_gateway.wallet")

_PAGE_WAS_ASKED = timedelta(seconds=5)
"""An open page of the same order that was asked about longer ago is asked about before a card is charged."""
_TRIES = 5
_TYPES = {
    PaymentType.SALE: AuthorizationType.SALE,
    PaymentType.PREAUTHORIZATION: AuthorizationType.PREAUTHORIZATION,
}


class TooManyWalletResults(OperationRefused):
    """A reference has brought as many results as a customer can; the page must be loaded again."""


class WalletCardRefused(OperationRefused):
    """The card may not be charged, by a rule and not by its bank; nothing was sent, another card may do."""


class WalletPriceChanged(OperationRefused):
    """What the customer approved is not what it costs by now; nothing was sent."""


class WalletTryAgain(OperationRefused):
    """The gateway could not be asked about the card; nothing was charged, the button may be pressed again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    """A result and what the gateway says of it; nothing of it is shown by `repr`."""

    result: WalletResult = field(repr=False)
    account: PaymentAccount = field(repr=False)
    key: PublicKey = field(repr=False)

    @property
    def last_four(self) -> str:
        digits = [c for c in self.account.masked_account_number if c.isdigit() and c.isascii()]
        return "".join(digits[-4:])


@sensitive_variables()
def pay_with_wallet(
    *,
    tried: Tried,
    session: str,
    detail: object,
    context: GatewayContext,
    return_urls: Callable[[str], RedirectDetails],
) -> Payment:
    """Charge the card that the wallet handed over, once; return its payment, whatever has come of it.

    A repeated result returns the payment as it stands. Raises `InvalidWalletResult`,
    `UnknownWalletReference`, `TooManyWalletResults`, `OrderNotPayable`, `WalletUnavailable`,
    `WalletCardRefused`, `WalletPriceChanged` and `WalletTryAgain`, each before anything was charged.
    """
    result = read_result(detail)
    if isinstance(result, FailedWalletResult):
        return _failed(tried, session, result, context)
    intent = tried.meant(result.client_system_transaction_id, session)
    if not fresh(intent, context.clock.now()):
        return _payment_of(intent)
    if _asked_open_pages(tried, context):
        tried = load(tried.order)
        intent = tried.meant(intent.reference, session)
    _check_payable(tried.order)
    if not context.policy.sending:
        raise WalletUnavailable("sending to the gateway is switched off; nothing was charged")
    _take(intent, result, context)
    card = _looked_up(intent, result, context)
    _check_price(tried.order, intent, result, context)
    request = _request(tried.order, intent, card, context, return_urls)
    return _charge(tried, intent, card, request, context)


def _payment_of(intent: GatewayTransaction) -> Payment:
    assert intent.payment is not None  # noqa: S101 - an authorization belongs to a payment
    intent.payment.opening = intent
    return intent.payment


def _check_payable(order: PaymentOrder) -> None:
    if not order.is_payable:
        raise OrderNotPayable(f"order {order} is {order.state}; it must not be paid again")


def _failed(tried: Tried, session: str, result: FailedWalletResult, context: GatewayContext) -> Payment:
    """Note a failure of the sheet on the latest attempt; the order stays payable."""
    mine = tried.of_session(session)
    intent = mine[-1] if mine else tried.meant(None, session)
    events = with_event(intent.wallet, WalletEvent.ERROR, report_of(result), now=context.clock.now())
    WalletAttempt.objects.filter(pk=intent.wallet.pk).update(events=events)
    return _payment_of(intent)


def _asked_open_pages(tried: Tried, context: GatewayContext) -> bool:
    """Ask about hosted pages of the order that may have been paid meanwhile; say whether any was asked."""
    now = context.clock.now()
    asked = False
    for other in tried.openings:
        is_open = other.kind == TransactionKind.CHECKOUT and other.state == IntentState.OPEN
        if is_open and (other.last_queried_at is None or other.last_queried_at <= now - _PAGE_WAS_ASKED):
            reconcile_attempt(reference=other.reference, context=context)
            asked = True
    return asked


# The result


@sensitive_variables()
def _take(intent: GatewayTransaction, result: WalletResult, context: GatewayContext) -> None:
    """Count the result and bind it, with the price that was shown, to this attempt: the first one stays.

    What is charged and what is on record are the same then, whatever the browser says at the same moment.
    """
    wallet = intent.wallet
    for _ in range(MOST_RESULTS + 1):
        if wallet.results_count >= MOST_RESULTS:
            raise TooManyWalletResults(
                f"reference {intent.reference} has brought {MOST_RESULTS} results already"
            )
        if _bound(wallet, result, context):
            return
        # Another request has brought one meanwhile; each can do so only as often as there are results.
        wallet.refresh_from_db()
    raise WalletUnavailable("the attempt is being changed by others; nothing was charged")


@sensitive_variables()
def _bound(wallet: WalletAttempt, result: WalletResult, context: GatewayContext) -> bool:
    account, given = bound_account(result.transaction_account_id), given_by(result)
    columns = {
        "results_count": wallet.results_count + 1,
        "events": with_event(wallet, WalletEvent.RESULT, "", now=context.clock.now()),
    }
    if not wallet.results_count:
        columns |= {"account_id": account, "given": given, "price": wallet.price}
    elif (wallet.account_id, wallet.given) != (account, given):
        fault = FieldError("transactionAccountId", "another result has been brought under this reference")
        raise InvalidWalletResult([fault])
    rows = WalletAttempt.objects.filter(pk=wallet.pk, results_count=wallet.results_count)
    try:
        return bool(in_transaction(lambda: rows.update(**columns)))
    except IntegrityError:
        fault = FieldError("transactionAccountId", "belongs to another attempt to pay")
        raise InvalidWalletResult([fault]) from None


@sensitive_variables()
def _looked_up(intent: GatewayTransaction, result: WalletResult, context: GatewayContext) -> _Card:
    """Ask the gateway which card it is; a question, so it may be asked again."""
    try:
        key = opened(intent.wallet.key, context)
    except UnreadableSecret as error:
        raise WalletUnavailable(str(error)) from error
    account_id = result.transaction_account_id

    def ask() -> Answer[PaymentAccount]:
        return context.gateway.payment_account(
            account_id, api_key=key.api_key, encryption_key=key.encryption_key
        )

    try:
        account = read_patiently(ask, context=context)
    except GatewayError as error:
        logger.error("the account of %s could not be asked about: %s", intent.reference, one_line(error))
        # Without the cause: its frames hold what was sent.
        raise WalletTryAgain("the gateway did not say which card it is; nothing was charged") from None
    if account.transaction_account_id != account_id:
        logger.error("the gateway named another account than that of %s", intent.reference)
        raise WalletTryAgain("the gateway named another account; nothing was charged")
    return _Card(result=result, account=account, key=key)


@sensitive_variables()
def _check_price(
    order: PaymentOrder, intent: GatewayTransaction, result: WalletResult, context: GatewayContext
) -> None:
    """Price the sheet once more with the address that the wallet gave in the end."""
    if context.price is None:
        return
    snapshot = intent.wallet.price
    chosen = choices_in(snapshot)
    if result.shipping_address is not None:
        chosen["address"] = region_of(result.shipping_address.to_wire())
    price = price_sheet(order, chosen, context=context)
    if price.errors or price.total.minor_units != snapshot["total"]:
        raise WalletPriceChanged("the price is not the one on the sheet any more; nothing was charged")


# What is owed, and what is sent


@sensitive_variables()
def _request(
    order: PaymentOrder,
    intent: GatewayTransaction,
    card: _Card,
    context: GatewayContext,
    return_urls: Callable[[str], RedirectDetails],
) -> AuthorizationRequest:
    result, account = card.result, context.gateway.account
    duty = _duty(card, context)
    amount = Money.from_minor_units(intent.wallet.price["total"], order.currency)
    proof: dict[str, object]
    if duty is Duty.NOTHING:
        proof = {"cryptogram": result.cryptogram, "eci_indicator": result.eci_indicator}
    elif duty is Duty.REDIRECT:
        proof = {"redirect_details": return_urls(intent.reference)}
    else:
        proof = {"three_d_secure": _authenticated(order, intent, card, amount, context)}
    return AuthorizationRequest.build(
        merchant_id=account.merchant_id,
        store_id=account.store_id,
        user_id=account.user_id,
        type=_TYPES[PaymentType(order.type)],
        amount=amount.to_wire(),
        currency_code=order.currency,
        client_system_transaction_id=intent.reference,
        transaction_account_id=result.transaction_account_id,
        **proof,
    )


@sensitive_variables()
def _duty(card: _Card, context: GatewayContext) -> Duty:
    network = card.account.card_network.upper()
    if context.wallet is None or network not in context.wallet.card_networks:
        raise WalletCardRefused("cards of this network are not taken")
    try:
        return duty_of(
            card.account.card_type,
            has_cryptogram=card.result.cryptogram is not None,
            external=context.authenticate is not None,
        )
    except UnfitCard as error:
        raise WalletCardRefused(str(error)) from None


@sensitive_variables()
def _authenticated(
    order: PaymentOrder, intent: GatewayTransaction, card: _Card, amount: Money, context: GatewayContext
) -> ThreeDSecure:
    """Ask the shop's own 3-D Secure; raises `WalletCardRefused` unless its answer is enough."""
    assert context.authenticate is not None  # noqa: S101 - the duty says so
    assert context.wallet is not None  # noqa: S101 - as above
    network = card.account.card_network.upper()
    question = AuthenticationQuestion(
        order=order,
        reference=intent.reference,
        account_id=card.result.transaction_account_id,
        amount=amount,
        card_network=network,
        card_last_four=card.last_four,
    )
    answer = context.authenticate(question)
    if answer is None:
        raise WalletCardRefused("3-D Secure failed: the customer was not authenticated")
    proof = answer if isinstance(answer, ThreeDSecure) else _read_proof(answer)
    why = why_not_charge(proof, network=network, accept_unauthenticated=context.wallet.accept_unauthenticated)
    if why:
        raise WalletCardRefused(why)
    return proof


@sensitive_variables()
def _read_proof(answer: Mapping[str, object]) -> ThreeDSecure:
    try:
        return ThreeDSecure.from_wire(answer)
    except InvalidMessage as error:
        paths = ", ".join(sorted(fault.path for fault in error.errors))
    raise WalletCardRefused(f"the shop's 3-D Secure answered what is no result: {paths}")


@sensitive_variables()
def _charge(
    tried: Tried,
    intent: GatewayTransaction,
    card: _Card,
    request: AuthorizationRequest,
    context: GatewayContext,
) -> Payment:
    cipher = cipher_of(context)
    secrets = None
    if request.cryptogram is not None:
        secrets = CardSecrets(cryptogram=request.cryptogram, eci=request.eci_indicator).sealed(cipher)
    about_card = {
        "card_type": card.account.card_type.value,
        "card_network": card.account.card_network.upper(),
        "card_last_four": card.last_four,
    }
    for _ in range(_TRIES):
        if _authorizing.claim(tried, intent, request, secrets, about_card, context):
            return _payment_of(_authorizing.send(intent, request, api_key=card.key.api_key, context=context))
        tried = load(tried.order)
        intent = next(other for other in tried.openings if other.pk == intent.pk)
        if intent.state != IntentState.AWAITING_RESULT:
            # Another request, of the same click or of another tab, is at it.
            return _payment_of(intent)
        _check_payable(tried.order)
        _check_not_paused(context)
    raise WalletUnavailable("the order is being changed by others; nothing was charged")


def _check_not_paused(context: GatewayContext) -> None:
    if sending_is_paused(context, context.clock.now()):
        raise WalletUnavailable("sending to the gateway is paused; nothing was charged")
