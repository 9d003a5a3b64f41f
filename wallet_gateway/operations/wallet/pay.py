"""Pay with the result of the wallet's sheet: bind the result, look up the card, authorize once.

The order's amount, currency and merchant come from our rows. Of the browser's data only the account is used,
and the gateway's answer decides which card it is. A cryptogram is sent at most once.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import IntegrityError
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import WALLET_BUSY, ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.email_hashes import columns_of_wallet
from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_RESULTS, WalletEvent
from wallet_gateway.operations.checkout.payability import check_payable
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    InvalidState,
    PriceChanged,
    TryAgain,
    WalletUnavailable,
)
from wallet_gateway.operations.merchant_accounts import is_left_alone
from wallet_gateway.operations.polling.reconciliation import may_be_paid, query_again
from wallet_gateway.operations.sending.circuit_breaker import (
    check_sending_not_paused,
)
from wallet_gateway.operations.wallet import authorize
from wallet_gateway.operations.wallet.attempts import OrderAttempts, fresh, load
from wallet_gateway.operations.wallet.card import (
    Card,
    look_up,
    request_for,
)
from wallet_gateway.operations.wallet.encryption import CardSecrets
from wallet_gateway.operations.wallet.events import with_event
from wallet_gateway.operations.wallet.keys import cipher_of, is_refused
from wallet_gateway.operations.wallet.limits import check_authorizations, close_at_limit
from wallet_gateway.operations.wallet.pricing import choices_in, price_sheet, region_of
from wallet_gateway.operations.wallet.result import (
    bound_account,
    check_shipping,
    given_by,
    invalid_result,
    read_result,
    report_of,
)
from wallet_gateway.operations.wallet.usage import count_result, limits_of
from wallet_gateway.protocol.accounts import FailedWalletResult, WalletResult
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import RedirectDetails
from wallet_gateway.protocol.errors import FieldError

_TRIES = 5


def pay_with_wallet(
    *,
    tried: OrderAttempts,
    session: str,
    detail: object,
    context: GatewayContext,
    return_urls: Callable[[str], RedirectDetails],
) -> Payment:
    """Charge the card of a wallet result once; return its payment in any state.

    A repeated result returns the current payment. Raises `InvalidInput`,
    `InvalidState`, `OrderNotPayable`, `SendingStopped`, `WalletUnavailable`, `CardRefused`, `PriceChanged`
    and `TryAgain`, each before anything was charged.
    """
    result = read_result(detail)
    if isinstance(result, FailedWalletResult):
        return _failed(tried, session, result, context)
    transaction = tried.meant(result.client_system_transaction_id, session)
    if not fresh(transaction, context.clock.now()):
        return transaction.opened_payment
    if _query_pages(tried, context):
        tried = load(tried.order)
        transaction = tried.meant(transaction.reference, session)
    check_payable(tried.order, context.clock.now())
    context.check_sending_enabled()
    _count(tried, context)
    check_shipping(result, context.wallet_of(tried.order))
    _take(transaction, result, context)
    card = look_up(transaction, result, context)
    _check_price(tried.order, transaction, result, context)
    request = request_for(tried.order, transaction, card, context, return_urls)
    return _charge(tried, transaction, card, request, context)


def _count(tried: OrderAttempts, context: GatewayContext) -> None:
    """Count a result of the order; raise `WalletUnavailable` if no more are allowed."""
    with close_at_limit(tried.order, context):
        check_authorizations(tried, context)
        count_result(tried.order, limits=limits_of(context))


def _failed(
    tried: OrderAttempts, session: str, result: FailedWalletResult, context: GatewayContext
) -> Payment:
    """Record a failure of the sheet on the latest attempt; the order stays payable.

    If the gateway refuses the attempt's key, the page's next session has another one.
    """
    mine = tried.of_session(session)
    transaction = mine[-1] if mine else tried.meant(None, session)
    with close_at_limit(tried.order, context):
        count_result(tried.order, limits=limits_of(context))
    events = with_event(transaction.wallet, WalletEvent.ERROR, report_of(result), now=context.clock.now())
    WalletAttempt.objects.filter(pk=transaction.wallet.pk).update(events=events)
    is_refused(transaction.wallet.key, context=context)
    return transaction.opened_payment


def _query_pages(tried: OrderAttempts, context: GatewayContext) -> bool:
    """Query the order's hosted pages that may have been paid; return whether there are any.

    Raises `TryAgain` if the gateway does not say whether one is paid: the card would pay the order twice.
    """
    checkouts = (other for other in tried.openings if other.kind == TransactionKind.CHECKOUT)
    pages = [page for page in checkouts if may_be_paid(page) and not is_left_alone(page, context)]
    for page in pages:
        if not query_again(page, context=context):
            raise TryAgain(
                _(
                    "The gateway did not say whether the payment page is paid. Nothing was charged. Try "
                    "again."
                ),
            )
    return bool(pages)


def _take(transaction: GatewayTransaction, result: WalletResult, context: GatewayContext) -> None:
    """Count the result and bind the first one, with the price that was shown, to this attempt.

    So the amount charged always equals the amount recorded, whatever the browser sends at the same moment.
    """
    wallet = transaction.wallet
    for _attempt in range(MOST_RESULTS + 1):
        if wallet.results_count >= MOST_RESULTS:
            raise InvalidState(
                _("Reference %(reference)s has brought %(count)s results already. Load the page again."),
                ErrorCode.TOO_MANY_RESULTS,
                reference=transaction.reference,
                count=MOST_RESULTS,
            )
        if _bound(wallet, result, context):
            return
        # Another request has stored a result in the meantime; the number of results is limited, so retry.
        wallet.refresh_from_db()
    raise WalletUnavailable(*WALLET_BUSY)


def _bound(wallet: WalletAttempt, result: WalletResult, context: GatewayContext) -> bool:
    account, given = bound_account(result.transaction_account_id), given_by(result)
    columns = {
        "results_count": wallet.results_count + 1,
        "events": with_event(wallet, WalletEvent.RESULT, "", now=context.clock.now()),
    }
    if not wallet.results_count:
        columns |= {"account_id": account, "given": given, "price": wallet.price, **columns_of_wallet(given)}
    elif (wallet.account_id, wallet.given) != (account, given):
        fault = FieldError("transactionAccountId", "another result has been brought under this reference")
        raise invalid_result(fault)
    rows = WalletAttempt.objects.filter(pk=wallet.pk, results_count=wallet.results_count)
    try:
        return bool(in_transaction(lambda: rows.update(**columns)))
    except IntegrityError:
        fault = FieldError("transactionAccountId", "belongs to another attempt to pay")
        raise invalid_result(fault) from None


def _check_price(
    order: PaymentOrder, transaction: GatewayTransaction, result: WalletResult, context: GatewayContext
) -> None:
    """Price the sheet again with the wallet's final address."""
    if context.price is None:
        return
    snapshot = transaction.wallet.price
    chosen = choices_in(snapshot)
    if result.shipping_address is not None:
        chosen["address"] = region_of(result.shipping_address.to_wire())
    price = price_sheet(order, chosen, context=context)
    if price.errors or price.total.minor_units != snapshot["total"]:
        raise PriceChanged(_("The price on the wallet's sheet is out of date. Nothing was charged."))


