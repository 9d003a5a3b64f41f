"""Everything that is held about one e-mail address, for a customer who asks (GDPR, article 15). No secrets.

Left out: keys, cryptograms, session hashes, tokens that open a page, and the names of the shop's staff.
Messages are the redacted copies, which also the admin shows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from wallet_gateway.client.redaction import redact_text
from wallet_gateway.domain.people import is_same_email
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    OutboxEvent,
    PaymentOrder,
    SentMail,
    TransactionEvent,
    WalletAttempt,
)
from wallet_gateway.models.orders import ERASED
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.search import orders_of

Data = dict[str, Any]

_ORDER = (
    "reference",
    "order_number",
    "gateway",
    "type",
    "state",
    "amount_minor",
    "currency",
    "language",
    "continue_url",
    "created_at",
    "updated_at",
    "payable_until",
    "cancelled_at",
    "released_at",
    "cancellation_note",
    "is_erased",
    "content",
    "metadata",
)
_PAYMENT = (
    "reference",
    "number",
    "type",
    "state",
    "amount_minor",
    "authorized",
    "captured",
    "refunded",
    "capture_reserved",
    "refund_reserved",
    "currency",
    "card_type",
    "card_network",
    "card_last_four",
    "created_at",
)
_TRANSACTION = (
    "reference",
    "kind",
    "origin",
    "state",
    "amount_minor",
    "approved_minor",
    "currency",
    "record_id",
    "provider_transaction_id",
    "reason_code",
    "comment",
    "created_at",
    "approved_at",
)
_EVENT = ("kind", "lifecycle_event", "state_after", "explanation", "occurred_at")
_APPROVAL = (
    "kind",
    "state",
    "amount_minor",
    "currency",
    "reason_code",
    "comment",
    "sends",
    "created_at",
    "decided_at",
)
_DISCREPANCY = ("kind", "explanation", "reason", "found_at", "closed_at")
_SIGNAL = ("kind", "amount_minor", "occurred_at", "delivered_at")
_AMOUNTS = {
    "amount_minor": "amount",
    "approved_minor": "approvedAmount",
    "authorized": "authorized",
    "captured": "captured",
    "refunded": "refunded",
    "capture_reserved": "captureReserved",
    "refund_reserved": "refundReserved",
}
"""Columns in minor units, and the names under which the customer reads the amounts."""


@sensitive_variables()
def customer_data(email: str, *, gateway: str | None = None) -> Data:
    """Return everything that is held about an e-mail address, for a customer who asks for their data.

    Orders with their customer, addresses, goods and metadata, payments, transactions, events and mails; no
    keys, tokens or names of the shop's staff. Of an order that somebody else gave as a present, the recipient
    is told the shipping address alone: the rest is about the buyer.

    :param email: one address in any letter case: `"ada@shop.example"`.
    :param gateway: alias of the gateway whose orders alone are read, where gateways are brands or tenants:
        `"brand"`; None for all.
    :returns: a dict of texts, numbers, lists and dicts, ready for `json.dumps`.
    """
    wanted = email.strip()
    orders = orders_of(email=wanted, gateway=gateway) if wanted else ()
    told = []
    for order in orders:
        if _is_buyer(order, wanted):
            told.append(_order(order))
        else:
            addresses = order.content.get("addressDetails", {})
            about = _data(order, "reference", "order_number", "created_at")
            told.append(about | {"shippingAddress": addresses.get("shippingAddress")})
    return {"email": wanted, "orders": told}


def _is_buyer(order: PaymentOrder, email: str) -> bool:
    """Whether the address is the cardholder's, or one that the wallet gave, and not the recipient's only."""
    by_wallet = WalletAttempt.objects.filter(transaction__payment__order=order)
    by_shop = order.content.get("checkoutDetails", {}).get("cardholderEmail")
    held = [by_shop, *by_wallet.values_list("given__email", flat=True)]
    return any(is_same_email(address, email) for address in held)


def _order(order: PaymentOrder) -> Data:
    transactions, events = defaultdict(list), defaultdict(list)
    of_order = TransactionEvent.objects.filter(transaction__payment__order=order)
    for event in of_order.order_by("pk"):
        bodies = {"request": _message(event.request_body), "answer": _message(event.answer_body)}
        events[event.transaction_id].append(_data(event, *_EVENT) | bodies)
    rows = GatewayTransaction.objects.filter(payment__order=order).select_related("wallet")
    for row in rows.order_by("pk"):
        wallet = getattr(row, "wallet", None)
        transactions[row.payment_id].append(
            _data(row, *_TRANSACTION)
            | {
                "recordId": row.record_id or "",
                "request": _message(row.request_body),
                # What the wallet and its sheet have reported about the customer; None without a button.
                "wallet": wallet and {"given": wallet.given, "price": wallet.price, "reports": wallet.events},
                "events": events[row.pk],
            }
        )
    return _data(order, *_ORDER) | {
        "content": {name: value for name, value in order.content.items() if name != ERASED},
        "payments": [
            _data(payment, *_PAYMENT) | {"transactions": transactions[payment.pk]}
            for payment in order.payments.order_by("pk")
        ],
        "approvals": [_data(row, *_APPROVAL) for row in Approval.objects.filter(payment__order=order)],
        "discrepancies": [
            _data(row, *_DISCREPANCY) for row in Discrepancy.objects.filter(payment__order=order)
        ],
        "signals": [_data(row, *_SIGNAL) for row in OutboxEvent.objects.filter(order=order).order_by("pk")],
        "mails": [
            _data(row, "template", "sent_at") for row in SentMail.objects.filter(order=order).order_by("pk")
        ],
    }


def _data(row: Any, *columns: str) -> Data:  # noqa: ANN401 - a row of any model
    """Return columns of a row, named in camel case: amounts as decimal texts, times as ISO 8601 in UTC."""
    found: Data = {}
    for column in columns:
        value = getattr(row, column)
        first, *others = column.split("_")
        name = _AMOUNTS.get(column) or first + "".join(map(str.capitalize, others))
        if column in _AMOUNTS and value is not None:
            value = Money.from_minor_units(value, row.currency).to_wire()
        found[name] = value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
    return found


def _message(body: str) -> object:
    """Return a message as it is shown to people: redacted, and as JSON where it is JSON."""
    if not body:
        return None
    redacted = redact_text(body)
    try:
        return json.loads(redacted)
    except ValueError:
        return redacted
