"""Pay with the result of the wallet's sheet: bind it, look up the card, claim the order, authorize once.

The order's amount, currency and merchant come from our rows, and the gateway's answer says which card it is.
Of the browser's data the account and the proof of 3-D Secure are sent; its shipping address only tells which
price was shown. A cryptogram is sent at most once. The order is blocked
from the claim on, so that no other attempt of it can be paid. No request is sent twice, except one of which
certainly no byte left.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any

from django.db import IntegrityError
from django.utils.translation import gettext_noop as _
from pydantic import Secret

from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown, Refused
from wallet_gateway.client.exchange import Answer
from wallet_gateway.client.redaction import redact
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.cards import (
    AuthenticationRequirement,
    CardMismatch,
    duty_of,
    why_not_charge,
)
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.domain.error_codes import WALLET_BUSY, ErrorCode
from wallet_gateway.domain.states import (
    PAYABLE_STATES,
    LifecycleEvent,
    OrderState,
    PaymentState,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.email_hashes import columns_of_wallet
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of, return_urls
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.ledger.repair import give_up_unsent
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEventKind,
    WalletAttempt,
)
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.models.transactions import MOST_RESULTS, WalletEvent
from wallet_gateway.operation_errors import (
    CardRefused,
    InvalidState,
    PriceChanged,
    TryAgain,
    WalletUnavailable,
)
from wallet_gateway.payments import sending
from wallet_gateway.payments.checkout import check_payable
from wallet_gateway.payments.reconciliation import may_be_paid, query_again
from wallet_gateway.payments.sending import (
    body_columns,
    check_sending_not_paused,
    claim_columns,
    retry_unsent,
)
from wallet_gateway.payments.wallet_attempts import OrderAttempts, fresh, load, with_event
from wallet_gateway.payments.wallet_limits import (
    check_authorizations,
    close_at_limit,
    count_result,
    limits_of,
)
from wallet_gateway.payments.wallet_pricing import choices_in, price_of, region_of
from wallet_gateway.payments.wallet_result import (
    as_report,
    bound_account,
    check_shipping,
    given_by,
    invalid_result,
    read_result,
    report_of,
)
from wallet_gateway.protocol.accounts import FailedWalletResult, PaymentAccount, WalletResult
from wallet_gateway.protocol.authorizations import AuthorizationRequest, ThreeDSecure
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import one_line
from wallet_gateway.wallet_hooks import AuthenticationQuestion
from wallet_gateway.wallet_keys import PublicKey, is_refused, note_if_refused, opened, retry_read

logger = logging.getLogger("wallet_gateway.wallet")

_TRIES = 5


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
    tried = load(order)
    context, result = context_of(tried.order.gateway), read_result(detail)
    if isinstance(result, FailedWalletResult):
        mine = tried.of_session(session)
        latest = mine[-1] if mine else tried.meant(None, session)
        with close_at_limit(tried.order, context):
            count_result(tried.order, limits=limits_of(context))
        events = with_event(latest.wallet, WalletEvent.ERROR, report_of(result), now=context.clock.now())
        WalletAttempt.objects.filter(pk=latest.wallet.pk).update(events=events)
        # If the gateway refuses the attempt's key, the page's next session has another one.
        is_refused(latest.wallet.key, context=context)
        return latest.opened_payment
    transaction = tried.meant(result.client_system_transaction_id, session)
    if not fresh(transaction, context.clock.now()):
        return transaction.opened_payment
    if _query_pages(tried, context):
        tried = load(tried.order)
        transaction = tried.meant(transaction.reference, session)
    check_payable(tried.order, context.clock.now())
    context.check_sending_enabled()
    with close_at_limit(tried.order, context):
        check_authorizations(tried, context)
        count_result(tried.order, limits=limits_of(context))
    check_shipping(result, context.wallet_of(tried.order))
    _bind(transaction, result, context)
    card = _look_up(transaction, result, context)
    if context.price is not None:
        # The sheet is priced again with the wallet's final address.
        snapshot = transaction.wallet.price
        chosen = choices_in(snapshot)
        if result.shipping_address is not None:
            chosen["address"] = region_of(result.shipping_address.to_wire())
        price = price_of(tried.order, chosen, context=context)
        if price.errors or price.total.minor_units != snapshot["total"]:
            raise PriceChanged(_("The price on the wallet's sheet is out of date. Nothing was charged."))
    request = _request_for(tried.order, transaction, card, context)
    return _charge(tried, transaction, card, request, context)


def _query_pages(tried: OrderAttempts, context: GatewayContext) -> bool:
    """Query the order's hosted pages that may have been paid; return whether there are any.

    Raises `TryAgain` if the gateway does not say whether one is paid: the card would pay the order twice.
    """
    pages = [page for page in tried.openings if may_be_paid(page, context)]
    for page in pages:
        if not query_again(page, context=context):
            raise TryAgain(
                _(
                    "The gateway did not say whether the payment page is paid. Nothing was charged. Try "
                    "again."
                ),
            )
    return bool(pages)


def _bind(transaction: GatewayTransaction, result: WalletResult, context: GatewayContext) -> None:
    """Count the result and bind the first one, with the price that was shown, to this attempt.

    So the amount charged always equals the amount recorded, whatever the browser sends at the same moment.
    """
    wallet = transaction.wallet
    account, given = bound_account(result.transaction_account_id), given_by(result)
    for _attempt in range(MOST_RESULTS + 1):
        if wallet.results_count >= MOST_RESULTS:
            raise InvalidState(
                _("Reference %(reference)s has brought %(count)s results already. Load the page again."),
                ErrorCode.TOO_MANY_RESULTS,
                reference=transaction.reference,
                count=MOST_RESULTS,
            )
        columns = {
            "results_count": wallet.results_count + 1,
            "events": with_event(wallet, WalletEvent.RESULT, "", now=context.clock.now()),
        }
        if not wallet.results_count:
            columns |= {"account_id": account, "given": given, "price": wallet.price}
            columns |= columns_of_wallet(given)
        elif (wallet.account_id, wallet.given) != (account, given):
            fault = FieldError("transactionAccountId", "another result has been brought under this reference")
            raise invalid_result(fault)
        rows = WalletAttempt.objects.filter(pk=wallet.pk, results_count=wallet.results_count)
        try:
            if in_transaction(partial(rows.update, **columns)):
                return
        except IntegrityError:
            fault = FieldError("transactionAccountId", "belongs to another attempt to pay")
            raise invalid_result(fault) from None
        # Another request has stored a result in the meantime; the number of results is limited, so retry.
        wallet.refresh_from_db()
    raise WalletUnavailable(*WALLET_BUSY)


# Which card it is, and what it has to prove


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A wallet result and the gateway's data of its card; `repr` shows none of it."""

    result: WalletResult = field(repr=False)
    account: PaymentAccount = field(repr=False)
    key: PublicKey = field(repr=False)

    @property
    def network(self) -> str:
        """Return the card's network in upper case; empty if the gateway does not name it."""
        return (self.account.card_network or "").strip().upper()

    @property
    def last_four(self) -> str:
        """Return the last four digits of the card's masked number, or those that the gateway shows."""
        digits = [c for c in self.account.masked_account_number or "" if c.isdigit() and c.isascii()]
        return "".join(digits[-4:])


