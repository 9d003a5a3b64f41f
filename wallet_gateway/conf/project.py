"""What is wrong or dangerous in the configuration of a project, as findings; no network, no SQL.

Each rule about a setting is here, or in the rules of `WALLET_GATEWAY` beside this module. The system checks
and `wallet_doctor` show the findings.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import django
from django.apps import apps
from django.conf import STATICFILES_STORAGE_ALIAS
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string
from django.views.debug import SafeExceptionReporterFilter

from wallet_gateway import conf
from wallet_gateway.conf import collectors, middleware
from wallet_gateway.conf.fields import SETTING, is_local, published_secret_keys
from wallet_gateway.conf.model import SANDBOX_MERCHANT, GatewaySettings
from wallet_gateway.findings import Code, Finding, error, warning

SUBJECT = "settings"
Gateways = Collection[GatewaySettings]
RENEWAL_TIME = timedelta(days=21)
"""How long before its end a client certificate should be renewed."""


def findings(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Yield everything that is wrong or dangerous.

    `gateways` are those to look at. Without them it is those of the settings: accounts in a table are not
    read, because the system checks run where there is no database yet.
    """
    yield from wrong_settings()
    yield from default_gateway()
    yield from vulnerable_django()
    yield from time_zones()
    yield from packages()
    yield from database_router()
    yield from served_sandbox()
    yield from urls()
    yield from databases()
    yield from atomic_middleware()
    yield from static_modules(gateways)
    yield from static_origin(gateways)
    yield from dangers(gateways)
    yield from client_certificates(gateways)
    yield from risky_collectors()


def wrong_settings(*, debug: bool | None = None) -> Iterator[Finding]:
    """Yield every part of `WALLET_GATEWAY` that is missing or wrong, with the expected value.

    With ``debug`` as it would be if `DEBUG` had that value; None takes the project's.
    """
    for problem in conf.problems(debug=debug):
        yield error(Code.WRONG_SETTING, SUBJECT, setting=problem.setting, expected=problem.expected)


FIXED_DJANGO = {(5, 2): 19, (6, 0): 10, (6, 1): 3}
"""Of each series the first release without an advisory that was known when this version was made."""


def vulnerable_django() -> Iterator[Finding]:
    """Warn if the installed Django has a vulnerability that a later one of its series mends."""
    major, minor, patch, *_ = django.VERSION
    fixed = FIXED_DJANGO.get((major, minor), 0)
    if patch < fixed:
        installed = django.get_version()
        yield warning(Code.DJANGO_VULNERABLE, SUBJECT, installed=installed, fixed=f"{major}.{minor}.{fixed}")


def time_zones() -> Iterator[Finding]:
    """Check that `USE_TZ` is on: leases and schedules are compared across machines."""
    if not django_settings.USE_TZ:
        yield error(Code.TIME_ZONES_OFF, SUBJECT)


IMPORTED_ON_FIRST_USE = (
    "cryptography.fernet",
    "cryptography.x509",
    "requests",
    "rest_framework.views",
    "sqlite3",
    "urllib3.connectionpool",
)
"""What a worker imports when it first needs it, and does without where nothing needs it."""


def packages() -> Iterator[Finding]:
    """Check that what is imported on first use is there, before a customer waits for it."""
    for name in IMPORTED_ON_FIRST_USE:
        try:
            import_module(name)
        except ImportError as problem:
            yield error(Code.PACKAGE_MISSING, SUBJECT, package=name, problem=problem)


_TIMES_ASKED = 20
"""How often a router is asked about each table: some choose one of several replicas at random."""


def database_router() -> Iterator[Finding]:
    """Check that all rows are in one database: rows outside one transaction are not locked together."""
    models = tuple(apps.get_app_config("wallet_gateway").get_models(include_auto_created=True))
    asked = product(range(_TIMES_ASKED), (router.db_for_write, router.db_for_read), models)
    for alias in sorted({question(model) for _, question, model in asked} - {DEFAULT_DB_ALIAS}):
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


def atomic_middleware() -> Iterator[Finding]:
    """Report each middleware that opens a transaction around every view: no payment could begin in it."""
    for name in middleware.opening_transactions(django_settings.MIDDLEWARE):
        yield error(Code.ATOMIC_MIDDLEWARE, SUBJECT, middleware=name)


def _sqlite(alias: str, given: Mapping[str, Any]) -> Iterator[Finding]:
    if given.get("OPTIONS", {}).get("transaction_mode", "").upper() != "IMMEDIATE":
        yield warning(Code.SQLITE_NOT_IMMEDIATE, SUBJECT, database=alias)
    if not django_settings.DEBUG:
        yield warning(Code.SQLITE_IN_PRODUCTION, SUBJECT, database=alias)


