"""Rows made directly, for tests of what a table itself refuses; no operation had a hand in them."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from wallet_gateway import gateways
from wallet_gateway.domain.states import OPENING_KINDS, TransactionKind, TransactionState
from wallet_gateway.email_hashes import columns_of_order, columns_of_wallet
from wallet_gateway.models import (
    Approval,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
    WalletAttempt,
    WalletKey,
)

NOW = datetime(2026, 5, 17, 12, 0, tzinfo=UTC)
_numbers = itertools.count(1)
_NEXT = {
    TransactionState.SENDING: ("leased_until",),
    TransactionState.NOT_SENT: ("next_send_at", "expires_at"),
    TransactionState.AWAITING_RESULT: ("expires_at",),
    TransactionState.UNKNOWN: ("next_query_at",),
    TransactionState.OPEN: ("next_query_at",),
    TransactionState.AWAITING_3DS: ("next_query_at",),
    TransactionState.PENDING: ("next_query_at",),
}


def an_order(**columns: Any) -> PaymentOrder:
    given: dict[str, Any] = {
        "reference": f"ORDER-{next(_numbers)}",
        "type": "sale",
        "currency": "EUR",
        "amount_minor": 2000,
        "content_hash": "0" * 64,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return PaymentOrder.objects.create(**given | columns | columns_of_order(columns.get("content", {})))


def a_payment(order: PaymentOrder | None = None, **columns: Any) -> Payment:
    order = order or an_order()
    given: dict[str, Any] = {
        "order": order,
        "number": order.payments.count() + 1,
        "reference": f"REF-{next(_numbers)}",
        "type": order.type,
        "currency": order.currency,
        "amount_minor": order.amount_minor,
        "is_test": gateways.is_test(order.gateway),
        "created_at": NOW,
    }
    return Payment.objects.create(**given | columns)


def a_deposit(**columns: Any) -> MigratedDeposit:
    given: dict[str, Any] = {
        "gateway": "default",
        "parent_transaction_id": f"EARLIER-{next(_numbers)}",
        "currency": "EUR",
        "is_test": gateways.is_test(columns.get("gateway", "default")),
        "created_at": NOW,
    }
    return MigratedDeposit.objects.create(**given | columns)


def a_transaction(payment: Payment | None = None, **columns: Any) -> GatewayTransaction:
    if payment is None and "deposit" not in columns:
        payment = a_payment()
    given: dict[str, Any] = {
        "payment": payment,
        "gateway": "default",
        "kind": TransactionKind.CAPTURE,
        "reference": f"INT-{next(_numbers)}",
        "currency": "EUR",
        "amount_minor": 500,
        "state": TransactionState.SENDING,
        "state_changed_at": NOW,
        "created_at": NOW,
    }
    if payment is not None and columns.get("kind") in OPENING_KINDS:
        given["payment_type"] = payment.type
    # As every operation leaves it: what is approved has a time, what has not ended a next instant.
    if columns.get("state") == TransactionState.APPROVED:
        given["approved_at"] = columns.get("state_changed_at", NOW)
    given |= dict.fromkeys(_NEXT.get(columns.get("state", ""), ()), NOW + timedelta(minutes=2))
    return GatewayTransaction.objects.create(**given | columns)


def a_wallet_attempt(transaction: GatewayTransaction | None = None, **columns: Any) -> WalletAttempt:
    if transaction is None:
        kind, state = TransactionKind.AUTHORIZATION, TransactionState.AWAITING_RESULT
        transaction = a_transaction(kind=kind, state=state)
    key = WalletKey.objects.create(
        gateway="default", account="a" * 64, api_key=b"a", encryption_key=b"e", fetched_at=NOW, expires_at=NOW
    )
    given: dict[str, Any] = {
        "transaction": transaction,
        "key": key,
        "gateway": "default",
        "session_hash": "0" * 64,
    }
    return WalletAttempt.objects.create(**given | columns | columns_of_wallet(columns.get("given", {})))


def an_approval(**columns: Any) -> Approval:
    given: dict[str, Any] = {
        "gateway": "default",
        "kind": TransactionKind.REFUND,
        "currency": "EUR",
        "amount_minor": 500,
        "idempotency_key": f"KEY-{next(_numbers)}",
        "created_by": "anna",
        "created_at": NOW,
        "expires_at": NOW + timedelta(days=7),
    }
    if "payment" not in columns:
        given["payment"] = a_payment()
    return Approval.objects.create(**given | columns)