def _look_up(transaction: GatewayTransaction, result: WalletResult, context: GatewayContext) -> Card:
    """Query the gateway for the card of a result; this moves no money, so it is retried."""
    key = opened(transaction.wallet.key, context)
    account_id = result.transaction_account_id

    def read() -> Answer[PaymentAccount]:
        return context.gateway.payment_account(
            account_id, api_key=key.api_key, encryption_key=key.encryption_key
        )

    try:
        account = retry_read(read, context=context)
    except GatewayError as error:
        note_if_refused(key.row, error, context=context)
        if isinstance(error, Refused) and error.http_status == HTTPStatus.NOT_FOUND:
            # The page has named an account that there is not: the words of the answer repeat the page's own.
            text = "the gateway knows no account as that of %s"
            logger.warning(text, transaction.reference, extra=transaction.log_fields)
            raise CardRefused(
                _("The gateway does not know this card. Nothing was charged. Take another card.")
            ) from None
        # The gateway may echo the account id, and a page may have put a card secret there.
        fault = one_line(as_report(str(error)))
        text = "the account of %s could not be asked about: %s"
        logger.error(text, transaction.reference, fault, extra=transaction.log_fields)
        # Without the cause: its frames contain the request.
        raise TryAgain(
            _("The gateway did not say which card it is. Nothing was charged. Try again.")
        ) from None
    if account.transaction_account_id not in {None, account_id}:
        text = "the gateway named another account than that of %s"
        logger.error(text, transaction.reference, extra=transaction.log_fields)
        raise TryAgain(_("The gateway named another card. Nothing was charged. Try again."))
    return Card(result=result, account=account, key=key)


