"""Rows for spreadsheets and programs, streamed in bounded memory. No message bodies, no customer data."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from django.db.models import Exists, Min, Model, OuterRef, QuerySet, Subquery, Sum

from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.models.test_rows import is_test_row
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import escape_formula

_CHUNK = 2000


class Echo:
    """A file object that returns what is written to it, so that a CSV is streamed line by line."""

    def write(self, text: str) -> str:
        """Return the text."""
        return text


class By(StrEnum):
    """The time that limits an export of orders or transactions."""

    APPROVED = "approved"
    """When money moved; of an order, when any of its transactions did."""
    CREATED = "created"


TEST_COLUMN = "test"
"""The last column of each CSV, in which `yes_or_no` says whether no real money moved."""


def yes_or_no(value: bool) -> str:  # noqa: FBT001 - the value itself
    """Return a truth value as it is written in a cell, the same in every language."""
    return "yes" if value else "no"


Columns = Mapping[str, Callable[[Any], object]]
IsTest = Callable[[str], bool]
"""Returns whether no real money moves with a gateway now: for what has no payment or deposit yet.

The settings know it, which queries do not read.
"""


def _money(minor: int | None, currency: str) -> str:
    return "" if minor is None else Money.from_minor_units(minor, currency).to_wire()


_ORDERS: Columns = {
    "reference": lambda row: row.reference,
    "orderNumber": lambda row: row.order_number,
    "gateway": lambda row: row.gateway,
    "type": lambda row: row.type,
    "state": lambda row: row.state,
    "amount": lambda row: _money(row.amount_minor, row.currency),
    "captured": lambda row: _money(row.captured_minor or 0, row.currency),
    "refunded": lambda row: _money(row.refunded_minor or 0, row.currency),
    "currency": lambda row: row.currency,
    "approvedAt": lambda row: row.approved_at or "",
    "createdAt": lambda row: row.created_at,
    "updatedAt": lambda row: row.updated_at,
    "payableUntil": lambda row: row.payable_until or "",
    "cancelledAt": lambda row: row.cancelled_at or "",
    "cancelledBy": lambda row: row.cancelled_by,
    "releasedAt": lambda row: row.released_at or "",
    "metadata": lambda row: json.dumps(row.metadata, ensure_ascii=False) if row.metadata else "",
}
_TRANSACTIONS: Columns = {
    "reference": lambda row: row.reference,
    "kind": lambda row: row.kind,
    "origin": lambda row: row.origin,
    "order": lambda row: row.payment.order.reference if row.payment else "",
    "paymentType": lambda row: row.payment.type if row.payment else "",
    "wayOfPaying": lambda row: _way_of_paying(row),
    "cardType": lambda row: row.payment.card_type if row.payment else "",
    "cardNetwork": lambda row: row.payment.card_network if row.payment else "",
    "parentTransactionId": lambda row: row.deposit.parent_transaction_id if row.deposit else "",
    "gateway": lambda row: row.gateway,
    "state": lambda row: row.state,
    "amount": lambda row: _money(row.amount_minor, row.currency),
    "approvedAmount": lambda row: _money(row.approved_minor, row.currency),
    "aboveLimit": lambda row: _money(row.excess_minor, row.currency) if row.excess_minor else "",
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


class _Export(NamedTuple):
    model: type[Model]
    columns: Columns
    time: str
    """The column that limits it."""
    related: tuple[str, ...] = ()


_WHAT: Mapping[str, _Export] = {
    "orders": _Export(PaymentOrder, _ORDERS, "created_at"),
    "transactions": _Export(GatewayTransaction, _TRANSACTIONS, "created_at", ("payment__order", "deposit")),
    "events": _Export(
        TransactionEvent, _EVENTS, "occurred_at", ("transaction__payment", "transaction__deposit")
    ),
    "discrepancies": _Export(
        Discrepancy,
        _DISCREPANCIES,
        "found_at",
        ("payment", "deposit", "transaction__payment", "transaction__deposit"),
    ),
}
EXPORTS = tuple(_WHAT)
"""The names of the possible exports."""
WITH_MONEY = ("orders", "transactions")
"""Those that can be limited by when money moved."""


def export_csv(
    what: str,
    *,
    is_test: IsTest,
    since: datetime | None = None,
    until: datetime | None = None,
    by: By = By.APPROVED,
) -> Iterator[str]:
    """Yield rows as lines of CSV under a header. No cell begins like a spreadsheet formula.

    `by` says which time `since` and `until` limit; events and discrepancies have one time only.
    """
    columns = _columns(what, is_test)
    writer = csv.writer(Echo(), quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    yield writer.writerow(columns)
    for row in _rows(what, _limits(since, until), by):
        yield writer.writerow([escape_formula(_text(read(row))) for read in columns.values()])


def export_json(
    what: str,
    *,
    is_test: IsTest,
    since: datetime | None = None,
    until: datetime | None = None,
    by: By = By.APPROVED,
) -> Iterator[str]:
    """Yield rows as JSON, one object per line; `by` as for `export_csv`."""
    columns = _columns(what, is_test)
    for row in _rows(what, _limits(since, until), by):
        yield json.dumps({name: _text(read(row)) for name, read in columns.items()}) + "\n"


def _columns(what: str, is_test: IsTest) -> Columns:
    """Return the columns of an export; the last one says which rows nobody may book."""
    of_row = _is_test_order if what == "orders" else is_test_row
    return {**_WHAT[what].columns, TEST_COLUMN: lambda row: yes_or_no(of_row(row, is_test))}


def _is_test_order(order: Any, is_test: IsTest) -> bool:  # noqa: ANN401 - with what `_with_totals` adds
    """Return what `is_test_row` says, without a statement for each order."""
    return not order.has_money and (order.has_tests or is_test(order.gateway))


def _limits(since: datetime | None, until: datetime | None) -> dict[str, datetime]:
    return {name: limit for name, limit in (("gte", since), ("lt", until)) if limit is not None}


def _rows(what: str, limits: Mapping[str, datetime], by: By) -> Iterator[Any]:
    export = _WHAT[what]
    rows: QuerySet[Any] = QuerySet(model=export.model)
    if export.related:
        rows = rows.select_related(*export.related)
    if limits:
        by_money = by is By.APPROVED and what in WITH_MONEY
        rows = _moved_within(rows, limits) if by_money else rows.filter(**_within(export.time, limits))
    if export.model is PaymentOrder:
        rows = _with_totals(rows).prefetch_related("metadata_entries")
    return rows.order_by("pk").iterator(chunk_size=_CHUNK)


def _within(column: str, limits: Mapping[str, datetime]) -> dict[str, datetime]:
    return {f"{column}__{name}": limit for name, limit in limits.items()}


def _moved_within(rows: QuerySet[Any], limits: Mapping[str, datetime]) -> QuerySet[Any]:
    moved = _within("approved_at", limits)
    if rows.model is GatewayTransaction:
        return rows.filter(**moved)
    return rows.filter(Exists(GatewayTransaction.objects.filter(payment__order=OuterRef("pk"), **moved)))


def _with_totals(orders: QuerySet[Any]) -> QuerySet[Any]:
    """Add the sums of each order's payments and the time of its first approval, in the same statement."""
    of_order = Payment.objects.filter(order=OuterRef("pk")).order_by()
    payments = of_order.values("order")
    transactions = GatewayTransaction.objects.filter(payment__order=OuterRef("pk"))
    approvals = transactions.order_by().values("payment__order")
    with_totals: QuerySet[Any] = orders.annotate(
        captured_minor=Subquery(payments.annotate(total=Sum("captured")).values("total")),
        refunded_minor=Subquery(payments.annotate(total=Sum("refunded")).values("total")),
        has_money=Exists(of_order.exclude(is_test=True)),
        has_tests=Exists(of_order.filter(is_test=True)),
        approved_at=Subquery(approvals.annotate(first=Min("approved_at")).values("first")),
    )
    return with_totals


def _way_of_paying(row: GatewayTransaction) -> str:
    """Return `wallet` or `checkout` for a payment and its follow-ups; empty for a detached refund."""
    if row.payment is None:
        return ""
    by_wallet = row.kind == TransactionKind.AUTHORIZATION or row.payment.card_type
    return "wallet" if by_wallet else "checkout"


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
