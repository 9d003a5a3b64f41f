"""The money desk: operators run payments from Django's admin. Rows change by operations alone.

Importing this registers every page with the default admin site.
"""

from wallet_gateway.admin import (
    approvals,
    batches,
    desk,
    discrepancies,
    evidence,
    migrated,
    orders,
    transactions,
)

__all__ = ["approvals", "batches", "desk", "discrepancies", "evidence", "migrated", "orders", "transactions"]
