"""Payments in Django's admin: lists, pages of operations, the dashboard. Rows change by operations alone.

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
