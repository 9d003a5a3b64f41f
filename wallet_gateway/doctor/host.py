"""What this machine and its database bring: settings, keys, isolation, durability, and their clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from django.apps import apps
from django.core.checks import ERROR, WARNING, run_checks
from django.db import DEFAULT_DB_ALIAS, Error, connection
from django.utils import timezone

from wallet_gateway import conf, gateways
from wallet_gateway.doctor.findings import Finding, bad, doubtful, good
from wallet_gateway.models import WalletKey
from wallet_gateway.operations.wallet.encryption import UnreadableSecret

CLOCK_MAY_DIFFER_SECONDS = 30.0
_ISOLATION = {
    "postgresql": "SHOW transaction_isolation",
    "mysql": "SELECT @@transaction_isolation",
    # It took the standard's name over from MySQL only lately.
    "mariadb": "SELECT @@tx_isolation",
}


def look_at_settings() -> Iterator[Finding]:
    """Repeat what the system checks say, with those that ask the database."""
    app = apps.get_app_config("wallet_gateway")
    messages = [m for m in run_checks(app_configs=[app], databases=[DEFAULT_DB_ALIAS]) if _is_ours(m.id)]
    for message in messages:
        advice = message.hint or ""
        if message.level >= ERROR:
            yield bad("settings", message.msg, advice)
        elif message.level >= WARNING:
            yield doubtful("settings", message.msg, advice)
    if not messages:
        yield good("settings", "complete, and the database keeps what it has committed")


def _is_ours(check_id: str | None) -> bool:
    return (check_id or "").startswith("wallet_gateway.")


def look_at_keys() -> Iterator[Finding]:
    """See that secrets at rest can be read: the newest stored key opens with the keys of the settings."""
    cipher = gateways.cipher()
    if cipher is None:
        yield good("keys", "none are set, and no gateway has a wallet that needs them")
        return
    newest = WalletKey.objects.order_by("-pk").first()
    try:
        if newest is not None:
            cipher.unseal(newest.api_key)
    except UnreadableSecret:
        advice = "Put the key that was removed back behind the others, then rotate."
        yield bad("keys", "the newest stored secret opens with none of the FERNET_KEYS", advice)
        return
    count = len(conf.settings().fernet_keys)
    yield good("keys", f"{count} set; what is stored can be read")


def look_at_database() -> Iterator[Finding]:
    """Say which isolation the database really has, and how far its clock is from this machine's."""
    subject = f"database ({connection.vendor})"
    try:
        level = _isolation()
        ahead = (_database_time() - timezone.now()).total_seconds()
    except Error as error:
        yield bad(subject, f"does not answer: {type(error).__name__}")
        return
    if "uncommitted" in level:
        yield bad(subject, f"reads what is not committed ({level})", "Set it to read committed.")
    elif "committed" in level or level == "serializable":
        yield good(subject, f"isolation is {level}")
    else:
        yield doubtful(subject, f"isolation is {level}; conflicts are tried again", "Prefer read committed.")
    if abs(ahead) > CLOCK_MAY_DIFFER_SECONDS:
        yield doubtful("clock", f"the database is {ahead:+.0f} s off this machine", "Run a time service.")


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
