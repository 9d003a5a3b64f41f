"""The engine: facts, a request and the behaviour in force give an answer. No HTTP, no sockets, no JSON text.

The verbs that a door may call are named here; every refusal is in ``engine.refusals``.
"""

from __future__ import annotations

from wallet_gateway.sandbox.engine.checkouts import check_open, decide_checkout, open_checkout
from wallet_gateway.sandbox.engine.detached_refunds import carry_out_detached_refund
from wallet_gateway.sandbox.engine.follow_ups import carry_out_follow_up, make_portal_follow_up
from wallet_gateway.sandbox.engine.migration import import_migration_file
from wallet_gateway.sandbox.engine.records import transaction_history
from wallet_gateway.sandbox.engine.settlement import settle_pending
from wallet_gateway.sandbox.engine.status import status_record, status_records

__all__ = [
    "carry_out_detached_refund",
    "carry_out_follow_up",
    "check_open",
    "decide_checkout",
    "import_migration_file",
    "make_portal_follow_up",
    "open_checkout",
    "settle_pending",
    "status_record",
    "status_records",
    "transaction_history",
]
