"""Checks of this machine and its database: settings, keys, isolation, durability and clocks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from django.apps import apps
from django.core.checks import ERROR, WARNING, CheckMessage, run_checks
from django.db import DEFAULT_DB_ALIAS, Error, connection
from django.utils import timezone

from wallet_gateway import conf, gateways
from wallet_gateway.models import WalletKey
from wallet_gateway.operations.wallet.encryption import UnreadableSecret
from wallet_gateway.queries.findings import Code, Finding, Level, error, ok, warning

CLOCK_MAY_DIFFER_SECONDS = 30.0
_ISOLATION = {
    "postgresql": "SHOW transaction_isolation",
    "mysql": "SELECT @@transaction_isolation",
    # MariaDB adopted the standard's name from MySQL only recently.
    "mariadb": "SELECT @@tx_isolation",
}


def look_at_settings() -> Iterator[Finding]:
    """Return the findings of the system checks, including those that query the database."""
    app = apps.get_app_config("wallet_gateway")
    messages = [m for m in run_checks(app_configs=[app], databases=[DEFAULT_DB_ALIAS]) if _is_ours(m.id)]
    for message in messages:
        if message.level >= WARNING:
            yield _repeated(message)
    if not messages:
        yield ok(Code.CHECKS_PASSED, "settings")


def _repeated(message: CheckMessage) -> Finding:
    return Finding(
        level=Level.ERROR if message.level >= ERROR else Level.WARNING,
        code=message.id or "",
        subject="settings",
        message=message.msg,
        advice=message.hint or "",
    )


def _is_ours(check_id: str | None) -> bool:
    return (check_id or "").startswith("wallet_gateway.")


def look_at_keys() -> Iterator[Finding]:
    """Check that secrets at rest are readable: the keys of the settings must open the newest stored key."""
    cipher = gateways.cipher()
    if cipher is None:
        yield ok(Code.NO_KEYS, "keys")
        return
    newest = WalletKey.objects.order_by("-pk").first()
    try:
        if newest is not None:
            cipher.unseal(newest.api_key)
    except UnreadableSecret:
        yield error(Code.KEYS_UNREADABLE, "keys")
        return
    yield ok(Code.KEYS_READABLE, "keys", count=len(conf.settings().fernet_keys))


def look_at_database() -> Iterator[Finding]:
    """Return the database's real isolation level, and how far its clock differs from this machine's."""
    subject = f"database ({connection.vendor})"
    try:
        level = _isolation()
        ahead = (_database_time() - timezone.now()).total_seconds()
    except Error as failure:
        yield error(Code.DATABASE_SILENT, subject, error=type(failure).__name__)
        return
    if "uncommitted" in level:
        yield error(Code.ISOLATION_TOO_WEAK, subject, isolation=level)
    elif "committed" in level or level == "serializable":
        yield ok(Code.ISOLATION_SUITABLE, subject, isolation=level)
    else:
        yield warning(Code.ISOLATION_STRICT, subject, isolation=level)
    if abs(ahead) > CLOCK_MAY_DIFFER_SECONDS:
        yield warning(Code.DATABASE_CLOCK_DIFFERS, "clock", seconds=f"{ahead:+.0f}")


def _isolation() -> str:
    mariadb = getattr(connection, "mysql_is_mariadb", False)
    question = _ISOLATION.get("mariadb" if mariadb else connection.vendor)
    if question is None:
        return "serializable"
    with connection.cursor() as cursor:
        cursor.execute(question)
        return str(cursor.fetchone()[0]).lower().replace("-", " ")


def _database_time() -> datetime:
    return gateways.DatabaseClock().now().astimezone(UTC)
