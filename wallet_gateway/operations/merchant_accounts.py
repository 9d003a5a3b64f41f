"""Detect transactions that were sent under another merchant account than the settings name today."""

from __future__ import annotations

from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.context import GatewayContext


def foreign_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return the account that a transaction was sent under, or an empty text if it is the configured one.

    The gateway has no record of it under the configured account, so an empty status answer proves nothing.
    """
    sent, configured = (transaction.merchant_id, transaction.store_id), context.gateway.account
    if sent in {("", ""), (configured.merchant_id, configured.store_id)}:
        return ""
    return "merchantId {}, storeId {}".format(*sent)
