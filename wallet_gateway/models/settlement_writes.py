"""The rows of one settlement: order, payment or deposit, transaction, event and outbox. No rules here.

On PostgreSQL those of a payment can be written by one statement, which is a transaction of its own. Elsewhere
they are the statements of `prepared_sql` in one database transaction, in the same sequence of locks. What is
written, and when nothing is, is the same in both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

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
    if not all(_update_row(model, change) for model, change in parents if change and not change.is_empty):
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
        return _update_row(GatewayTransaction, change)
    as_seen = Exists(PaymentOrder.objects.filter(**order.where))
    return bool(GatewayTransaction.objects.filter(as_seen, **change.where).update(**change.columns))


def _update_row(model: type[models.Model], change: RowChange) -> bool:
    return update_row(model, where=change.where, columns=change.columns, added=change.added)


# PostgreSQL


class _Part(NamedTuple):
    """A part of the statement without its values: parts that are equal have the same text."""

    name: str
    text: Callable[[_Part, str], str]
    model: type[models.Model]
    where: Names = ()
    columns: Names = ()
    added: Names = ()
    after: str = ""
    """The part whose rows are locked before."""


def settles_at_once() -> bool:
    """Return whether the database can write a settlement of a payment by one statement."""
    return is_one_statement(router.db_for_write(GatewayTransaction))


def settlement_at_once(rows: SettlementRows) -> PreparedWrite[bool]:
    """Return the write of a settlement of a payment's transaction as one statement.

    It returns False, and writes nothing, where a row is not as it was seen.
    """
    alias = router.db_for_write(GatewayTransaction)
    assert rows.transaction is not None  # noqa: S101 - each settlement at least looks at its row
    parts, values = zip(*_parts(rows, rows.transaction, alias), strict=True)
    statement, all_values = _statement(parts, alias), [value for given in values for value in given]

    def run() -> bool:
        with repeated_statement(alias) as cursor:
            cursor.execute(statement, all_values)
            return cursor.fetchone() is not None

    return PreparedWrite(run=run, is_one_statement=True)


def _parts(rows: SettlementRows, transaction: RowChange, alias: str) -> Iterator[tuple[_Part, Sequence[Any]]]:
    """Yield the parts: locks, then the transaction, and then all that depends on it being as it was seen."""
    before = ""
    for name, model, change in (("ordered", PaymentOrder, rows.order), ("paid", Payment, rows.payment)):
        if change is not None:
            part = _Part(name, _locked, model, where=tuple(change.where), after=before)
            yield part, parameters(model, change.where, alias)
            before = name
    moved = _changing("moved", _updated, GatewayTransaction, transaction, before)
    found = parameters(GatewayTransaction, transaction.where, alias)
    yield moved, [*_changed_to(GatewayTransaction, transaction, alias), *found]
    if rows.order is not None and not rows.order.is_empty:
        of_order = _changing("of_order", _updated_locked, PaymentOrder, rows.order, "ordered")
        yield of_order, _changed_to(PaymentOrder, rows.order, alias)
    if rows.payment is not None:
        of_payment = _changing("of_payment", _updated_locked, Payment, rows.payment, "paid")
        yield of_payment, _changed_to(Payment, rows.payment, alias)
    if rows.event is not None:
        yield _inserting("noted", TransactionEvent, rows.event, alias)
    for number, event in enumerate(rows.outbox):
        yield _inserting(f"told_{number}", OutboxEvent, given_columns(event), alias)


def _changing(
    name: str, text: Callable[[_Part, str], str], model: type[models.Model], change: RowChange, after: str
) -> _Part:
    where, columns, added = tuple(change.where), tuple(change.columns), tuple(change.added)
    return _Part(name, text, model, where=where, columns=columns, added=added, after=after)


def _inserting(
    name: str, model: type[models.Model], columns: Columns, alias: str
) -> tuple[_Part, Sequence[Any]]:
    """A default is written into the text: psycopg keeps texts with few parameters only."""
    usual = defaults(model, ())
    given = {column: value for column, value in columns.items() if value != usual.get(column)}
    return _Part(name, _inserted, model, columns=tuple(given)), parameters(model, given, alias)


def _changed_to(model: type[models.Model], change: RowChange, alias: str) -> list[Any]:
    return parameters(model, change.columns, alias) + parameters(model, change.added, alias)


# The text of the statement, made once for each shape


@lru_cache(maxsize=128)
def _statement(parts: Sequence[_Part], alias: str) -> str:
    texts = ", ".join(f"{part.name} AS ({part.text(part, alias)})" for part in parts)
    return f"WITH {texts} SELECT key FROM moved"  # noqa: S608 - names of the models


def _locked(part: _Part, alias: str) -> str:
    table, condition = quoted(part.model, alias), _condition(part, alias)
    after = f", {part.after}" if part.after else ""
    return f"SELECT id AS key FROM {table}{after} WHERE {condition} FOR NO KEY UPDATE OF {table}"  # noqa: S608 - as above


def _updated(part: _Part, alias: str) -> str:
    after = f" FROM {part.after}" if part.after else ""
    return f"{_update(part, alias)}{after} WHERE {_condition(part, alias)} RETURNING id AS key"


def _updated_locked(part: _Part, alias: str) -> str:
    return f"{_update(part, alias)} FROM moved, {part.after} WHERE id = {part.after}.key"


def _inserted(part: _Part, alias: str) -> str:
    return f"{insert_selected(part.model, alias, part.columns)} FROM moved"


def _update(part: _Part, alias: str) -> str:
    changed = changes(part.model, alias, part.columns, part.added)
    return f"UPDATE {quoted(part.model, alias)} SET {changed}"  # noqa: S608 - as above


def _condition(part: _Part, alias: str) -> str:
    return equal(part.model, alias, part.where, " AND ")
