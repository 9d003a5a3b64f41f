"""Answers to a status query, made by hand where the sandbox is too honest to give them."""

from __future__ import annotations

from typing import Any

from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.polling.status_query import type_of
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.strict_json import NumberText


def record(transaction: GatewayTransaction, amount: str, **changes: Any) -> dict[str, Any]:
    """An approved record of a transaction with this amount, with changes by canonical name."""
    return {
        "id": "g1",
        "state": "Approved",
        "currencyCode": transaction.currency,
        "transactionAmount": NumberText(amount),
        "clientSystemTransactionId": transaction.reference,
        "type": type_of(transaction),
        "transactionDateTime": "2026-01-15T10:30:00.0000000",
    } | changes


def answer_of(*records: dict[str, Any]) -> bytes:
    """The body of a status query's answer."""
    return strict_json.dumps(records)
