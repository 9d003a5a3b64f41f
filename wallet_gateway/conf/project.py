"""What is wrong or dangerous in the configuration of a project, as findings; no network, no SQL.

Each rule about a setting is here, or in the rules of `WALLET_GATEWAY` beside this module. The system checks
and `wallet_doctor` show the findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.apps import apps
from django.conf import STATICFILES_STORAGE_ALIAS
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string
from django.views.debug import SafeExceptionReporterFilter

from wallet_gateway import conf
from wallet_gateway.conf import collectors
from wallet_gateway.findings import Code, Finding, error, warning

SUBJECT = "settings"


def findings() -> Iterator[Finding]:
    """Yield everything that is wrong or dangerous, whatever the gateway."""
    yield from wrong_settings()
    yield from time_zones()
    yield from database_router()
    yield from served_sandbox()
    yield from urls()
    yield from databases()
    yield from static_modules()
    yield from static_origin()
    yield from risky_collectors()


def wrong_settings() -> Iterator[Finding]:
    """Yield every part of `WALLET_GATEWAY` that is missing or wrong, with the expected value."""
    for problem in conf.problems():
        yield error(Code.WRONG_SETTING, SUBJECT, setting=problem.setting, expected=problem.expected)


def time_zones() -> Iterator[Finding]:
    """Check that `USE_TZ` is on: leases and schedules are compared across machines."""
    if not django_settings.USE_TZ:
        yield error(Code.TIME_ZONES_OFF, SUBJECT)


def database_router() -> Iterator[Finding]:
    """Check that all rows are in one database: rows outside one transaction are not locked together."""
    order = apps.get_model("wallet_gateway", "PaymentOrder")
    elsewhere = {router.db_for_write(order), router.db_for_read(order)} - {DEFAULT_DB_ALIAS}
    for alias in sorted(elsewhere):
        yield error(Code.TABLES_ELSEWHERE, SUBJECT, database=alias, expected=DEFAULT_DB_ALIAS)


def served_sandbox() -> Iterator[Finding]:
    """Check that the shop does not serve the sandbox: there, strangers could control it."""
    if apps.is_installed("wallet_gateway.sandbox"):
        yield error(Code.SANDBOX_SERVED, SUBJECT)


def urls() -> Iterator[Finding]:
    """Check that the customer can come back."""
    try:
        reverse("wallet_gateway:return", args=["token"])
    except NoReverseMatch:
        yield error(Code.URLS_MISSING, SUBJECT)


def databases() -> Iterator[Finding]:
    """Warn if a database's settings disable what the ledger depends on."""
    for alias in connections:
        given = connections[alias].settings_dict
        if given.get("ATOMIC_REQUESTS"):
            yield warning(Code.ATOMIC_REQUESTS, SUBJECT, database=alias)
        if connections[alias].vendor == "sqlite":
            yield from _sqlite(alias, given)


def _sqlite(alias: str, given: Mapping[str, Any]) -> Iterator[Finding]:
    if given.get("OPTIONS", {}).get("transaction_mode", "").upper() != "IMMEDIATE":
        yield warning(Code.SQLITE_NOT_IMMEDIATE, SUBJECT, database=alias)
    if not django_settings.DEBUG:
        yield warning(Code.SQLITE_IN_PRODUCTION, SUBJECT, database=alias)


def static_modules() -> Iterator[Finding]:
    """Warn if the scripts' modules are deleted under the names by which they import each other."""
    if not getattr(django_settings, "WHITENOISE_KEEP_ONLY_HASHED_FILES", False) or not _has_button():
        return
    storage = import_string(django_settings.STORAGES[STATICFILES_STORAGE_ALIAS]["BACKEND"])
    if not getattr(storage, "support_js_module_import_aggregation", False):
        yield warning(Code.MODULES_DELETED, SUBJECT, storage=storage.__name__)


def static_origin() -> Iterator[Finding]:
    """Warn if static files are on another host: whether it allows CORS cannot be determined from here."""
    given = _settings()
    if given is None:
        return
    files = _static_url()
    if _origin(urljoin(given.public_origin, files)) != _origin(given.public_origin):
        yield warning(Code.STATIC_ORIGIN_DIFFERS, SUBJECT, files=files, pages=given.public_origin)


def risky_collectors() -> Iterator[Finding]:
    """Warn of each option with which a collector of errors records what must not leave the shop."""
    yield from collectors.sentry()
    yield from collectors.opentelemetry()
    name = "DEFAULT_EXCEPTION_REPORTER_FILTER"
    if not issubclass(import_string(getattr(django_settings, name)), SafeExceptionReporterFilter):
        remedy = "Derive it from SafeExceptionReporterFilter, which hides FERNET_KEYS"
        yield collectors.risky_option("Django", name, remedy)


def _static_url() -> str:
    """Return the address of static files according to the settings; a storage may have another one."""
    storage = django_settings.STORAGES.get(STATICFILES_STORAGE_ALIAS, {})
    return str(storage.get("OPTIONS", {}).get("base_url") or django_settings.STATIC_URL or "/")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    usual_port = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return parts.scheme, parts.netloc.lower().removesuffix(usual_port)


def _has_button() -> bool:
    given = _settings()
    return given is not None and any(gateway.wallet for gateway in given.gateways.values())


def _settings() -> conf.Settings | None:
    """Return the settings; None while they are wrong, which has findings of its own."""
    try:
        return conf.settings()
    except ImproperlyConfigured:
        return None


# One gateway, for `wallet_doctor` only: both are right for a while, so they are no system checks


def disabled_sending(given: conf.GatewaySettings) -> Iterator[Finding]:
    """Warn if the settings let nothing new be sent to a gateway."""
    if not given.policy.sending:
        yield warning(Code.SENDING_DISABLED, f"gateway {given.alias}")


def live_profile(given: conf.GatewaySettings) -> Iterator[Finding]:
    """Check that a gateway of a live shop has the live profile."""
    if given.account.profile != "prod":
        subject = f"going live with {given.alias}"
        yield error(Code.PROFILE_NOT_LIVE, subject, profile=repr(given.account.profile))
