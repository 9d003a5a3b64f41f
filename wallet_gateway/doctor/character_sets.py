"""Checks of the character sets of MariaDB and MySQL: what cannot be written is a payment that fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from wallet_gateway.findings import Code, Finding, error

_EVERY_LETTER = "utf8mb4"
_SETS = """
    SELECT schema_name, default_character_set_name, @@character_set_connection
    FROM information_schema.schemata WHERE schema_name = DATABASE()
"""
_COLUMNS = """
    SELECT table_name, column_name, character_set_name, column_type, is_nullable
    FROM information_schema.columns
    WHERE table_schema = DATABASE() AND character_set_name <> %s AND table_name IN ({places})
    ORDER BY table_name, ordinal_position
"""


def look_at_character_sets(aliases: Iterable[str]) -> Iterator[Finding]:
    """Ask the database of our tables whether it stores every letter, also before the tables are there."""
    if DEFAULT_DB_ALIAS not in aliases or connections[DEFAULT_DB_ALIAS].vendor != "mysql":
        return
    connection = connections[DEFAULT_DB_ALIAS]
    quote = connection.ops.quote_name
    ((name, by_default, connected),) = _rows(connection, _SETS)
    if by_default != _EVERY_LETTER:
        remedy = f"ALTER DATABASE {quote(name)} CHARACTER SET {_EVERY_LETTER};"
        yield _finding(f"the database {name}, where new tables are made,", by_default, f"Run {remedy}")
    if connected != _EVERY_LETTER:
        remedy = f"Remove 'charset' from DATABASES[{connection.alias!r}]['OPTIONS']."
        yield _finding("the connection to the database", connected, remedy)
    # A finding for each table. `CONVERT TO` would give references a collation that folds case.
    models = apps.get_app_config("wallet_gateway").get_models(include_auto_created=True)
    tables = [model._meta.db_table for model in models]
    question = _COLUMNS.format(places=", ".join(["%s"] * len(tables)))
    found = _rows(connection, question, (_EVERY_LETTER, *tables))
    for (table, known), columns in groupby(found, itemgetter(0, 2)):
        names, changes = [], [f"DEFAULT CHARACTER SET {_EVERY_LETTER}"]
        for _, column, _, kind, nullable in columns:
            null = "NULL" if nullable == "YES" else "NOT NULL"
            names.append(column)
            changes.append(f"MODIFY {quote(column)} {kind} CHARACTER SET {_EVERY_LETTER} {null}")
        remedy = f"Run ALTER TABLE {quote(table)} {', '.join(changes)};"
        yield _finding(f"the table {table} (in {', '.join(names)})", known, remedy)


def _finding(place: str, known: str, remedy: str) -> Finding:
    return error(Code.LETTERS_MISSING, "settings", place=place, character_set=known, remedy=remedy)


def _rows(
    connection: BaseDatabaseWrapper, question: str, values: Sequence[str] = ()
) -> Sequence[Sequence[str]]:
    with connection.cursor() as cursor:
        cursor.execute(question, values)
        return [tuple(map(str, row)) for row in cursor.fetchall()]
