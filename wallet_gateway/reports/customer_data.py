"""Everything that is held about one e-mail address, for a customer who asks (GDPR, article 15). No secrets.

Left out: keys, cryptograms, session hashes, tokens that open a page, and the names of the shop's staff.
Messages are the redacted copies, which also the admin shows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from wallet_gateway.client.redaction import redact_text
from wallet_gateway.domain.customers import is_same_email
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    SentMail,
    TransactionEvent,
    WalletAttempt,
)
from wallet_gateway.models.orders import ERASED
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.search import orders_of

Data = dict[str, Any]


def customer_data(email: str, *, gateway: str | None = None) -> Data:
    """Return what is held about an e-mail address, in any letter case, as data for JSON.

    With a gateway it is what the orders of that gateway hold.

    Amounts are decimal texts, times ISO 8601 texts in UTC. Of an order that somebody else gave as a present,
    the recipient is told the shipping address alone: the rest is about the buyer. It takes six statements for
    each order.
    """
    wanted = email.strip()
    orders = orders_of(email=wanted, gateway=gateway) if wanted else ()
    return {
        "email": wanted,
        "orders": [_order(order) if _is_buyer(order, wanted) else _delivery(order) for order in orders],
    }


def _is_buyer(order: PaymentOrder, email: str) -> bool:
    """Whether the address is the cardholder's, or one that the wallet gave, and not the recipient's only."""
    by_wallet = WalletAttempt.objects.filter(transaction__payment__order=order).values_list("given__email")
    by_shop = order.content.get("checkoutDetails", {}).get("cardholderEmail")
    return any(is_same_email(held, email) for held in (by_shop, *chain.from_iterable(by_wallet)))


def _delivery(order: PaymentOrder) -> Data:
    addresses = order.content.get("addressDetails", {})
    return {
        "reference": order.reference,
        "orderNumber": order.order_number,
        **_times(order, "created_at"),
        "shippingAddress": addresses.get("shippingAddress"),
    }


def _order(order: PaymentOrder) -> Data:
    transactions = _of_payments(
        GatewayTransaction.objects.filter(payment__order=order).select_related("wallet").order_by("pk")
    )
    events = _of_transactions(
        TransactionEvent.objects.filter(transaction__payment__order=order).order_by("pk")
    )
    return {
        "reference": order.reference,
        "orderNumber": order.order_number,
        "gateway": order.gateway,
        "type": order.type,
        "state": order.state,
        **_amount("amount", order.amount_minor, order.currency),
        "currency": order.currency,
        "language": order.language,
        "continueUrl": order.continue_url,
        **_times(order, "created_at", "updated_at", "payable_until", "cancelled_at", "released_at"),
        "cancellationNote": order.cancellation_note,
        "isErased": order.is_erased,
        "content": {name: value for name, value in order.content.items() if name != ERASED},
        "metadata": order.metadata,
        "payments": [
            _payment(payment, transactions[payment.pk], events) for payment in order.payments.order_by("pk")
        ],
        "approvals": [_approval(row) for row in Approval.objects.filter(payment__order=order)],
        "discrepancies": [_discrepancy(row) for row in Discrepancy.objects.filter(payment__order=order)],
        "signals": [_signal(row) for row in OutboxEvent.objects.filter(order=order).order_by("pk")],
        "mails": [_mail(row) for row in SentMail.objects.filter(order=order).order_by("pk")],
    }


def _of_payments(rows: Iterable[GatewayTransaction]) -> Mapping[int | None, Sequence[GatewayTransaction]]:
    found: defaultdict[int | None, list[GatewayTransaction]] = defaultdict(list)
    for row in rows:
        found[row.payment_id].append(row)
    return found


def _of_transactions(rows: Iterable[TransactionEvent]) -> Mapping[int, Sequence[TransactionEvent]]:
    found: defaultdict[int, list[TransactionEvent]] = defaultdict(list)
    for row in rows:
        found[row.transaction_id].append(row)
    return found


def _payment(
    payment: Payment,
    transactions: Sequence[GatewayTransaction],
    events: Mapping[int, Sequence[TransactionEvent]],
) -> Data:
    currency = payment.currency
    return {
        "reference": payment.reference,
        "number": payment.number,
        "type": payment.type,
        "state": payment.state,
        **_amount("amount", payment.amount_minor, currency),
        **_amount("authorized", payment.authorized, currency),
        **_amount("captured", payment.captured, currency),
        **_amount("refunded", payment.refunded, currency),
        "currency": currency,
        "cardType": payment.card_type,
        "cardNetwork": payment.card_network,
        "cardLastFour": payment.card_last_four,
        **_times(payment, "created_at"),
        "transactions": [_transaction(row, events[row.pk]) for row in transactions],
    }


def _transaction(row: GatewayTransaction, events: Sequence[TransactionEvent]) -> Data:
    return {
        "reference": row.reference,
        "kind": row.kind,
        "origin": row.origin,
        "state": row.state,
        **_amount("amount", row.amount_minor, row.currency),
        **_amount("approvedAmount", row.approved_minor, row.currency),
        "currency": row.currency,
        "recordId": row.record_id or "",
        "providerTransactionId": row.provider_transaction_id,
        "reasonCode": row.reason_code,
        "comment": row.comment,
        **_times(row, "created_at", "approved_at"),
        "request": _message(row.request_body),
        "wallet": _wallet(row),
        "events": [_event(event) for event in events],
    }


def _wallet(row: GatewayTransaction) -> Data | None:
    """Return what the wallet and its sheet have reported about the customer; None without a button."""
    if not hasattr(row, "wallet"):
        return None
    return {"given": row.wallet.given, "price": row.wallet.price, "reports": row.wallet.events}


def _event(row: TransactionEvent) -> Data:
    return {
        "kind": row.kind,
        "lifecycleEvent": row.lifecycle_event,
        "stateAfter": row.state_after,
        "explanation": row.explanation,
        **_times(row, "occurred_at"),
        "request": _message(row.request_body),
        "answer": _message(row.answer_body),
    }


def _approval(row: Approval) -> Data:
    return {
        "kind": row.kind,
        "state": row.state,
        **_amount("amount", row.amount_minor, row.currency),
        "currency": row.currency,
        "reasonCode": row.reason_code,
        "comment": row.comment,
        "cart": row.cart,
        **_times(row, "created_at", "decided_at"),
    }


def _discrepancy(row: Discrepancy) -> Data:
    about = {"kind": row.kind, "explanation": row.explanation, "reason": row.reason}
    return about | _times(row, "found_at", "closed_at")


def _signal(row: OutboxEvent) -> Data:
    about = {"kind": row.kind, **_amount("amount", row.amount_minor, row.currency)}
    return about | _times(row, "occurred_at", "delivered_at")


def _mail(row: SentMail) -> Data:
    return {"template": row.template, **_times(row, "sent_at")}


def _amount(name: str, minor: int | None, currency: str) -> Data:
    return {name: None if minor is None else Money.from_minor_units(minor, currency).to_wire()}


def _times(row: object, *columns: str) -> Data:
    """Return the times of a row under the names of their columns, as the other names are written."""
    return {_camel(column): _time(getattr(row, column)) for column in columns}


def _camel(column: str) -> str:
    first, *others = column.split("_")
    return first + "".join(map(str.capitalize, others))


def _time(instant: datetime | None) -> str | None:
    return None if instant is None else instant.astimezone(UTC).isoformat()


def _message(body: str) -> object:
    """Return a message as it is shown to people: redacted, and as JSON where it is JSON."""
    if not body:
        return None
    redacted = redact_text(body)
    try:
        return json.loads(redacted)
    except ValueError:
        return redacted
