"""Whose request it was: the settings may name another account of the gateway than the one that sent it."""

from __future__ import annotations

import json

from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.operations.context import GatewayContext


def foreign_merchant_account(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return in words the account that a transaction was sent for, where the settings name another; else "".

    The gateway knows nothing of it under the settings' account, so an empty answer tells nothing. A body that
    retention has erased tells nothing, either.
    """
    sent = json.loads(_body(transaction) or "{}")
    ours = context.gateway.account
    theirs = sent.get("merchantId", ours.merchant_id), sent.get("storeId", ours.store_id)
    if theirs == (ours.merchant_id, ours.store_id):
        return ""
    return "merchantId {}, storeId {}".format(*theirs)


def _body(transaction: GatewayTransaction) -> str:
    """Return what was sent: it stands in the row until it has left, and then once, in its evidence."""
    kept = TransactionEvent.objects.filter(transaction=transaction).exclude(request_body="").order_by("pk")
    return transaction.request_body or kept.values_list("request_body", flat=True).first() or ""
