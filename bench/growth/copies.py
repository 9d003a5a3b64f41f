"""Multiplies a sample of orders in SQL: each copy has ids, references and times of its own, in order of time.

What a row holds stays as wide as real operations left it. References begin with their time, as real ones do,
and tokens are random, so that indexes get their entries where they would.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg

APP = "wallet_gateway"
DAYS = 365
BATCH = 500
"""Copies of the sample in one statement."""

Connection = psycopg.Connection[Any]


def main() -> None:
    """Print the columns of the tables that a sample has rows in, parents first."""
    import django

    django.setup()
    from django.apps import apps

    tables: list[Any] = []
    models = (model for model in apps.get_app_config(APP).get_models() if not model._meta.proxy)
    waiting = {model for model in models if model._default_manager.exists()}
    while waiting:
        ready = {model for model in waiting if not (_parents(model) & waiting - {model})}
        tables += [_described(model) for model in sorted(ready, key=lambda model: model._meta.db_table)]
        waiting -= ready
    json.dump(tables, sys.stdout)


def _parents(model: Any) -> set[Any]:  # noqa: ANN401 - a model
    return {field.related_model for field in model._meta.concrete_fields if field.is_relation}


def _described(model: Any) -> dict[str, Any]:  # noqa: ANN401 - a model
    columns = {}
    for field in model._meta.concrete_fields:
        parent = field.related_model._meta.db_table if field.is_relation else None
        columns[field.column] = {"type": field.get_internal_type(), "parent": parent}
    return {"table": model._meta.db_table, "columns": columns}


class Copies:
    """The tables of a sample, set aside, and how often they were copied."""

    def __init__(self, connection: Connection, tables: Sequence[dict[str, Any]]) -> None:
        self._connection = connection
        self._columns = {table["table"]: table["columns"] for table in tables}
        # Each copy's ids lie behind those of the one before.
        self._strides = {table: self._set_aside(table) for table in self._columns}
        connection.execute(b"TRUNCATE " + ", ".join(self._columns).encode() + b" CASCADE")
        # The rows are right; nobody has to look up each parent.
        connection.execute(b"SET session_replication_role = replica")

    def fill(self, times: int) -> None:
        """Copy the sample so often, over the last year; indexes are made when all rows are there."""
        indexes = list(self._drop_indexes()) if times > BATCH else []
        for table, columns in self._columns.items():
            names, values = ", ".join(map(_quoted, columns)), ", ".join(self._values(table, times))
            for first in range(1, times + 1, BATCH):
                last = min(first + BATCH - 1, times)
                self._connection.execute(
                    f"INSERT INTO {table} ({names}) SELECT {values} FROM sample_{table} AS old,"
                    f" generate_series({first}, {last}) AS k ORDER BY k, old.id".encode()
                )
            last_id = f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"
            self._connection.execute(last_id.encode())
        for definition in indexes:
            self._connection.execute(definition.encode())
        self._connection.execute(b"VACUUM ANALYZE")

    def _set_aside(self, table: str) -> int:
        self._connection.execute(f"CREATE TABLE sample_{table} AS TABLE {table}".encode())
        (most,) = self._connection.execute(f"SELECT max(id) FROM {table}".encode()).fetchall()[0]
        return int(most)

    def _values(self, table: str, times: int) -> Iterator[str]:
        for column, kind in self._columns[table].items():
            old = f"old.{_quoted(column)}"
            if kind["parent"] in self._strides or column == "id":
                yield f"{old} + k * {self._strides[kind['parent'] or table]}::bigint"
            elif column == "next_query_at":
                # Nothing has fallen behind. Approvals are asked about for half a year, others for a week.
                asked = (
                    f"({times} - k) * {DAYS / times:f} < CASE old.query_priority WHEN 2 THEN 180 ELSE 7 END"
                )
                hours = "(1 + (k * 37 + old.id) % 720) * interval '1 hour'"
                yield f"CASE WHEN {old} IS NOT NULL AND {asked} THEN now() + {hours} END"
            elif kind["type"] == "DateTimeField":
                yield f"{old} - ({times} - k) * interval '{DAYS * 86400 / times:f} s'"
            elif column in _OWN:
                yield _OWN[column].format(old=old)
            else:
                yield old

    def _drop_indexes(self) -> Iterator[str]:
        """Drop all indexes but the primary keys; yield what makes them again."""
        for table in self._columns:
            found = self._connection.execute(_INDEXES, [table]).fetchall()
            for name, index, constraint in found:
                drop = f"ALTER TABLE {table} DROP CONSTRAINT" if constraint else "DROP INDEX"
                self._connection.execute(f'{drop} "{name}"'.encode())
                yield f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {constraint}' if constraint else index


# Ten characters of time, then chance: the copy's number takes the place of the time.
_REFERENCE = "lpad(k::text, 10, '0') || substr({old}, 11)"
_RANDOM = "left(translate(encode(sha256(({old} || k)::bytea), 'base64'), '+/=', '-_x'), length({old}))"
_OWN = {
    "reference": _REFERENCE,
    "order_number": "CASE {old} WHEN '' THEN '' ELSE " + _REFERENCE + " END",
    "token": _RANDOM,
    "record_id": _RANDOM,
    "value": "{old} || k",
    "event_id": "md5({old}::text || k)::uuid",
    "outstanding_key": "{old} || '-' || k",
}
_INDEXES = """
    SELECT i.relname, pg_get_indexdef(i.oid), pg_get_constraintdef(c.oid)
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid LEFT JOIN pg_constraint c ON c.conindid = i.oid
    AND c.contype IN ('u', 'x') WHERE x.indrelid = %s::regclass AND NOT x.indisprimary
"""


def _quoted(name: str) -> str:
    return f'"{name}"'


if __name__ == "__main__":
    main()
