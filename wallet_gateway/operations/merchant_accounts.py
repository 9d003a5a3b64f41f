"""Which merchant account a request or a key belongs to, whatever the settings of its gateway name today.

An alias may be given another account. What was made under the former one is unknown to the new one: a status
answer without a record proves nothing, a follow-up would find no payment, and a key opens nothing.
"""

from __future__ import annotations

import hashlib

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState


def foreign_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return the account that a transaction was sent under, or an empty text if it is the configured one.

    The gateway has no record of it under the configured account, so an empty status answer proves nothing.
    """
    sent, configured = (transaction.merchant_id, transaction.store_id), context.gateway.account
    if sent in {("", ""), (configured.merchant_id, configured.store_id)}:
        return ""
    return _named(*sent)


def check_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> None:
    """Raise `InvalidState` if what follows a transaction would be sent under another account than it was."""
    if used := foreign_merchant_account(transaction, context):
        account = context.gateway.account
        now = _named(account.merchant_id, account.store_id)
        raise InvalidState(ErrorCode.MERCHANT_ACCOUNT_CHANGED, gateway=context.alias, used=used, now=now)


def check_account_of_payment(payment: Payment, context: GatewayContext) -> None:
    """Raise `InvalidState` if a payment was made with another account than its gateway has now."""
    try:
        opening = payment.opening
    except GatewayTransaction.DoesNotExist:
        # A row that was made by hand names no account.
        return
    check_merchant_account(opening, context)


def _named(merchant_id: str, store_id: str) -> str:
    return f"merchantId {merchant_id}, storeId {store_id}"


def account_fingerprint(context: GatewayContext) -> str:
    """Return the SHA-256 of the configured account and of its gateway's address, to which keys belong."""
    account = context.gateway.account
    whole = (context.policy.address.url.rstrip("/"), account.merchant_id, account.store_id)
    return hashlib.sha256("\n".join(whole).encode()).hexdigest()
