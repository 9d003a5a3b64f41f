"""Find rows by what a person has at hand, each way of finding by an index of its own.

A single condition that joins several tables would read a million rows; here every table is asked apart. The
gateway's own ids are looked for at named gateways: their index begins with the gateway.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet

from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
    TransactionEvent,
)

MOST_FOUND = 200
"""Rows that one way of finding gives at most: a search that finds more is no search."""


def orders_found(text: str, *, gateways: Collection[str]) -> QuerySet[PaymentOrder]:
    """Return the orders whose reference begins with a text, or that have it as another of their names.

    Other names are the order number, the reference of an attempt or of a follow-up, and the gateway's own id.
    """
    ways = (
        PaymentOrder.objects.filter(reference__begins=text).values_list("pk"),
        PaymentOrder.objects.filter(order_number=text).values_list("pk"),
        Payment.objects.filter(reference=text).values_list("order_id"),
        GatewayTransaction.objects.filter(reference=text).values_list("payment__order_id"),
        _of_record(text, gateways).values_list("payment__order_id"),
    )
    return PaymentOrder.objects.filter(pk__in=_found(*ways))


def transactions_found(text: str, *, gateways: Collection[str]) -> QuerySet[GatewayTransaction]:
    """Return the transactions of a reference that begins so, of the order of that name, or of that record."""
    rows = GatewayTransaction.objects
    ways = (
        rows.filter(reference__begins=text).values_list("pk"),
        rows.filter(payment__order__reference=text).values_list("pk"),
        _of_record(text, gateways).values_list("pk"),
    )
    return rows.filter(pk__in=_found(*ways))


def events_found(text: str, *, gateways: Collection[str]) -> QuerySet[TransactionEvent]:
    """Return the evidence about the transactions that are found by a text."""
    return TransactionEvent.objects.filter(transaction__in=_keys(transactions_found(text, gateways=gateways)))


def discrepancies_found(text: str, *, gateways: Collection[str]) -> QuerySet[Discrepancy]:
    """Return the differences of the orders that are found by a text."""
    orders = _keys(orders_found(text, gateways=gateways))
    payments = Payment.objects.filter(order__in=orders).values_list("pk", flat=True)
    return Discrepancy.objects.filter(payment__in=list(payments))


def deposits_found(text: str, *, gateways: Collection[str]) -> QuerySet[MigratedDeposit]:
    """Return the deposits of these gateways of which a reference begins with a text.

    Each has two: the former provider's own, and the one that the migration gave it.
    """
    rows = MigratedDeposit.objects.filter(gateway__in=gateways)
    ways = (
        rows.filter(provider_transaction_id__begins=text).values_list("pk"),
        rows.filter(parent_transaction_id__begins=text).values_list("pk"),
    )
    return MigratedDeposit.objects.filter(pk__in=_found(*ways))


def _keys(rows: QuerySet[Any]) -> list[int]:
    return list(rows.order_by().values_list("pk", flat=True))


def _of_record(text: str, gateways: Collection[str]) -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(gateway__in=gateways, record_id=text)


def _found(*ways: QuerySet[Any, tuple[int | None]]) -> set[int]:
    # Without an order of their own the rows come as the index gives them, and the database stops early.
    return {pk for way in ways for (pk,) in way.order_by()[:MOST_FOUND] if pk is not None}
