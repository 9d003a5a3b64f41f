"""Settlements of payments by one statement of PostgreSQL: one of them, or many that are independent.

Those that write the same columns share a statement, whose text does not depend on how many they are: their
values are one JSON parameter. A settlement whose rows are not as they were seen, or are locked by another, is
left out, and the others are written: the statement never waits, so no two of them can wait for each other.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import models, router

from wallet_gateway.models.checkout_writes import PreparedWrite, insert_selected, is_one_statement
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.outbox import OutboxEvent
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.prepared_sql import (
    NOTHING,
    Columns,
    Names,
    column_type,
    defaults,
    given_columns,
    quoted,
    quoted_columns,
)
from wallet_gateway.models.prepared_statements import repeated_statement
from wallet_gateway.models.settlement_writes import RowChange, SettlementRows
from wallet_gateway.models.transaction_events import TransactionEvent
from wallet_gateway.models.transactions import GatewayTransaction

MOST = 16
"""How many settlements one statement may have.

PostgreSQL looks up so few rows by their keys. Of the hundred that it would expect in any JSON, it may read
whole tables.
"""


class _Part(NamedTuple):
    """A part of the statement without its values: statements of equal parts are the same."""

    name: str
    text: Callable[[_Part, str], str]
    model: type[models.Model]
    where: Names = ()
    columns: Names = ()
    added: Names = ()
    after: str = ""
    """The part that must have found its row before."""


def settles_at_once() -> bool:
    """Return whether the database can write settlements of payments by one statement."""
    return is_one_statement(router.db_for_write(GatewayTransaction))


def settlements_at_once(settlements: Sequence[SettlementRows]) -> Iterator[PreparedWrite[Collection[int]]]:
    """Yield the writes of settlements of payments' transactions: one for all that have the same columns.

    Each returns the keys of the transactions that it has settled. Of the others nothing is written. There may
    be `MOST` settlements, of as many transactions.
    """
    alias = router.db_for_write(GatewayTransaction)
    same = defaultdict[Sequence[_Part], list[Columns]](list)
    for rows in settlements:
        values: dict[str, Any] = {}
        same[tuple(_parts(rows, values))].append(values)
    for parts, given in same.items():
        yield PreparedWrite(run=_writer(_statement(parts, alias), given, alias), is_one_statement=True)


def _writer(statement: str, given: Sequence[Columns], alias: str) -> Callable[[], Collection[int]]:
    values = json.dumps(given, default=_as_text)

    def run() -> Collection[int]:
        with repeated_statement(alias) as cursor:
            cursor.execute(statement, [values])
            return {key for (key,) in cursor.fetchall()}

    return run


def _as_text(value: object) -> str:
    """Return a value as PostgreSQL reads it in JSON, other than texts, numbers and JSON itself."""
    if isinstance(value, datetime | UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no value of a settlement")


def _parts(rows: SettlementRows, values: dict[str, Any]) -> Iterator[_Part]:
    """Yield the parts: locks, then the transaction, and then all that depends on it being as it was seen.

    The values of each are added to `values`, by the part's name and the column's.
    """
    before, transaction = "", rows.transaction
    assert transaction is not None  # noqa: S101 - each settlement at least looks at its row
    parents = (("ordered", PaymentOrder, rows.order), ("paid", Payment, rows.payment))
    for name, model, change in (*parents, ("held", GatewayTransaction, transaction)):
        if change is not None:
            yield _part(name, _locked, model, values, where=change.where, after=before)
            before = name
    yield _changed("moved", GatewayTransaction, transaction, values, after="held")
    if rows.order is not None and not rows.order.is_empty:
        yield _changed("of_order", PaymentOrder, rows.order, values)
    if rows.payment is not None:
        yield _changed("of_payment", Payment, rows.payment, values)
    if rows.event is not None:
        yield _inserting("noted", TransactionEvent, rows.event, values)
    for number, event in enumerate(rows.outbox):
        yield _inserting(f"told_{number}", OutboxEvent, given_columns(event), values)


def _changed(
    name: str, model: type[models.Model], change: RowChange, values: dict[str, Any], after: str = "moved"
) -> _Part:
    key = {"id": change.where["id"]}
    return _part(
        name, _updated, model, values, where=key, columns=change.columns, added=change.added, after=after
    )


def _inserting(name: str, model: type[models.Model], columns: Columns, values: dict[str, Any]) -> _Part:
    usual = defaults(model, ())
    given = {column: value for column, value in columns.items() if value != usual.get(column)}
    return _part(name, _inserted, model, values, columns=given)


def _part(
    name: str,
    text: Callable[[_Part, str], str],
    model: type[models.Model],
    values: dict[str, Any],
    *,
    where: Columns = NOTHING,
    columns: Columns = NOTHING,
    added: Columns = NOTHING,
    after: str = "",
) -> _Part:
    for given in (where, columns, added):
        for column, value in given.items():
            values[f"{name}_{column}"] = value
    return _Part(name, text, model, tuple(where), tuple(columns), tuple(added), after)


# The text of the statement, made once for each shape


@lru_cache(maxsize=128)
def _statement(parts: Sequence[_Part], alias: str) -> str:
    columns = ", ".join(f"{name} {kind}" for part in parts for name, kind in _given(part, alias).items())
    texts = ", ".join(f"{part.name} AS ({part.text(part, alias)})" for part in parts)
    given = f"SELECT * FROM json_to_recordset(%s) AS given ({columns}) LIMIT {MOST}"  # noqa: S608 - names of the models
    return f"WITH given AS MATERIALIZED ({given}), {texts} SELECT key FROM moved"  # noqa: S608 - as above


def _given(part: _Part, alias: str) -> Mapping[str, str]:
    names = (*part.where, *part.columns, *part.added)
    return {f"{part.name}_{name}": column_type(part.model, name, alias) for name in names}


def _locked(part: _Part, alias: str) -> str:
    before = f" JOIN {part.after} ON {part.after}.key = moved_id" if part.after else ""
    return f"""
        SELECT moved_id AS key FROM given{before} JOIN {quoted(part.model, alias)} AS seen
        ON {_equal(part, alias, "seen", " AND ")} ORDER BY seen.id FOR NO KEY UPDATE OF seen SKIP LOCKED
    """  # noqa: S608 - as above


def _updated(part: _Part, alias: str) -> str:
    written = [f"{column} = {name}" for column, name in _sources(part, alias, part.columns)]
    increased = [f"{column} = seen.{column} + {name}" for column, name in _sources(part, alias, part.added)]
    return f"""
        UPDATE {quoted(part.model, alias)} AS seen SET {", ".join(written + increased)}
        FROM given JOIN {part.after} ON {part.after}.key = moved_id
        WHERE {_equal(part, alias, "seen", " AND ")} RETURNING seen.id AS key
    """  # noqa: S608 - as above


def _inserted(part: _Part, alias: str) -> str:
    selected = {name: f"given.{part.name}_{name}" for name in part.columns}
    inserted = insert_selected(part.model, alias, (), **selected)
    return f"{inserted} FROM given JOIN moved ON moved.key = moved_id"


def _equal(part: _Part, alias: str, table: str, between: str) -> str:
    pairs = _sources(part, alias, part.where)
    return between.join(f"{table}.{column} = {name}" for column, name in pairs)


def _sources(part: _Part, alias: str, names: Names) -> Iterator[tuple[str, str]]:
    for name, column in zip(names, quoted_columns(part.model, alias, names), strict=True):
        yield column, f"given.{part.name}_{name}"
