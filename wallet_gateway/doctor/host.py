"""Checks of this machine and its database: settings, keys, isolation, durability and clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from itertools import groupby
from operator import itemgetter
from typing import Final

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from wallet_gateway import conf, gateways
from wallet_gateway.conf import project
from wallet_gateway.context import DatabaseClock
from wallet_gateway.encryption import UnreadableSecret, cipher_in
from wallet_gateway.findings import Code, Finding, error, ok, warning
from wallet_gateway.models import GatewayTransaction, WalletKey
from wallet_gateway.reports.health import unfinished_elsewhere

CLOCK_MAY_DIFFER_SECONDS = 30.0
_ISOLATION = {
    "postgresql": "SHOW transaction_isolation",
    "mysql": "SELECT @@transaction_isolation",
    # MariaDB adopted the standard's name from MySQL only recently.
    "mariadb": "SELECT @@tx_isolation",
}
# The required answer of each database, so that a commit survives a power failure.
_DURABLE = {
    "postgresql": (
        "SHOW synchronous_commit",
        "synchronous_commit",
        {"on", "local", "remote_write", "remote_apply"},
    ),
    "mysql": ("SELECT @@innodb_flush_log_at_trx_commit", "innodb_flush_log_at_trx_commit", {"1"}),
    "sqlite": ("PRAGMA synchronous", "PRAGMA synchronous", {"2", "3"}),
}


def look_at_settings() -> Iterator[Finding]:
    """Return the findings of the system checks, including those that query the database."""
    # Here the database is there to ask, so accounts in a table are looked at as well.
    known = None if conf.problems() else tuple(conf.settings().gateways.values())
    found = [*project.findings(known)]
    for rule in RULES_OF_DATABASES:
        found += rule((DEFAULT_DB_ALIAS,))
    yield from found or (ok("settings", _("complete, and the database keeps what it has committed")),)


def look_at_durability(aliases: Iterable[str]) -> Iterator[Finding]:
    """Ask databases whether commits are durable on disk."""
    for alias in aliases:
        vendor = connections[alias].vendor
        if vendor not in _DURABLE:
            continue
        question, variable, durable = _DURABLE[vendor]
        with connections[alias].cursor() as cursor:
            cursor.execute(question)
            value = str(cursor.fetchone()[0])
        if value not in durable:
            yield warning(
                Code.COMMITS_NOT_DURABLE, "settings", database=alias, variable=variable, value=value
            )


def look_at_missing_gateways(aliases: Iterable[str]) -> Iterator[Finding]:
    """Find gateways that unfinished transactions name and the settings do not, once the tables are there."""
    if DEFAULT_DB_ALIAS not in aliases or conf.problems():
        return
    try:
        if GatewayTransaction._meta.db_table not in connection.introspection.table_names():
            return
        # Accounts that cannot be read at all are a finding of their own.
        missing = {} if "" in conf.wrong_accounts() else unfinished_elsewhere(conf.settings().gateways)
    except Error:
        # `migrate` runs this before it has brought the tables up to date.
        return
    for alias, count in missing.items():
        yield warning(Code.GATEWAY_MISSING, "settings", gateway=alias, count=count)


# What MariaDB and MySQL cannot write is a payment that fails

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
        for _table, column, _set, kind, nullable in columns:
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


RULES_OF_DATABASES: Final = (look_at_durability, look_at_character_sets, look_at_missing_gateways)
"""The rules that ask databases, by their aliases; they are system checks as well."""


def look_at_keys() -> Iterator[Finding]:
    """Check that secrets at rest are readable: the keys of the settings must open the newest stored key."""
    ciphers = gateways.ciphers()
    if not ciphers:
        yield ok("keys", _("none are set, and no gateway has a wallet that needs them"))
        return
    newest = WalletKey.objects.order_by("-pk").first()
    try:
        if newest is not None:
            cipher_in(ciphers, newest.gateway).unseal(newest.api_key)
    except UnreadableSecret:
        yield error(Code.KEYS_UNREADABLE, "keys")
        return
    message = _("keys that are set: %(count)d; what is stored can be read")
    yield ok("keys", message, count=len({name for one in ciphers.values() for name in one.fingerprints}))


def look_at_database() -> Iterator[Finding]:
    """Return the database's real isolation level, and how far its clock differs from this machine's."""
    subject = f"database ({connection.vendor})"
    is_mariadb = getattr(connection, "mysql_is_mariadb", False)
    # SQLite has one level only; it is asked all the same, as a database that does not answer is a finding.
    question = _ISOLATION.get("mariadb" if is_mariadb else connection.vendor, "SELECT 'serializable'")
    try:
        with connection.cursor() as cursor:
            cursor.execute(question)
            level = str(cursor.fetchone()[0]).lower().replace("-", " ")
        then, now = DatabaseClock().now().astimezone(UTC), timezone.now()
    except Error as failure:
        yield error(Code.DATABASE_SILENT, subject, error=type(failure).__name__)
        return
    if "uncommitted" in level:
        yield error(Code.ISOLATION_TOO_WEAK, subject, isolation=level)
    elif "committed" in level or level == "serializable":
        yield ok(subject, _("isolation is %(isolation)s"), isolation=level)
    else:
        yield warning(Code.ISOLATION_STRICT, subject, isolation=level)
    # Without `USE_TZ`, which is a finding of its own, they cannot be compared.
    ahead = 0.0 if timezone.is_naive(now) else (then - now).total_seconds()
    if abs(ahead) > CLOCK_MAY_DIFFER_SECONDS:
        yield warning(Code.CLOCK_DIFFERS, "clock of the database", seconds=f"{ahead:+.0f}")


def look_at_tables() -> Iterator[Finding]:
    """Find tables and migrations of this app that the database lacks, before a row is read."""
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes("wallet_gateway")
    missing = [migration.name for migration, _ in executor.migration_plan(leaves)]
    if not missing:
        there = set(connection.introspection.table_names())
        ours = apps.get_app_config("wallet_gateway").get_models(include_auto_created=True)
        missing = sorted({model._meta.db_table for model in ours} - there)
    if missing:
        names = ", ".join(missing)
        yield error(Code.NOT_MIGRATED, f"database ({connection.vendor})", missing=names)
