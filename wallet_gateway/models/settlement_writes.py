"""The rows of one settlement: order, payment or deposit, transaction, event and outbox. No rules here.

They are written by statements of `single_rows` in one database transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import models
from django.db.models import Exists

from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.outbox import OutboxEvent
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.single_rows import Columns, insert_row, update_row
from wallet_gateway.models.transaction_events import TransactionEvent
from wallet_gateway.models.transactions import GatewayTransaction


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """An UPDATE of one row; nothing is settled if a column of `where` has another value."""

    where: Columns
    """With the primary key."""
    columns: Columns = field(default_factory=dict)
    added: Columns = field(default_factory=dict)
    """What is added to the values that the row has."""

    @property
    def is_empty(self) -> bool:
        """Whether the row is only compared."""
        return not self.columns and not self.added


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementRows:
    """What one settlement writes, in the sequence of its locks; None where a row is not touched."""

    order: RowChange | None = None
    payment: RowChange | None = None
    deposit: RowChange | None = None
    transaction: RowChange | None = None
    event: Columns | None = None
    """The event's columns, with that of its transaction."""
    outbox: Sequence[OutboxEvent] = ()


def write_settlement(rows: SettlementRows) -> bool:
    """Write the rows by one statement each; return False where a row is not as it was seen.

    The caller opens the transaction, and rolls it back then.
    """
    parents = ((PaymentOrder, rows.order), (Payment, rows.payment), (MigratedDeposit, rows.deposit))
    if not all(_update_row(model, change) for model, change in parents if change and not change.is_empty):
        return False
    if rows.transaction is not None and not _update_transaction(rows.transaction, rows.order):
        return False
    if rows.event is not None:
        insert_row(TransactionEvent(**rows.event))
    for event in rows.outbox:
        insert_row(event)
    return True


def _update_transaction(change: RowChange, order: RowChange | None) -> bool:
    if order is None or not order.is_empty:
        return _update_row(GatewayTransaction, change)
    as_seen = Exists(PaymentOrder.objects.filter(**order.where))
    return bool(GatewayTransaction.objects.filter(as_seen, **change.where).update(**change.columns))


def _update_row(model: type[models.Model], change: RowChange) -> bool:
    return update_row(model, where=change.where, columns=change.columns, added=change.added)
