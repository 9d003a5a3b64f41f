"""Detect transactions that were sent under another merchant account than the settings name today."""

from __future__ import annotations

from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.protocol.wire import SentAccount


def foreign_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return the account that a transaction was sent under, or an empty text if it is the configured one.

    The gateway has no record of it under the configured account, so an empty status answer proves nothing.
    If retention has erased the body, the account is unknown, and the text is empty.
    """
    body, configured = _sent_body(transaction), context.gateway.account
    if not body:
        return ""
    sent = SentAccount.from_json(body)
    if (sent.merchant_id, sent.store_id) == (configured.merchant_id, configured.store_id):
        return ""
    return f"merchantId {sent.merchant_id}, storeId {sent.store_id}"


def _sent_body(transaction: GatewayTransaction) -> str:
    """Return the request body: in the row until it has been sent, and then once in one of its events."""
    kept = TransactionEvent.objects.filter(transaction=transaction).exclude(request_body="").order_by("pk")
    return transaction.request_body or kept.values_list("request_body", flat=True).first() or ""
