"""System checks: report missing or dangerous settings by name at start, never during a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.apps import apps
from django.conf import STATICFILES_STORAGE_ALIAS
from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string

from wallet_gateway import conf
from wallet_gateway.models import PaymentOrder


@register(Tags.security)
def check_settings(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Report every setting that is missing or wrong, with the expected value."""
    return [
        Error(
            f"{problem.setting}: {problem.expected}",
            hint="See the settings reference in the documentation.",
            id="wallet_gateway.E001",
        )
        for problem in conf.problems()
    ]


@register(Tags.compatibility)
def check_time_zone(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that `USE_TZ` is on: leases and schedules are compared across machines."""
    if django_settings.USE_TZ:
        return []
    message = "USE_TZ is off; leases and timetables need aware instants"
    return [Error(message, hint="Set USE_TZ = True.", id="wallet_gateway.E003")]


@register(Tags.compatibility)
def check_router(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that all rows are in one database: rows outside one transaction are not locked together."""
    elsewhere = {router.db_for_write(PaymentOrder), router.db_for_read(PaymentOrder)} - {DEFAULT_DB_ALIAS}
    return [
        Error(
            f"a database router sends the tables of wallet_gateway to {alias!r}; they must be in "
            f"{DEFAULT_DB_ALIAS!r}, for writing and for reading",
            hint="Return None for wallet_gateway. A replica lags, and transactions are of one database.",
            id="wallet_gateway.E004",
        )
        for alias in sorted(elsewhere)
    ]


@register(Tags.security)
def check_sandbox(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that the shop does not serve the sandbox: there, strangers could control it."""
    if not apps.is_installed("wallet_gateway.sandbox"):
        return []
    message = "wallet_gateway.sandbox is in INSTALLED_APPS; its console would be open to everybody"
    hint = (
        "Remove it and run `python -m wallet_gateway.sandbox`, which has a process and a database of its own."
    )
    return [Error(message, hint=hint, id="wallet_gateway.E005")]


@register(Tags.urls)
def check_urls(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that the customer can come back."""
    try:
        reverse("wallet_gateway:return", args=["token"])
    except NoReverseMatch:
        return [
            Error(
                "the URLs of wallet_gateway are not included, so customers could not come back",
                hint="Add path('wallet/', include('wallet_gateway.urls')) to the root URLconf.",
                id="wallet_gateway.E002",
            )
        ]
    return []


@register(Tags.staticfiles)
def check_static_files(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if the scripts' modules are deleted under the names by which they import each other."""
    if not getattr(django_settings, "WHITENOISE_KEEP_ONLY_HASHED_FILES", False) or not _has_button():
        return []
    storage = import_string(django_settings.STORAGES[STATICFILES_STORAGE_ALIAS]["BACKEND"])
    if getattr(storage, "support_js_module_import_aggregation", False):
        return []
    message = (
        "WHITENOISE_KEEP_ONLY_HASHED_FILES deletes the wallet button's modules, so it would never appear"
    )
    hint = f"Derive from {storage.__name__} and set support_js_module_import_aggregation = True."
    return [CheckWarning(message, hint=hint, id="wallet_gateway.W005")]


@register(Tags.staticfiles)
def check_static_origin(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if static files are on another host: whether it allows CORS cannot be determined from here."""
    if conf.problems():
        return []
    page, files = conf.settings().public_origin, _static_url()
    address = urljoin(page, files)
    if _origin(address) == _origin(page):
        return []
    message = (
        f"static files are on another origin ({files}) than the shop's pages ({page}): the wallet button and "
        "the page that waits for an outcome are modules, which a browser takes from there only with CORS"
    )
    hint = (
        f"Let that host answer every script with 'Access-Control-Allow-Origin: *' (or {page}), then add "
        "wallet_gateway.W006 to SILENCED_SYSTEM_CHECKS."
    )
    return [CheckWarning(message, hint=hint, id="wallet_gateway.W006")]


def _static_url() -> str:
    """Return the address of static files according to the settings; a storage may have another one."""
    storage = django_settings.STORAGES.get(STATICFILES_STORAGE_ALIAS, {})
    return str(storage.get("OPTIONS", {}).get("base_url") or django_settings.STATIC_URL or "/")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    usual_port = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return parts.scheme, parts.netloc.lower().removesuffix(usual_port)


def _has_button() -> bool:
    return not conf.problems() and any(one.wallet for one in conf.settings().gateways.values())


@register(Tags.database)
def check_databases(app_configs: object = None, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if a database's settings disable what the ledger depends on."""
    found: list[CheckMessage] = []
    for alias in connections:
        given = connections[alias].settings_dict
        if given.get("ATOMIC_REQUESTS"):
            found.append(_atomic_requests(alias))
        if connections[alias].vendor == "sqlite":
            found.extend(_sqlite(alias, given))
    return found


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


@register(Tags.database)
def check_durability(
    app_configs: object = None,  # noqa: ARG001
    databases: Sequence[str] | None = None,
    **kwargs: Any,  # noqa: ARG001
) -> Sequence[CheckMessage]:
    """Check in the databases of `check --database` that commits are durable on disk."""
    found = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.vendor not in _DURABLE:
            continue
        question, name, durable = _DURABLE[connection.vendor]
        with connection.cursor() as cursor:
            cursor.execute(question)
            answer = str(cursor.fetchone()[0])
        if answer not in durable:
            found.append(_not_durable(alias, f"{name} is {answer}"))
    return found


def _not_durable(alias: str, why: str) -> CheckMessage:
    return CheckWarning(
        f"DATABASES[{alias!r}] may lose what it has committed when the power fails: {why}",
        hint="A request that left without a row is a payment that nobody knows of.",
        id="wallet_gateway.W004",
    )


def _atomic_requests(alias: str) -> CheckMessage:
    return CheckWarning(
        f"DATABASES[{alias!r}] has ATOMIC_REQUESTS: views that call wallet_gateway.payments must be "
        "decorated with django.db.transaction.non_atomic_requests",
        hint="What is sent to the gateway must be committed before the first byte leaves.",
        id="wallet_gateway.W001",
    )


def _sqlite(alias: str, given: dict[str, Any]) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if given.get("OPTIONS", {}).get("transaction_mode", "").upper() != "IMMEDIATE":
        found.append(
            CheckWarning(
                f"DATABASES[{alias!r}]['OPTIONS']['transaction_mode'] should be 'IMMEDIATE'",
                hint="Otherwise a transaction that reads and then writes fails when another one writes.",
                id="wallet_gateway.W002",
            )
        )
    if not django_settings.DEBUG:
        found.append(
            CheckWarning(
                f"DATABASES[{alias!r}] is SQLite: one writer at a time, fit for one process",
                hint="Use PostgreSQL or MariaDB for a shop with more than one worker.",
                id="wallet_gateway.W003",
            )
        )
    return found
