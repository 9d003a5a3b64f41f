"""Rows for spreadsheets and programs, streamed in bounded memory. No message bodies, no customer data."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet

from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder, TransactionEvent
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import escape_formula

_CHUNK = 2000


class Echo:
    """A file object that returns what is written to it, so that a CSV is streamed line by line."""

    def write(self, text: str) -> str:
        """Return the text."""
        return text


Columns = Mapping[str, Callable[[Any], object]]


def _money(minor: int | None, currency: str) -> str:
    return "" if minor is None else Money.from_minor_units(minor, currency).to_wire()


_ORDERS: Columns = {
    "reference": lambda row: row.reference,
    "orderNumber": lambda row: row.order_number,
    "gateway": lambda row: row.gateway,
    "type": lambda row: row.type,
    "state": lambda row: row.state,
    "amount": lambda row: _money(row.amount_minor, row.currency),
    "currency": lambda row: row.currency,
    "createdAt": lambda row: row.created_at,
    "updatedAt": lambda row: row.updated_at,
}
_TRANSACTIONS: Columns = {
    "reference": lambda row: row.reference,
    "kind": lambda row: row.kind,
    "origin": lambda row: row.origin,
    "order": lambda row: row.payment.order.reference if row.payment else "",
    "parentTransactionId": lambda row: row.deposit.parent_transaction_id if row.deposit else "",
    "gateway": lambda row: row.gateway,
    "state": lambda row: row.state,
    "amount": lambda row: _money(row.amount_minor, row.currency),
    "approvedAmount": lambda row: _money(row.approved_minor, row.currency),
    "currency": lambda row: row.currency,
    "approvedAt": lambda row: row.approved_at or "",
    "recordId": lambda row: row.record_id or "",
    "providerTransactionId": lambda row: row.provider_transaction_id,
    "createdBy": lambda row: row.created_by,
    "reasonCode": lambda row: row.reason_code,
    "comment": lambda row: row.comment,
    "createdAt": lambda row: row.created_at,
    "stateSince": lambda row: row.state_changed_at,
}
_EVENTS: Columns = {
    "transaction": lambda row: row.transaction.reference,
    "kind": lambda row: row.kind,
    "lifecycleEvent": lambda row: row.lifecycle_event,
    "stateAfter": lambda row: row.state_after,
    "explanationCode": lambda row: row.explanation_code,
    "explanation": lambda row: row.explanation,
    "httpStatus": lambda row: row.http_status if row.http_status is not None else "",
    "createdBy": lambda row: row.created_by,
    "occurredAt": lambda row: row.occurred_at,
}
_DISCREPANCIES: Columns = {
    "kind": lambda row: row.kind,
    "gateway": lambda row: row.gateway,
    "transaction": lambda row: row.transaction.reference if row.transaction else "",
    "explanationCode": lambda row: row.explanation_code,
    "explanation": lambda row: row.explanation,
    "foundAt": lambda row: row.found_at,
    "closedAt": lambda row: row.closed_at or "",
    "closedBy": lambda row: row.closed_by,
    "reason": lambda row: row.reason,
}
_WHAT: Mapping[str, tuple[type[Model], str, tuple[str, ...], Columns]] = {
    "orders": (PaymentOrder, "created_at", (), _ORDERS),
    "transactions": (GatewayTransaction, "created_at", ("payment__order", "deposit"), _TRANSACTIONS),
    "events": (TransactionEvent, "occurred_at", ("transaction",), _EVENTS),
    "discrepancies": (Discrepancy, "found_at", ("transaction",), _DISCREPANCIES),
}
EXPORTS = tuple(_WHAT)
"""The names of the possible exports."""


def export_csv(what: str, *, since: datetime | None = None, until: datetime | None = None) -> Iterator[str]:
    """Yield rows as lines of CSV under a header. No cell begins like a spreadsheet formula."""
    columns = _WHAT[what][3]
    writer = csv.writer(Echo(), quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    yield writer.writerow(columns)
    for row in _rows(what, since, until):
        yield writer.writerow([escape_formula(_text(read(row))) for read in columns.values()])


def export_json(what: str, *, since: datetime | None = None, until: datetime | None = None) -> Iterator[str]:
    """Yield rows as JSON, one object per line."""
    columns = _WHAT[what][3]
    for row in _rows(what, since, until):
        yield json.dumps({name: _text(read(row)) for name, read in columns.items()}) + "\n"


def _rows(what: str, since: datetime | None, until: datetime | None) -> Iterator[Any]:
    model, column, related, _ = _WHAT[what]
    rows: QuerySet[Any] = QuerySet(model=model).select_related(*related) if related else QuerySet(model=model)
    if since is not None:
        rows = rows.filter(**{f"{column}__gte": since})
    if until is not None:
        rows = rows.filter(**{f"{column}__lt": until})
    return rows.order_by("pk").iterator(chunk_size=_CHUNK)


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