def static_modules(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Warn if the scripts' modules are deleted under the names by which they import each other."""
    has_button = any(gateway.wallet for gateway in _known(gateways))
    if not getattr(django_settings, "WHITENOISE_KEEP_ONLY_HASHED_FILES", False) or not has_button:
        return
    storage = import_string(django_settings.STORAGES[STATICFILES_STORAGE_ALIAS]["BACKEND"])
    if not getattr(storage, "support_js_module_import_aggregation", False):
        yield warning(Code.MODULES_DELETED, SUBJECT, storage=storage.__name__)


def static_origin(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Warn if static files are on another host: whether it allows CORS cannot be determined from here."""
    files = _static_url()
    for origin in _origins(gateways):
        if _origin(urljoin(origin, files)) != _origin(origin):
            yield warning(Code.STATIC_ORIGIN_DIFFERS, SUBJECT, files=files, pages=origin)


def dangers(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Yield what is fine on a developer's machine and dangerous where customers pay."""
    yield from debug_mode(gateways)
    yield from sandbox_merchant(gateways)
    yield from secret_keys(gateways)


def debug_mode(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Check that `DEBUG` is off where real money moves, and warn of it where customers reach the shop."""
    if not django_settings.DEBUG:
        return
    if live := _live(gateways):
        yield error(Code.DEBUG_IN_PRODUCTION, SUBJECT, gateways=", ".join(live))
        return
    for origin in _origins(gateways):
        if not is_local(urlsplit(origin).hostname):
            yield warning(Code.DEBUG_IN_PUBLIC, SUBJECT, origin=origin)


def sandbox_merchant(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Warn if the sandbox's merchant is in use outside development; with the live profile it is refused."""
    for gateway in () if django_settings.DEBUG else _known(gateways):
        if gateway.account.merchant_id == SANDBOX_MERCHANT:
            yield warning(Code.SANDBOX_MERCHANT, SUBJECT, setting=_name(gateway.alias, "MERCHANT_ID"))


def secret_keys(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Warn if Django signs with a key that is in public files; with the live profile it is refused."""
    if not django_settings.DEBUG and not _live(gateways):
        for name in published_secret_keys():
            yield warning(Code.SIGNING_KEY_PUBLISHED, SUBJECT, setting=name)


def default_gateway() -> Iterator[Finding]:
    """Warn if no gateway has the alias that every call uses where it is given none."""
    known = sorted(gateway.alias for gateway in _known(None))
    if known and "default" not in known:
        yield warning(Code.NO_DEFAULT_GATEWAY, SUBJECT, known=", ".join(known))


def client_certificates(gateways: Gateways | None = None) -> Iterator[Finding]:
    """Warn if other users can read the key of a client certificate, or if the certificate ends soon."""
    for gateway in _known(gateways):
        if (files := gateway.client_cert) is not None:
            certificate, key = (files, files) if isinstance(files, str) else files
            yield from _certificate(_name(gateway.alias, "CLIENT_CERT"), certificate, key)


def _certificate(name: str, certificate: str, key: str) -> Iterator[Finding]:
    from cryptography.x509 import load_pem_x509_certificates

    try:
        # Where files have no such modes, they say nothing.
        if os.name == "posix" and Path(key).stat().st_mode & stat.S_IROTH:
            yield warning(Code.CLIENT_KEY_READABLE, SUBJECT, setting=name, file=key)
        ends = load_pem_x509_certificates(Path(certificate).read_bytes())[0].not_valid_after_utc
    except (OSError, ValueError):
        # The files were right when the settings were judged; what they are now, the next call says.
        return
    if ends - datetime.now(UTC) < RENEWAL_TIME:
        day = ends.date().isoformat()
        yield warning(Code.CLIENT_CERT_ENDS, SUBJECT, setting=name, file=certificate, ends=day)


def _name(alias: str, option: str) -> str:
    return f"{SETTING}['GATEWAYS'][{alias!r}][{option!r}]"


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


def _live(gateways: Gateways | None) -> list[str]:
    """Return the aliases of the gateways with which real money moves, even while the settings are wrong."""
    if gateways is None:
        return conf.live_gateways()
    return [gateway.alias for gateway in gateways if gateway.account.profile != "test"]


def _known(gateways: Gateways | None) -> Gateways:
    """Return the gateways to look at: by default those of the settings; none while the settings are wrong."""
    if gateways is not None:
        return gateways
    try:
        return tuple(conf.known_without_database().values())
    except ImproperlyConfigured:
        return ()


def _origins(gateways: Gateways | None) -> Iterable[str]:
    """Return each origin by which customers reach the shop; none while the settings are wrong."""
    try:
        origin = conf.settings().public_origin
    except ImproperlyConfigured:
        return ()
    return dict.fromkeys([origin, *(gateway.public_origin for gateway in _known(gateways))])


# One gateway, for `wallet_doctor` only: both are right for a while, so they are no system checks


def disabled_sending(given: GatewaySettings) -> Iterator[Finding]:
    """Warn if the settings let nothing new be sent to a gateway."""
    if not given.policy.sending:
        yield warning(Code.SENDING_DISABLED, f"gateway {given.alias}")


def live_profile(given: GatewaySettings) -> Iterator[Finding]:
    """Check that a gateway of a live shop has the live profile."""
    if given.account.profile != "prod":
        subject = f"going live with {given.alias}"
        yield error(Code.PROFILE_NOT_LIVE, subject, profile=repr(given.account.profile))
