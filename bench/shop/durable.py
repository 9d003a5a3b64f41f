"""The bound: the rows of one checkout in their two transactions, and nothing of the plugin's own work.

What a record that survives a crash costs whoever keeps it: the intent is committed before the request leaves,
the evidence after its answer. The SQL is written by hand; no message is built, checked or redacted, no order
is read, and no answer is judged.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction
from django.utils import timezone

from wallet_gateway.models import Evidence, GatewayTransaction, Payment

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.backends.utils import CursorWrapper
    from django.db.models import Model

LOCK = "UPDATE wallet_gateway_paymentorder SET version = 1 WHERE id = %s AND version = 0 AND state = 'OPEN'"
OPEN = """UPDATE wallet_gateway_gatewaytransaction SET state = 'OPEN', state_since = %s, lease_until = NULL,
    expires_at = %s, next_query_at = %s, redirect_url = %s, request_body = ''
    WHERE id = %s AND state = 'SENDING' AND attempt_no = 1"""
MONEY = {"currency": "EUR", "amount_minor": 1000}


def checkout(order: int, reference: str, body: str, ask: Callable[[], str]) -> str:
    """Write the intent, commit, ask for the page, write its address and the evidence, commit."""
    now = timezone.now()
    with transaction.atomic(durable=True), connection.cursor() as rows:
        rows.execute(LOCK, [order])
        named = {"reference": reference, "created_at": now}
        payment = _insert(rows, Payment, {**_payment(), **named, "order_id": order})
        claim = {"payment_id": payment, "state_since": now, "lease_until": now, "expires_at": now}
        intent = _insert(rows, GatewayTransaction, {**_intent(), **named, **claim, "request_body": body})
    url = ask()
    now = timezone.now()
    with transaction.atomic(durable=True), connection.cursor() as rows:
        rows.execute(OPEN, [now, now, now, url, intent])
        learned = {"intent_id": intent, "request_body": body, "answer_body": url, "occurred_at": now}
        _insert(rows, Evidence, {**_evidence(), **learned})
    return url


def _insert(rows: CursorWrapper, model: type[Model], values: dict[str, Any]) -> int:
    rows.execute(_text(model, tuple(values)), list(values.values()))
    if connection.features.can_return_columns_from_insert:
        return int(rows.fetchone()[0])
    return int(rows.lastrowid)


@lru_cache
def _text(model: type[Model], names: tuple[str, ...]) -> str:
    columns, places = ", ".join(names), ", ".join(["%s"] * len(names))
    text = f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({places})"
    return f"{text} RETURNING id" if connection.features.can_return_columns_from_insert else text


@lru_cache
def _payment() -> dict[str, Any]:
    return _columns(Payment(number=1, type="sale", **MONEY))


@lru_cache
def _intent() -> dict[str, Any]:
    body_hash = hashlib.sha256().hexdigest()
    kept = {"gateway": "default", "kind": "CHECKOUT", "state": "SENDING", "attempt_no": 1}
    return _columns(GatewayTransaction(body_hash=body_hash, **kept, **MONEY))


@lru_cache
def _evidence() -> dict[str, Any]:
    return _columns(
        Evidence(kind="ANSWER", event="OPENED", state_after="OPEN", http_status=200, elapsed_ms=1)
    )


def _columns(row: Model) -> dict[str, Any]:
    """Give every column of a row that is not NULL, as the database takes it."""
    values = {str(field.column): getattr(row, field.attname) for field in row._meta.concrete_fields}
    return {
        column: str(value) if isinstance(value, str) else value
        for column, value in values.items()
        if value is not None
    }