def _charge(
    tried: OrderAttempts,
    transaction: GatewayTransaction,
    card: Card,
    request: AuthorizationRequest,
    context: GatewayContext,
) -> Payment:
    cipher = cipher_of(context)
    secrets = None
    if request.cryptogram is not None:
        secrets = CardSecrets(cryptogram=request.cryptogram, eci=request.eci_indicator).sealed(cipher)
    about_card = {
        "card_type": card.account.card_type.value,
        "card_network": card.network,
        "card_last_four": card.last_four,
    }
    for _attempt in range(_TRIES):
        # Again, because the look-up may have taken a minute. A page that was paid meanwhile has changed the
        # order by this, and so the claim is lost.
        _query_pages(tried, context)
        with close_at_limit(tried.order, context):
            check_authorizations(tried, context)
        if authorize.claim(tried, transaction, request, secrets, about_card, context):
            sent = authorize.send(transaction, request, key=card.key, context=context)
            return sent.opened_payment
        tried = load(tried.order)
        transaction = next(other for other in tried.openings if other.pk == transaction.pk)
        if transaction.state != TransactionState.AWAITING_RESULT:
            # Another request, from the same click or another tab, is already processing it.
            return transaction.opened_payment
        check_payable(tried.order, context.clock.now())
        check_sending_not_paused(context)
    raise WalletUnavailable(*WALLET_BUSY)
