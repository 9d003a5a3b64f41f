"""The writes of a hosted checkout: its order, first attempt and open page, by the fewest statements.

The last two are prepared before they run: rows, conversions and SQL text need no lock. On PostgreSQL each is
one statement, on SQLite two in a database transaction. On MariaDB, and without the switch, the attempt is the
statements of `prepared_sql` in one, and the open page the two of SQLite. Which rows they write, and when they
write nothing, is the same in all ways. A statement of its own is a transaction: it is committed when it
returns, as durably as any other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from django.db import connections, models, router

from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.prepared_sql import (
    Columns,
    Names,
    condition_text,
    defaults,
    insert_row_unless_taken,
    parameters,
    prepare_insert,
    quoted,
    quoted_columns,
    update_row,
    update_text,
)
from wallet_gateway.models.prepared_statements import repeated_statement
from wallet_gateway.models.transaction_events import TransactionEvent
from wallet_gateway.models.transactions import GatewayTransaction

T = TypeVar("T")

SWITCH = "WALLET_GATEWAY_ONE_STATEMENT"
"""The environment variable that is "0" where PostgreSQL and SQLite are to be written to as MariaDB is."""


@dataclass(slots=True)
class _Switch:
    is_on: bool = os.environ.get(SWITCH, "1") != "0"


switch = _Switch()
"""Whether PostgreSQL gets one statement, and SQLite two; the tests turn it both ways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedWrite(Generic[T]):
    """A write that is ready to run, and may be run again after a conflict."""

    run: Callable[[], T]
    is_one_statement: bool
    """Whether it needs no transaction around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAttempt:
    """What the database gave to a first attempt."""

    payment: int
    transaction: int
    version: int
    """The version that the order has now."""


def first_attempt(
    order: PaymentOrder, payment: Columns, transaction: Columns
) -> PreparedWrite[WrittenAttempt | None]:
    """Lock an order that was never changed, and insert its payment and transaction with these columns.

    What is not named has the model's default. The write gives None, and writes nothing, if the order was
    changed or has a payment; several statements raise `IntegrityError` for the latter.
    """
    alias = router.db_for_write(GatewayTransaction)
    if is_one_statement(alias):
        return _first_attempt_at_once(order, payment, transaction, alias)
    if _is_two_statements(alias):
        return _first_attempt_in_two(order, payment, transaction, alias)
    untouched = {"id": order.pk, "version": 0, "state": OrderState.OPEN}
    rows = (
        prepare_insert(Payment, {"order_id": order.pk, **payment}, alias),
        prepare_insert(GatewayTransaction, {"payment_id": None, **transaction}, alias),
    )

    def run() -> WrittenAttempt | None:
        if not update_row(PaymentOrder, where=untouched, columns={"version": 1}):
            return None
        key = rows[0].execute()
        return WrittenAttempt(payment=key, transaction=rows[1].execute(key), version=1)

    return PreparedWrite(run=run, is_one_statement=False)


def insert_order(order: PaymentOrder) -> PreparedWrite[bool] | None:
    """Insert an order unless another one has its reference; the write returns whether it was inserted.

    None where this is no single statement: on MariaDB, and in a caller's transaction, whose reads may be
    repeatable.
    """
    alias = router.db_for_write(PaymentOrder)
    has_own_sql = is_one_statement(alias) or _is_two_statements(alias)
    if not has_own_sql or not connections[alias].get_autocommit():
        return None
    return PreparedWrite(run=lambda: insert_row_unless_taken(order), is_one_statement=True)


def open_page(
    transaction: int, *, order: Columns, where: Columns, columns: Columns, event: Columns
) -> PreparedWrite[bool]:
    """Write columns of a transaction if every column of `where` has its value, and insert an event of it.

    The write returns whether there was such a transaction, and an order with the columns of `order`; nothing
    is written otherwise. The order is only compared and not locked.
    """
    alias = router.db_for_write(GatewayTransaction)
    where = {"id": transaction, **where}
    shape = (alias, tuple(columns), tuple(where), tuple(order), tuple(event))
    of_page = parameters(GatewayTransaction, columns, alias) + parameters(GatewayTransaction, where, alias)
    of_page += parameters(PaymentOrder, order, alias)
    of_event = parameters(TransactionEvent, event, alias)
    if is_one_statement(alias):
        return _open_page_at_once(_open_page_text(*shape), [*of_page, *of_event], alias)
    return _open_page_in_two(_open_page_texts(*shape), of_page, [transaction, *of_event], alias)


# PostgreSQL


def is_one_statement(alias: str) -> bool:
    """Return whether a prepared write is one statement on this database."""
    return switch.is_on and connections[alias].vendor == "postgresql"


def _first_attempt_at_once(
    order: PaymentOrder, payment: Columns, transaction: Columns, alias: str
) -> PreparedWrite[WrittenAttempt | None]:
    """The order is locked and not written again: its cart is the largest part of all rows.

    The number of the payment decides between two attempts. A writer that locks the order later sees the rows
    of this one unless its reads are repeatable: with that isolation the order must be written.
    """
    text = _first_attempt_text(alias, tuple(payment), tuple(transaction))
    values = [order.pk, *parameters(Payment, payment, alias)]
    values += parameters(GatewayTransaction, transaction, alias)

    def run() -> WrittenAttempt | None:
        with repeated_statement(alias) as cursor:
            cursor.execute(text, values)
            keys = cursor.fetchone()
        return WrittenAttempt(payment=keys[0], transaction=keys[1], version=0) if keys else None

    return PreparedWrite(run=run, is_one_statement=True)


def _open_page_at_once(text: str, values: Sequence[Any], alias: str) -> PreparedWrite[bool]:
    def run() -> bool:
        with repeated_statement(alias) as cursor:
            cursor.execute(text, values)
            return bool(cursor.rowcount)

    return PreparedWrite(run=run, is_one_statement=True)


# SQLite


def _is_two_statements(alias: str) -> bool:
    """Return whether a prepared write is two statements on this database."""
    return switch.is_on and connections[alias].vendor == "sqlite"


def _first_attempt_in_two(
    order: PaymentOrder, payment: Columns, transaction: Columns, alias: str
) -> PreparedWrite[WrittenAttempt | None]:
    """The order is not written here either: a statement that writes locks the whole database."""
    paid, sent = _first_attempt_texts(alias, tuple(payment), tuple(transaction))
    of_payment = [*parameters(Payment, payment, alias), order.pk]
    of_transaction = parameters(GatewayTransaction, transaction, alias)

    def run() -> WrittenAttempt | None:
        with repeated_statement(alias) as cursor:
            cursor.execute(paid, of_payment)
            if not cursor.rowcount:
                return None
            key = cursor.lastrowid
            cursor.execute(sent, [key, *of_transaction])
            return WrittenAttempt(payment=key, transaction=cursor.lastrowid, version=0)

    return PreparedWrite(run=run, is_one_statement=False)


def _open_page_in_two(
    texts: tuple[str, str], of_page: Sequence[Any], of_event: Sequence[Any], alias: str
) -> PreparedWrite[bool]:
    opened, told = texts

    def run() -> bool:
        with repeated_statement(alias) as cursor:
            cursor.execute(opened, of_page)
            if not cursor.rowcount:
                return False
            cursor.execute(told, of_event)
            return True

    return PreparedWrite(run=run, is_one_statement=False)


# SQL texts


@lru_cache(maxsize=16)
def _first_attempt_text(alias: str, payment: Names, transaction: Names) -> str:
    orders = quoted(PaymentOrder, alias)
    return f"""
        WITH locked AS (
            SELECT id FROM {orders}
            WHERE id = %s AND version = 0 AND state = '{OrderState.OPEN.value}'
                AND current_setting('transaction_isolation') = 'read committed'
            FOR NO KEY UPDATE
        ), paid AS (
            {insert_selected(Payment, alias, payment, order_id="locked.id")} FROM locked
            ON CONFLICT (order_id, number) DO NOTHING
            RETURNING id
        )
        {insert_selected(GatewayTransaction, alias, transaction, payment_id="paid.id")} FROM paid
        RETURNING payment_id, id
    """  # noqa: S608 - names and defaults of the models


@lru_cache(maxsize=16)
def _first_attempt_texts(alias: str, payment: Names, transaction: Names) -> tuple[str, str]:
    return (
        f"""
        {insert_selected(Payment, alias, payment, order_id="untouched.id")}
        FROM {quoted(PaymentOrder, alias)} AS untouched
        WHERE id = %s AND version = 0 AND untouched.state = '{OrderState.OPEN.value}'
        ON CONFLICT (order_id, number) DO NOTHING
        """,
        insert_selected(GatewayTransaction, alias, transaction, payment_id="%s"),
    )


@lru_cache(maxsize=16)
def _open_page_text(alias: str, columns: Names, where: Names, order: Names, event: Names) -> str:
    return f"""
        WITH opened AS ({_opened_text(alias, columns, where, order)} RETURNING id)
        {insert_selected(TransactionEvent, alias, event, transaction_id="opened.id")} FROM opened
    """


@lru_cache(maxsize=16)
def _open_page_texts(alias: str, columns: Names, where: Names, order: Names, event: Names) -> tuple[str, str]:
    return (
        _opened_text(alias, columns, where, order),
        insert_selected(TransactionEvent, alias, event, transaction_id="%s"),
    )


def _opened_text(alias: str, columns: Names, where: Names, order: Names) -> str:
    """Return the UPDATE of a page whose order is as it was seen."""
    opened = update_text(GatewayTransaction, alias, columns, (), where)
    seen = f"{quoted(PaymentOrder, alias)} WHERE {condition_text(PaymentOrder, alias, order)}"
    return f"{opened} AND EXISTS (SELECT 1 FROM {seen})"  # noqa: S608 - as above


@lru_cache(maxsize=64)
def insert_selected(model: type[models.Model], alias: str, names: Names, **selected: str) -> str:
    """Return an INSERT of a SELECT: of `selected`, of a parameter for each name, and of all defaults."""
    constants = {name: _literal(value) for name, value in defaults(model, (*selected, *names)).items()}
    sources = {**selected, **dict.fromkeys(names, "%s"), **constants}
    columns = ", ".join(quoted_columns(model, alias, tuple(sources)))
    return f"INSERT INTO {quoted(model, alias)} ({columns}) SELECT {', '.join(sources.values())}"


def _literal(value: object) -> str:
    """Return the default of a column as SQL."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int):
        return str(value)
    text = "{}" if value == {} else value
    if not isinstance(text, str) or not (text in {"", "{}"} or text.isidentifier()):
        raise TypeError(f"{value!r} is no default that can be written into a statement")
    return f"'{text}'"
