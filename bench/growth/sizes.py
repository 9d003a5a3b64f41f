"""Reads how large tables and their indexes are, and what erasing old bodies leaves of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """One table: its rows, and the bytes of its parts."""

    table: str
    rows: int
    heap: int
    toast: int
    indexes: int

    @property
    def total(self) -> int:
        return self.heap + self.toast + self.indexes


def sizes(connection: Connection, tables: Sequence[str]) -> list[Size]:
    """Return the size of each table, as the file system has it."""
    return [_size(connection, table) for table in tables]


def _size(connection: Connection, table: str) -> Size:
    (rows, heap, whole, indexes) = connection.execute(
        f"SELECT (SELECT count(*) FROM {table}), pg_relation_size('{table}'),"
        f" pg_table_size('{table}'), pg_indexes_size('{table}')".encode()
    ).fetchall()[0]
    return Size(table=table, rows=rows, heap=heap, toast=whole - heap, indexes=indexes)


def erase_bodies(connection: Connection) -> None:
    """Empty what retention empties, in all rows, and give the space back to the file system."""
    connection.execute(b"UPDATE wallet_gateway_transactionevent SET request_body = '', answer_body = ''")
    connection.execute(b"UPDATE wallet_gateway_gatewaytransaction SET request_body = ''")
    connection.execute(b"VACUUM FULL wallet_gateway_transactionevent")
    connection.execute(b"VACUUM FULL wallet_gateway_gatewaytransaction")
