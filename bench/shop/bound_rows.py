"""The rows of a checkout's bound, each column with its SQL, and the statements that write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ORDERS, PAYMENTS = "wallet_gateway_paymentorder", "wallet_gateway_payment"
TRANSACTIONS, EVENTS = "wallet_gateway_gatewaytransaction", "wallet_gateway_transactionevent"

PAYMENT = {
    "order_id": "chosen.id",
    "number": "1",
    "reference": "%(reference)s",
    "type": "chosen.type",
    "currency": "chosen.currency",
    "exponent": "chosen.exponent",
    "amount_minor": "chosen.amount_minor",
    **dict.fromkeys(("authorized", "captured", "refunded", "capture_reserved", "refund_reserved"), "0"),
    "reversal": "'none'",
    **dict.fromkeys(("card_type", "card_network", "card_last_four"), "''"),
    "is_frozen": "FALSE",
    "is_test": "TRUE",
    "state": "'OPEN'",
    "created_at": "%(now)s",
}
TRANSACTION = {
    "payment_id": "paid.id",
    "gateway": "'default'",
    "kind": "'CHECKOUT'",
    "origin": "'SHOP'",
    "reference": "%(reference)s",
    "payment_type": "chosen.type",
    "currency": "chosen.currency",
    "exponent": "chosen.exponent",
    "amount_minor": "chosen.amount_minor",
    **dict.fromkeys(("excess_minor", "query_priority", "poll_step", "query_count", "absent_count"), "0"),
    "state": "'SENDING'",
    "state_changed_at": "%(now)s",
    "attempt_no": "1",
    "leased_until": "%(leased_until)s",
    **dict.fromkeys(("holds_reservation", "needs_operator", "decided_by_person"), "FALSE"),
    "request_body": "chosen.body",
    "body_hash": "chosen.body_hash",
    "merchant_id": "'SANDBOX-MERCHANT'",
    "store_id": "'SANDBOX-STORE'",
    "expires_at": "%(expires_at)s",
    **dict.fromkeys(("redirect_url", "provider_transaction_id", "provider_state", "error_code"), "''"),
    **dict.fromkeys(("created_by", "created_by_account", "reason_code", "comment"), "''"),
    **dict.fromkeys(
        ("reported_id", "undocumented_state", "refusal_seen_by", "refusal_seen_by_account"), "''"
    ),
    "explanation_code": "''",
    "explanation_params": "'{}'",
    "created_at": "%(now)s",
}
OPENED = {
    "state": "'OPEN'",
    "state_changed_at": "%(now)s",
    "leased_until": "NULL",
    "request_body": "''",
    "redirect_url": "%(url)s",
    "next_query_at": "%(next_query_at)s",
}
EVENT = {
    "transaction_id": "opened.id",
    "kind": "'ANSWER'",
    "lifecycle_event": "'OPENED'",
    "state_after": "'OPEN'",
    "http_status": "200",
    "request_body": "%(body)s",
    "answer_body": "%(answer)s",
    "elapsed_ms": "%(elapsed_ms)s",
    **dict.fromkeys(("discrepancy_kind", "explanation_code", "created_by", "created_by_account"), "''"),
    "explanation_params": "'{}'",
    "occurred_at": "%(now)s",
}


def _insert(table: str, row: Mapping[str, str], source: str) -> str:
    return f"INSERT INTO {table} ({', '.join(row)}) SELECT {', '.join(row.values())} FROM {source}"


_SET = ", ".join(f"{column} = {value}" for column, value in OPENED.items())
OPEN = f"UPDATE {TRANSACTIONS} SET {_SET} WHERE id = %(id)s AND state = 'SENDING' AND attempt_no = 1"
_PAYABLE = "reference = %(order)s AND gateway = 'default' AND version = 0 AND state = 'OPEN'"

BEGIN_AT_ONCE = f"""
    WITH payable AS (
        SELECT id, type, currency, exponent, amount_minor, %(head)s || substr(content::text, 2) AS body
        FROM {ORDERS} WHERE {_PAYABLE} FOR NO KEY UPDATE
    ), chosen AS MATERIALIZED (
        SELECT *, encode(sha256(convert_to(body, 'UTF8')), 'hex') AS body_hash FROM payable
    ), paid AS (
        {_insert(PAYMENTS, PAYMENT, "chosen")} RETURNING id
    )
    {_insert(TRANSACTIONS, TRANSACTION, "chosen, paid")} RETURNING id, request_body
"""
OPEN_AT_ONCE = f"WITH opened AS ({OPEN} RETURNING id) {_insert(EVENTS, EVENT, 'opened')}"

# SQLite writes with a lock on the whole file: what needs no lock is done before.
CONTENT = f"SELECT content FROM {ORDERS} WHERE {_PAYABLE}"
CHOSEN = f"(SELECT *, %(body)s AS body, %(body_hash)s AS body_hash FROM {ORDERS} WHERE {_PAYABLE}) AS chosen"
PAY = f"{_insert(PAYMENTS, PAYMENT, CHOSEN)} RETURNING id"
SEND = f"{_insert(TRANSACTIONS, TRANSACTION, f'{CHOSEN}, (SELECT %(payment)s AS id) AS paid')} RETURNING id"
RECORD = _insert(EVENTS, EVENT, "(SELECT %(id)s AS id) AS opened")
