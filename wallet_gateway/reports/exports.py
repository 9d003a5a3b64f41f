"""Rows for spreadsheets and programs, streamed in bounded memory. No message bodies, no customer data."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any

from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery, Sum

from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.models.maintenance import is_test_row
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


IsTest = Callable[[str], bool]
"""Returns whether no real money moves with a gateway now: for what has no payment or deposit yet.

The settings know it, which queries do not read.
"""


_COLUMNS: Mapping[str, Sequence[str]] = {
    "orders": (
        *(
            "reference",
            "orderNumber",
            "gateway",
            "type",
            "state",
            "amount",
            "captured",
            "refunded",
            "currency",
        ),
        *("approvedAt", "createdAt", "updatedAt", "payableUntil", "cancelledAt", "cancelledBy", "releasedAt"),
        "metadata",
    ),
    "transactions": (
        *("reference", "kind", "origin", "order", "paymentType", "wayOfPaying", "cardType", "cardNetwork"),
        *("parentTransactionId", "gateway", "state", "amount", "approvedAmount", "aboveLimit", "currency"),
        *("approvedAt", "recordId", "providerTransactionId", "createdBy", "reasonCode", "comment"),
        *("createdAt", "stateSince"),
    ),
    "events": (
        *("transaction", "kind", "lifecycleEvent", "stateAfter", "explanationCode", "explanation"),
        *("httpStatus", "createdBy", "occurredAt"),
    ),
    "discrepancies": (
        *("kind", "gateway", "transaction", "explanationCode", "explanation", "foundAt", "closedAt"),
        *("closedBy", "reason"),
    ),
}
EXPORTS = tuple(_COLUMNS)
"""The names of the possible exports."""
WITH_MONEY = ("orders", "transactions")
"""Those that can be limited by when money moved."""
_READ: Mapping[str, Callable[[Any], object]] = {
    "captured": lambda row: Money.from_minor_units(row.captured_minor or 0, row.currency),
    "refunded": lambda row: Money.from_minor_units(row.refunded_minor or 0, row.currency),
    "metadata": lambda row: json.dumps(row.metadata, ensure_ascii=False) if row.metadata else "",
    "order": lambda row: row.payment.order.reference if row.payment else "",
    "paymentType": lambda row: row.payment.type if row.payment else "",
    "wayOfPaying": lambda row: _way_of_paying(row),
    "cardType": lambda row: row.payment.card_type if row.payment else "",
    "cardNetwork": lambda row: row.payment.card_network if row.payment else "",
    "parentTransactionId": lambda row: row.deposit.parent_transaction_id if row.deposit else "",
    "aboveLimit": lambda row: row.excess,
    "stateSince": lambda row: row.state_changed_at,
    "transaction": lambda row: row.transaction.reference if row.transaction else "",
}
"""What is read for a column; for any other, the row's own value of its name."""

_PAYMENTS = Payment.objects.filter(order=OuterRef("pk")).order_by()
_OF_ORDER = GatewayTransaction.objects.filter(payment__order=OuterRef("pk")).order_by()
_ROWS: Mapping[str, QuerySet[Any]] = {
    # With the sums of each order's payments and the time of its first approval, in the same statement.
    "orders": PaymentOrder.objects.annotate(
        captured_minor=Subquery(_PAYMENTS.values("order").annotate(total=Sum("captured")).values("total")),
        refunded_minor=Subquery(_PAYMENTS.values("order").annotate(total=Sum("refunded")).values("total")),
        has_money=Exists(_PAYMENTS.exclude(is_test=True)),
        has_tests=Exists(_PAYMENTS.filter(is_test=True)),
        approved_at=Subquery(
            _OF_ORDER.values("payment__order").annotate(first=Min("approved_at")).values("first")
        ),
    ).prefetch_related("metadata_entries"),
    "transactions": GatewayTransaction.objects.select_related("payment__order", "deposit"),
    "events": TransactionEvent.objects.select_related("transaction__payment", "transaction__deposit"),
    "discrepancies": Discrepancy.objects.select_related(
        "payment", "deposit", "transaction__payment", "transaction__deposit"
    ),
}
_MADE_AT = {"events": "occurred_at", "discrepancies": "found_at"}


def export_rows(
    what: str,
    *,
    is_test: IsTest,
    since: datetime | None = None,
    until: datetime | None = None,
    by: By = By.APPROVED,
) -> tuple[Sequence[str], Iterator[Sequence[str]]]:
    """Return the columns of an export and its rows as texts, which are read in bounded memory.

    `by` says which time `since` and `until` limit; events and discrepancies have one time only. The last
    column says which rows nobody may book.
    """
    rows = _ROWS[what]
    limits = {name: at for name, at in (("gte", since), ("lt", until)) if at is not None}
    if limits and what in WITH_MONEY and by is By.APPROVED:
        moved = {f"approved_at__{name}": at for name, at in limits.items()}
        rows = rows.filter(Exists(_OF_ORDER.filter(**moved)) if what == "orders" else Q(**moved))
    else:
        column = _MADE_AT.get(what, "created_at")
        rows = rows.filter(**{f"{column}__{name}": at for name, at in limits.items()})

    def mark(row: Any) -> str:  # noqa: ANN401 - a row of any model
        if what == "orders":
            # What `is_test_row` says, without a statement for each order.
            return yes_or_no(not row.has_money and (row.has_tests or is_test(row.gateway)))
        return yes_or_no(is_test_row(row, is_test))

    names = _COLUMNS[what]
    reads: list[Callable[[Any], object]] = [
        *(_READ.get(name) or attrgetter(re.sub("[A-Z]", r"_\g<0>", name).lower()) for name in names),
        mark,
    ]
    found = rows.order_by("pk").iterator(chunk_size=_CHUNK)
    return (*names, TEST_COLUMN), ([_text(read(row)) for read in reads] for row in found)


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield rows as lines of CSV under a header. No cell begins like a spreadsheet formula."""
    writer = csv.writer(Echo(), quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow(map(escape_formula, row))


def as_json(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield rows as JSON, one object per line."""
    for row in rows:
        yield json.dumps(dict(zip(columns, row, strict=True))) + "\n"


def _way_of_paying(row: GatewayTransaction) -> str:
    """Return `wallet` or `checkout` for a payment and its follow-ups; empty for a detached refund."""
    if row.payment is None:
        return ""
    by_wallet = row.kind == TransactionKind.AUTHORIZATION or row.payment.card_type
    return "wallet" if by_wallet else "checkout"


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Money):
        return value.to_wire()
    return value.isoformat() if isinstance(value, datetime) else str(value)
