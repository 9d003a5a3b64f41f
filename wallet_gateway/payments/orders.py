"""Create and read orders, open the hosted payment page, and query the status of payments.

It gathers public names; what they do is in `order_creation`, `checkout`, `cancellation`, `reconciliation`.
"""

from __future__ import annotations

from typing import Any

from wallet_gateway import access_tokens
from wallet_gateway.domain.gateway_records import GatewayRecord, Payer, RecordedAddress
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.payments.cancellation import cancel
from wallet_gateway.payments.checkout import start_checkout
from wallet_gateway.payments.order_creation import create_order, get_order, get_order_by_token
from wallet_gateway.payments.reconciliation import (
    TransactionRecords,
    gateway_records,
    reconcile,
    reconcile_attempt,
)
from wallet_gateway.protocol.status import UnreadableRecord
from wallet_gateway.reports import customer_data as subject_access
from wallet_gateway.reports import orders as order_reports
from wallet_gateway.reports.attempts import find_attempt
from wallet_gateway.reports.orders import OrderSummary, TimelineEntry
from wallet_gateway.reports.receipts import Receipt, ReceiptAmount, ReceiptLine, order_receipt

__all__ = [
    "GatewayRecord",
    "OrderSummary",
    "Payer",
    "Receipt",
    "ReceiptAmount",
    "ReceiptLine",
    "RecordedAddress",
    "TimelineEntry",
    "TransactionRecords",
    "UnreadableRecord",
    "access_token",
    "attempt_for",
    "cancel",
    "create_order",
    "customer_data",
    "gateway_records",
    "get_order",
    "get_order_by_token",
    "order_summary",
    "order_timeline",
    "receipt",
    "reconcile",
    "reconcile_attempt",
    "start_checkout",
]


@sensitive_variables()
def access_token(order: PaymentOrder) -> str:
    """Return a token with which an app acts for this order in the JSON API, without cookies and CSRF token.

    Give it to the order's own customer only. It opens no other order; a new one continues what was begun with
    an earlier one. It is signed and stored nowhere, so it cannot be revoked.

    :param order: the order of the customer who uses the app.
    :returns: text, sent as `Authorization: Bearer ...`; it ends after `ACCESS_TOKEN_SECONDS`.
    """
    return access_tokens.sign(order.token)


@sensitive_variables()
def attempt_for(reference: str) -> Payment:
    """Return the payment attempt with this clientSystemTransactionId.

    :param reference: as the gateway and the return URLs have it, of 1 to 64 characters.
    :returns: the attempt with its order, as stored.
    :raises Payment.DoesNotExist: if no attempt has it.
    """
    return find_attempt(reference)


@sensitive_variables()
def order_summary(order: PaymentOrder) -> OrderSummary:
    """Return the totals of an order's payments.

    :param order: any order.
    :returns: amounts authorized, captured, refunded and reserved, and the open attempt.
    """
    return order_reports.order_summary(order)


@sensitive_variables()
def order_timeline(order: PaymentOrder, *, everything: bool = False) -> tuple[TimelineEntry, ...]:
    """Return an order's history, the oldest first.

    Unused buttons are one entry, at the time of the last one: each page reload may show a new button.

    :param order: any order.
    :param everything: for staff: adds events that changed no state, how the button loaded in the browser, the
        approval requests and the discrepancies.
    :returns: the entries; two SQL statements, with `everything` two more, however long the history is.
    """
    return order_reports.order_timeline(order, everything=everything)


@sensitive_variables()
def receipt(order: PaymentOrder) -> Receipt | None:
    """Return what a customer has paid for and with, for a thank-you page of the shop's own.

    It names no person, but goods and the last digits of a card: show it to the customer only.

    :param order: any order.
    :returns: the receipt; None for an order that nothing was approved for. One SQL statement, none for an
        order that was just reconciled; one more where the wallet's sheet has changed the amount.
    """
    return order_receipt(order)


@sensitive_variables()
def customer_data(email: str, *, gateway: str | None = None) -> dict[str, Any]:
    """Return everything that is held about an e-mail address, for a customer who asks for their data.

    Orders with their customer, addresses, goods and metadata, payments, transactions, events and mails; no
    keys, tokens or names of the shop's staff.

    :param email: one address in any letter case: `"ada@shop.example"`.
    :param gateway: alias of the gateway whose orders alone are read, where gateways are brands or tenants:
        `"brand"`; None for all.
    :returns: a dict of texts, numbers, lists and dicts, ready for `json.dumps`.
    """
    return subject_access.customer_data(email, gateway=gateway)
