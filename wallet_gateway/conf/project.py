"""What is wrong or dangerous in the configuration of a project, as findings; no network, no SQL.

Each rule about a setting is here, or in the rules of `WALLET_GATEWAY` beside this module. The system checks
and `wallet_doctor` show the findings.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, product
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import django
from django.apps import apps
from django.conf import STATICFILES_STORAGE_ALIAS
from django.conf import settings as django_settings
from django.core.checks import Tags
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections, router
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string
from django.views.debug import SafeExceptionReporterFilter

from wallet_gateway import conf
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
    for rule in chain.from_iterable(RULES.values()):
        yield from rule()
    for rule_of_gateways in chain.from_iterable(RULES_OF_GATEWAYS.values()):
        yield from rule_of_gateways(gateways)


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


def database_router() -> Iterator[Finding]:
    """Check that all rows are in one database: rows outside one transaction are not locked together."""
    models = tuple(apps.get_app_config("wallet_gateway").get_models(include_auto_created=True))
    # Often: some routers choose one of several replicas at random.
    asked = product(range(20), (router.db_for_write, router.db_for_read), models)
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
            if given.get("OPTIONS", {}).get("transaction_mode", "").upper() != "IMMEDIATE":
                yield warning(Code.SQLITE_NOT_IMMEDIATE, SUBJECT, database=alias)
            if not django_settings.DEBUG:
                yield warning(Code.SQLITE_IN_PRODUCTION, SUBJECT, database=alias)


def atomic_middleware() -> Iterator[Finding]:
    """Report each `RevisionMiddleware` of django-reversion that opens a transaction around every view."""
    try:
        base = import_string("reversion.middleware.RevisionMiddleware")
    except (ImportError, RuntimeError):
        # It is not there, or not in use: then its models cannot be imported without its app.
        return
    for name in django_settings.MIDDLEWARE:
        try:
            found = import_string(name)
        except ImportError:
            # Django itself says so.
            continue
        if not isinstance(found, type) or not issubclass(found, base):
            continue
        given: Any = found
        # A shop that says which requests create a revision may have left the plugin's out.
        says_which = given.request_creates_revision is not base.request_creates_revision
        if given.atomic and given.using in {None, DEFAULT_DB_ALIAS} and not says_which:
            yield error(Code.ATOMIC_MIDDLEWARE, SUBJECT, middleware=name)


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
    storage = django_settings.STORAGES.get(STATICFILES_STORAGE_ALIAS, {})
    # A storage may have another address than the settings.
    files = str(storage.get("OPTIONS", {}).get("base_url") or django_settings.STATIC_URL or "/")
    for origin in _origins(gateways):
        if _origin(urljoin(origin, files)) != _origin(origin):
            yield warning(Code.STATIC_ORIGIN_DIFFERS, SUBJECT, files=files, pages=origin)


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
        if (files := gateway.client_cert) is None:
            continue
        from cryptography.x509 import load_pem_x509_certificates

        certificate, key = (files, files) if isinstance(files, str) else files
        name = _name(gateway.alias, "CLIENT_CERT")
        try:
            # Where files have no such modes, they say nothing.
            if os.name == "posix" and Path(key).stat().st_mode & stat.S_IROTH:
                yield warning(Code.CLIENT_KEY_READABLE, SUBJECT, setting=name, file=key)
            ends = load_pem_x509_certificates(Path(certificate).read_bytes())[0].not_valid_after_utc
        except (OSError, ValueError):
            # The files were right when the settings were judged; what they are now, the next call says.
            continue
        if ends - datetime.now(UTC) < RENEWAL_TIME:
            day = ends.date().isoformat()
            yield warning(Code.CLIENT_CERT_ENDS, SUBJECT, setting=name, file=certificate, ends=day)


def _name(alias: str, option: str) -> str:
    return f"{SETTING}['GATEWAYS'][{alias!r}][{option!r}]"


def exception_filter() -> Iterator[Finding]:
    """Warn if Django's error reports are filtered by something that lets the settings' secrets through."""
    name = "DEFAULT_EXCEPTION_REPORTER_FILTER"
    if not issubclass(import_string(getattr(django_settings, name)), SafeExceptionReporterFilter):
        remedy = "Derive it from SafeExceptionReporterFilter, which hides FERNET_KEYS"
        yield _risky_option("Django", name, remedy)


def sentry() -> Iterator[Finding]:
    """Warn of each option with which an active Sentry records more than an emptied traceback."""
    sdk = sys.modules.get("sentry_sdk")
    client = sdk.get_client() if sdk is not None else None
    options: Mapping[str, Any] = client.options if client is not None and client.is_active() else {}
    given = options.get("data_collection") or {}
    by_kind = bool(given.get("provided_by_user"))
    if given.get("user_info") if by_kind else options.get("send_default_pii"):
        option = "data_collection['user_info']" if by_kind else "send_default_pii"
        yield _risky_option("Sentry", option, "Set it to False: users' e-mail addresses are recorded")
    experiments = options.get("_experiments") or {}
    if given.get("database_query_data") if by_kind else experiments.get("record_sql_params"):
        option = "data_collection['database_query_data']" if by_kind else "record_sql_params"
        yield _risky_option("Sentry", option, "Set it to False: the parameters are the rows")
    # Frames that still run keep their variables; only those of an exception are emptied.
    if given.get("stack_frame_variables") if by_kind else options.get("include_local_variables"):
        for option in ("attach_stacktrace", "add_full_stack"):
            if options.get(option):
                yield _risky_option("Sentry", option, "Record no local variables beside it")


def opentelemetry() -> Iterator[Finding]:
    """Warn if OpenTelemetry is set to record the headers by which a person is known."""
    prefix = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_"
    captured, sanitized = (
        {part.strip().lower() for part in os.environ.get(prefix + name, "").split(",") if part.strip()}
        for name in ("SERVER_REQUEST", "SANITIZE_FIELDS")
    )
    any_header = any(not name.replace("-", "").isalnum() for name in captured)
    open_ones = [name for name in ("cookie", "authorization") if any_header or name in captured]
    if exposed := [name for name in open_ones if not {name, f".*{name}.*", ".*"} & sanitized]:
        remedy = f"Name {' and '.join(exposed)} in {prefix}SANITIZE_FIELDS"
        yield _risky_option("OpenTelemetry", f"{prefix}SERVER_REQUEST", remedy)


def _risky_option(collector: str, option: str, remedy: str) -> Finding:
    """Return the finding of one option; the remedy is a sentence without its full stop."""
    code = Code.COLLECTOR_RECORDS_TOO_MUCH
    return warning(code, SUBJECT, collector=collector, option=option, remedy=remedy)


RULES: Final[Mapping[str, Sequence[Callable[[], Iterator[Finding]]]]] = {
    Tags.compatibility: (default_gateway, time_zones, database_router, atomic_middleware),
    Tags.security: (vulnerable_django, served_sandbox, exception_filter, sentry, opentelemetry),
    Tags.urls: (urls,),
    Tags.database: (databases,),
}
"""The rules of a project, by the tag of their system checks."""
RULES_OF_GATEWAYS: Final[Mapping[str, Sequence[Callable[[Gateways | None], Iterator[Finding]]]]] = {
    Tags.staticfiles: (static_modules, static_origin),
    Tags.security: (debug_mode, sandbox_merchant, secret_keys, client_certificates),
}
"""The same of rules for each gateway; without any they look at those of the settings."""


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
        known = conf.settings()
    except ImproperlyConfigured:
        return ()
    # Those in a table are not read here.
    return tuple(known.gateways.values()) if known.elsewhere is None else ()


def _origins(gateways: Gateways | None) -> Iterable[str]:
    """Return each origin by which customers reach the shop; none while the settings are wrong."""
    try:
        origin = conf.settings().public_origin
    except ImproperlyConfigured:
        return ()
    return dict.fromkeys([origin, *(gateway.public_origin for gateway in _known(gateways))])