def _request_for(
    order: PaymentOrder, transaction: GatewayTransaction, card: Card, context: GatewayContext
) -> AuthorizationRequest:
    """Return the request that charges the price of the sheet, with the authentication the card requires.

    Raises `CardRefused` if the card may not be charged.
    """
    result, account = card.result, context.gateway.account
    # The interface names no field for the network; the sheet offered only cards of those that are accepted.
    if context.wallet is None or card.network not in {"", *context.wallet.card_networks}:
        raise CardRefused(_("Cards of this network are not accepted."))
    try:
        duty = duty_of(
            card.account.card_type,
            has_cryptogram=result.cryptogram is not None,
            external=context.authenticate is not None,
        )
    except CardMismatch as error:
        raise CardRefused(str(error)) from None
    amount = Money.from_minor_units(transaction.wallet.price["total"], order.currency)
    proof: dict[str, object]
    if duty is AuthenticationRequirement.NOTHING:
        proof = {"cryptogram": result.cryptogram, "eci_indicator": result.eci_indicator}
    elif duty is AuthenticationRequirement.REDIRECT:
        proof = {"redirect_details": return_urls(transaction.reference, gateway=order.gateway)}
    else:
        proof = {"three_d_secure": _authenticated(order, transaction, card, amount, context)}
    return AuthorizationRequest.build(
        merchant_id=account.merchant_id,
        store_id=account.store_id,
        user_id=account.user_id,
        type=wire_type(TransactionKind.AUTHORIZATION, order.type),
        amount=amount.to_wire(),
        currency_code=order.currency,
        client_system_transaction_id=transaction.reference,
        transaction_account_id=result.transaction_account_id,
        **proof,
    )


def _authenticated(
    order: PaymentOrder, transaction: GatewayTransaction, card: Card, amount: Money, context: GatewayContext
) -> ThreeDSecure:
    """Call the shop's own 3-D Secure function; raise `CardRefused` unless its result is sufficient."""
    assert context.authenticate is not None  # noqa: S101 - the authentication requirement implies it
    assert context.wallet is not None  # noqa: S101 - as above
    question = AuthenticationQuestion(
        order=order,
        reference=transaction.reference,
        account_id=card.result.transaction_account_id,
        amount=amount,
        card_network=card.network,
        card_last_four=card.last_four,
    )
    answer = context.authenticate(question)
    if answer is None:
        raise CardRefused(
            _("3-D Secure failed: the customer was not authenticated."), ErrorCode.THREE_DS_FAILED
        )
    proof, paths = None, ""
    try:
        proof = answer if isinstance(answer, ThreeDSecure) else ThreeDSecure.from_wire(answer)
    except InvalidMessage as error:
        paths = ", ".join(sorted(fault.path for fault in error.errors))
    if proof is None:
        raise CardRefused(
            _("The shop's 3-D Secure function returned an invalid result. Wrong fields: %(fields)s."),
            ErrorCode.THREE_DS_FAILED,
            fields=paths,
        )
    why = why_not_charge(
        proof, network=card.network, accept_unauthenticated=context.wallet.accept_unauthenticated
    )
    if why is not None:
        status = proof.transaction_status.value
        network = card.network[:20]
        raise CardRefused(why, ErrorCode.THREE_DS_FAILED, status=status, eci=proof.eci, network=network)
    return proof


# Claim and send


