"""Create and read orders, open the hosted payment page, and query the status of payments.

It gathers public names; what they do is in `order_creation`, `checkout`, `cancellation`,
`reconciliation`, and in `reports`.
"""

from __future__ import annotations

from wallet_gateway import access_tokens
from wallet_gateway.domain.gateway_records import GatewayRecord, Payer, RecordedAddress
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import PaymentOrder
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
from wallet_gateway.reports.attempts import attempt_for
from wallet_gateway.reports.customer_data import customer_data
from wallet_gateway.reports.orders import OrderSummary, TimelineEntry, order_summary, order_timeline
from wallet_gateway.reports.receipts import Receipt, ReceiptAmount, ReceiptLine
from wallet_gateway.reports.receipts import order_receipt as receipt

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
