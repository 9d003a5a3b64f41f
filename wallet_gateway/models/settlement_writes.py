"""The rows of one settlement: order, payment or deposit, transaction, event and outbox. No rules here.

On PostgreSQL those of a payment can be written by one statement, which is a transaction of its own. Elsewhere
they are the statements of `prepared_sql` in one database transaction, in the same sequence of locks. What is
written, and when nothing is, is the same in both ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from django.db import models, router
from django.db.models import Exists

from wallet_gateway.models.checkout_writes import PreparedWrite, insert_selected, is_one_statement
from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.outbox import OutboxEvent
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.prepared_sql import (
    Columns,
    Names,
    changes,
    defaults,
    equal,
    given_columns,
    insert_row,
    parameters,
    prepare_insert,
    quoted,
    update_row,
)
from wallet_gateway.models.prepared_statements import repeated_statement
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
    if not all(_update(model, change) for model, change in parents if change and not change.is_empty):
        return False
    if rows.transaction is not None and not _update_transaction(rows.transaction, rows.order):
        return False
    if rows.event is not None:
        prepare_insert(TransactionEvent, rows.event, router.db_for_write(TransactionEvent)).execute()
    for event in rows.outbox:
        insert_row(event)
    return True


def _update_transaction(change: RowChange, order: RowChange | None) -> bool:
    if order is None or not order.is_empty:
        return _update(GatewayTransaction, change)
    as_seen = Exists(PaymentOrder.objects.filter(**order.where))
    return bool(GatewayTransaction.objects.filter(as_seen, **change.where).update(**change.columns))


def _update(model: type[models.Model], change: RowChange) -> bool:
    return update_row(model, where=change.where, columns=change.columns, added=change.added)


# PostgreSQL

_Part: TypeAlias = tuple[str, Sequence[Any]]
"""A part of the statement, and its parameters."""


def settles_at_once() -> bool:
    """Return whether the database can write a settlement of a payment by one statement."""
    return is_one_statement(router.db_for_write(GatewayTransaction))


def settlement_at_once(rows: SettlementRows) -> PreparedWrite[bool]:
    """Return the write of a settlement of a payment's transaction as one statement.

    It returns False, and writes nothing, where a row is not as it was seen.
    """
    alias = router.db_for_write(GatewayTransaction)
    assert rows.transaction is not None  # noqa: S101 - each settlement at least looks at its row
    texts, values = zip(*_parts(rows, rows.transaction, alias), strict=True)
    statement = f"WITH {', '.join(texts)} SELECT key FROM moved"  # noqa: S608 - names of the models

    def run() -> bool:
        with repeated_statement(alias) as cursor:
            cursor.execute(statement, [value for given in values for value in given])
            return cursor.fetchone() is not None

    return PreparedWrite(run=run, is_one_statement=True)


def _parts(rows: SettlementRows, transaction: RowChange, alias: str) -> Iterator[_Part]:
    """Yield the parts: locks, then the transaction, and then all that depends on it being as it was seen."""
    before = ""
    for name, model, change in (("ordered", PaymentOrder, rows.order), ("paid", Payment, rows.payment)):
        if change is not None:
            yield _locked(name, model, change, alias, before)
            before = name
    yield _updated("moved", GatewayTransaction, transaction, alias, before)
    if rows.order is not None and not rows.order.is_empty:
        yield _updated_locked("of_order", PaymentOrder, rows.order, alias, "ordered")
    if rows.payment is not None:
        yield _updated_locked("of_payment", Payment, rows.payment, alias, "paid")
    if rows.event is not None:
        yield _inserted("noted", TransactionEvent, rows.event, alias)
    for number, event in enumerate(rows.outbox):
        yield _inserted(f"told_{number}", OutboxEvent, given_columns(event), alias)


def _locked(name: str, model: type[models.Model], change: RowChange, alias: str, before: str) -> _Part:
    table, condition = quoted(model, alias), _condition(model, alias, tuple(change.where))
    after = f", {before}" if before else ""
    text = f"SELECT id AS key FROM {table}{after} WHERE {condition} FOR NO KEY UPDATE OF {table}"  # noqa: S608 - as above
    return f"{name} AS ({text})", parameters(model, change.where, alias)


def _updated(name: str, model: type[models.Model], change: RowChange, alias: str, before: str) -> _Part:
    changed, condition = _changes(model, change, alias), _condition(model, alias, tuple(change.where))
    after = f" FROM {before}" if before else ""
    text = f"UPDATE {quoted(model, alias)} SET {changed}{after} WHERE {condition} RETURNING id AS key"  # noqa: S608 - as above
    return f"{name} AS ({text})", [
        *_changed_to(model, change, alias),
        *parameters(model, change.where, alias),
    ]


def _updated_locked(
    name: str, model: type[models.Model], change: RowChange, alias: str, locked: str
) -> _Part:
    changed = _changes(model, change, alias)
    text = f"UPDATE {quoted(model, alias)} SET {changed} FROM moved, {locked} WHERE id = {locked}.key"  # noqa: S608 - as above
    return f"{name} AS ({text})", _changed_to(model, change, alias)


def _inserted(name: str, model: type[models.Model], columns: Columns, alias: str) -> _Part:
    """A default is written into the text: psycopg keeps texts with few parameters only."""
    usual = defaults(model, ())
    given = {column: value for column, value in columns.items() if value != usual.get(column)}
    text = insert_selected(model, alias, tuple(given))
    return f"{name} AS ({text} FROM moved)", parameters(model, given, alias)


def _changed_to(model: type[models.Model], change: RowChange, alias: str) -> list[Any]:
    return parameters(model, change.columns, alias) + parameters(model, change.added, alias)


def _changes(model: type[models.Model], change: RowChange, alias: str) -> str:
    return _changes_text(model, alias, tuple(change.columns), tuple(change.added))


_changes_text = lru_cache(maxsize=128)(changes)


@lru_cache(maxsize=64)
def _condition(model: type[models.Model], alias: str, where: Names) -> str:
    return equal(model, alias, where, " AND ")