def _charge(
    tried: OrderAttempts,
    transaction: GatewayTransaction,
    card: Card,
    request: AuthorizationRequest,
    context: GatewayContext,
) -> Payment:
    """Claim the order, send the authorization once, and record the outcome and whether it refuses the key."""
    for _attempt in range(_TRIES):
        # Again, because the look-up may have taken a minute. A page that was paid meanwhile has changed the
        # order by this, and so the claim is lost.
        _query_pages(tried, context)
        with close_at_limit(tried.order, context):
            check_authorizations(tried, context)
        if _claim(tried, transaction, card, request, context):
            break
        tried = load(tried.order)
        transaction = next(other for other in tried.openings if other.pk == transaction.pk)
        if transaction.state != TransactionState.AWAITING_RESULT:
            # Another request, from the same click or another tab, is already processing it.
            return transaction.opened_payment
        check_payable(tried.order, context.clock.now())
        check_sending_not_paused(context)
    else:
        raise WalletUnavailable(*WALLET_BUSY)
    key, not_after = card.key, context.not_after()
    try:
        answer = retry_unsent(
            lambda: context.gateway.authorize(request, api_key=key.api_key, not_after=not_after)
        )
    except NotSent as error:
        nothing_left = Change(
            kind=TransactionEventKind.FAULT,
            event=LifecycleEvent.NOTHING_LEFT,
            exchange=error.exchange,
            explanation=sending.explanation_of(error),
            attempt_no=transaction.attempt_no,
        )
        recorded = apply(transaction, nothing_left, context=context)
        # The customer will press again, so this attempt must never be sent.
        recorded = give_up_unsent(recorded, explain(ExplanationCode.PRESSED_AGAIN), context=context)
    except Refused as error:
        recorded = sending.record_refusal(transaction, error, context=context)
        note_if_refused(key.row, error, context=context)
    except OutcomeUnknown as error:
        recorded = sending.record_unknown(transaction, error, context=context)
        note_if_refused(key.row, error, context=context)
    else:
        recorded = sending.record_authorization_answer(transaction, answer, context=context)
    return recorded.opened_payment


class _Lost(Exception):
    """Another process settled or claimed something of the order; nothing was written."""


def _claim(
    tried: OrderAttempts,
    transaction: GatewayTransaction,
    card: Card,
    request: AuthorizationRequest,
    context: GatewayContext,
) -> bool:
    """Commit that the authorization is about to be sent; if it may not be, write nothing and return False.

    It may not be sent if the order changed since `tried` was read, the attempt is claimed, or sending is
    paused.
    """
    order, payment, now = tried.order, transaction.payment, context.clock.now()
    assert payment is not None  # noqa: S101 - an authorization belongs to a payment
    if order.is_time_over(now):
        return False
    columns = claim_columns(
        now=now,
        attempt_no=transaction.attempt_no,
        outstanding_key=transaction.parent_key,
        amount_minor=request.money.minor_units,
        **body_columns(request.to_json(), context.gateway.account),
    )
    # It is never sent from the row, so the row does not contain its secrets.
    columns["request_body"] = redact(request.to_wire())
    paid = {
        "state": PaymentState.PENDING,
        "amount_minor": columns["amount_minor"],
        # The account that is charged decides it, whichever the page with the button was made for.
        "is_test": context.is_test,
        "card_type": card.account.card_type.value,
        "card_network": card.network,
        "card_last_four": card.last_four,
    }

    def claim() -> None:
        # Lock the order first: locks are taken in the same sequence everywhere.
        payable = PaymentOrder.objects.filter(pk=order.pk, version=order.version, state__in=PAYABLE_STATES)
        if not payable.update(version=order.version + 1, state=OrderState.PENDING, updated_at=now):
            raise _Lost
        waiting = GatewayTransaction.objects.filter(
            ~GatewayPause.sending_is_paused(transaction.gateway, now),
            pk=transaction.pk,
            state=TransactionState.AWAITING_RESULT,
            attempt_no=transaction.attempt_no,
        )
        if not waiting.update(**columns):
            raise _Lost
        offered = Payment.objects.filter(pk=payment.pk, state=PaymentState.OFFERED)
        if not offered.update(**paid):
            raise _Lost

    try:
        in_transaction(claim)
    except _Lost:
        return False
    # The rows in memory get the committed values, so that they need not be read again.
    order.version, order.state = order.version + 1, OrderState.PENDING
    for name, value in columns.items():
        setattr(transaction, name, value)
    for name, value in paid.items():
        setattr(payment, name, value)
    payment.order = order
    payments = [opening.payment for opening in tried.openings if opening.payment is not None]
    order.known_payments = KnownPayments(version=order.version, payments=payments)
    return True
