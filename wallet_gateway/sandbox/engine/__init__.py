"""The engine: facts, a request and the behaviour in force give an answer. No HTTP, no sockets, no JSON text.

The verbs that a door may call are named here; every refusal is in ``engine.refusals``
or ``engine.wallet_refusals``.
"""

from __future__ import annotations

from wallet_gateway.sandbox.engine.accounts import create_payment_account, describe_payment_account
from wallet_gateway.sandbox.engine.authorizations import authorize
from wallet_gateway.sandbox.engine.checkouts import check_open, decide_checkout, open_checkout
from wallet_gateway.sandbox.engine.detached_refunds import carry_out_detached_refund
from wallet_gateway.sandbox.engine.follow_ups import carry_out_follow_up, make_portal_follow_up
from wallet_gateway.sandbox.engine.migration import import_migration_file
from wallet_gateway.sandbox.engine.public_keys import issue_public_key
from wallet_gateway.sandbox.engine.records import transaction_history
from wallet_gateway.sandbox.engine.settlement import settle_pending
from wallet_gateway.sandbox.engine.status import status_record, status_records
from wallet_gateway.sandbox.engine.three_d_secure import decide_authentication

__all__ = [
    "authorize",
    "carry_out_detached_refund",
    "carry_out_follow_up",
    "check_open",
    "create_payment_account",
    "decide_authentication",
    "decide_checkout",
    "describe_payment_account",
    "import_migration_file",
    "issue_public_key",
    "make_portal_follow_up",
    "open_checkout",
    "settle_pending",
    "status_record",
    "status_records",
    "transaction_history",
]
