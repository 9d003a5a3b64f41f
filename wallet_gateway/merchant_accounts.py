"""Which merchant account a request or a key belongs to, whatever the settings of its gateway name today.

An alias may be given another account, or go live. What was made before is unknown to the new account: a
status answer without a record proves nothing, a follow-up would find no payment, and a key opens nothing. A
live account is not even asked about a test; what is of unknown mode counts as live.
"""

from __future__ import annotations

import hashlib

from django.db.models import Q
from django.utils.translation import gettext_noop as _

from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.models.maintenance import not_tests
from wallet_gateway.operation_errors import InvalidState


def foreign_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return the account that a transaction was sent under, or an empty text if it is the configured one.

    The gateway has no record of it under the configured account, so an empty status answer proves nothing.
    """
    sent, configured = (transaction.merchant_id, transaction.store_id), context.gateway.account
    if transaction.is_test not in {None, context.is_test}:
        return _named(*sent, profile=_profile(is_test=not context.is_test))
    if sent in {("", ""), (configured.merchant_id, configured.store_id)}:
        return ""
    return _named(*sent)


def is_left_alone(transaction: GatewayTransaction, context: GatewayContext) -> bool:
    """Return whether a test's account is live now: the gateway is not asked about it."""
    return bool(transaction.is_test) and not context.is_test


def asked_about(context: GatewayContext) -> Q:
    """Return the condition of the transactions of a gateway that are not left alone."""
    return Q() if context.is_test else not_tests()


def check_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> None:
    """Raise `InvalidState` if what follows a transaction would be sent under another account than it was."""
    if used := foreign_merchant_account(transaction, context):
        raise _account_changed(used, context)


def check_account_of_deposit(deposit: MigratedDeposit, context: GatewayContext) -> None:
    """Raise `InvalidState` if a refund of a deposit would mix real money with a test."""
    if deposit.is_test not in {None, context.is_test} and (deposit.refunded or deposit.refund_reserved):
        raise _account_changed(_profile(is_test=not context.is_test), context)


def _account_changed(used: str, context: GatewayContext) -> InvalidState:
    account, profile = context.gateway.account, _profile(is_test=context.is_test)
    now = _named(account.merchant_id, account.store_id, profile=profile if "PROFILE" in used else "")
    return InvalidState(
        _(
            "The payment was made with the account %(used)s, but gateway %(gateway)s has another "
            "account now: %(now)s. Nothing was sent. Give the gateway its former account back, "
            "and the new account an alias of its own."
        ),
        ErrorCode.MERCHANT_ACCOUNT_CHANGED,
        gateway=context.alias,
        used=used,
        now=now,
    )


def check_account_of_payment(payment: Payment, context: GatewayContext) -> None:
    """Raise `InvalidState` if a payment was made with another account than its gateway has now."""
    try:
        opening = payment.opening
    except GatewayTransaction.DoesNotExist:
        # A row that was made by hand names no account.
        return
    check_merchant_account(opening, context)


def _named(merchant_id: str, store_id: str, *, profile: str = "") -> str:
    names = [f"merchantId {merchant_id}, storeId {store_id}"] if merchant_id or store_id else []
    return ", ".join([*names, profile] if profile else names)


def _profile(*, is_test: bool) -> str:
    return f"PROFILE '{'test' if is_test else 'prod'}'"


def account_fingerprint(context: GatewayContext) -> str:
    """Return the SHA-256 of the configured account and of its gateway's address, to which keys belong."""
    account = context.gateway.account
    whole = (context.policy.address.url.rstrip("/"), account.merchant_id, account.store_id)
    return hashlib.sha256("\n".join(whole).encode()).hexdigest()
