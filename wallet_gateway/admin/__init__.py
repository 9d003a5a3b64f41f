"""Django admin for payments: lists, operation pages, the dashboard. Only operations change rows.

Importing this registers every page with the default admin site.
"""

from wallet_gateway.admin import (
    approvals,
    batches,
    dashboard,
    deposits,
    discrepancies,
    orders,
    transaction_events,
    transactions,
)

__all__ = [
    "approvals",
    "batches",
    "dashboard",
    "deposits",
    "discrepancies",
    "orders",
    "transaction_events",
    "transactions",
]
