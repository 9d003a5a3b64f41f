"""Django's checks report what is wrong or dangerous in a project, under their ids, when Django starts."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core import mail
from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.db.models import Model
from django.http import HttpRequest
from django.test.utils import override_settings
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter
from pytest_django import Settings

from tests.client.certificates import make_certificate
from tests.collectors.listening import SentryEvents
from tests.support.shop import doctors_words
from tests.support.tables import every
from wallet_gateway import conf, payments
from wallet_gateway.documentation import address_of

pytestmark = pytest.mark.django_db


def told(*tags: str) -> dict[str, list[CheckMessage]]:
    """Return what the checks of this app say, by id, as `manage.py check --database default` does."""
    found: dict[str, list[CheckMessage]] = {}
    for message in run_checks(tags=list(tags) or None, databases=["default"]):
        identifier = message.id or ""
        if identifier.startswith("wallet_gateway."):
            found.setdefault(identifier.removeprefix("wallet_gateway."), []).append(message)
    return found


@pytest.fixture
def outside_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the checks judge as outside Django's test environment."""
    monkeypatch.delattr(mail, "outbox")


class Elsewhere:
    """A router that reads from a replica, as shops have for their catalogue."""

    def db_for_read(self, model: type[Model], **_: object) -> str | None:
        return "replica" if model._meta.app_label == "wallet_gateway" else None


class RevisionMiddleware:
    """Stands for the one of django-reversion, with what its subclasses may change."""

    using: str | None = None
    atomic = True

    def request_creates_revision(self, request: HttpRequest) -> bool:
        return request.method not in {"OPTIONS", "GET", "HEAD"}


class Derived(RevisionMiddleware):
    manage_manually = True


class WithoutTransaction(RevisionMiddleware):
    atomic = False


class OfAnotherDatabase(RevisionMiddleware):
    using = "archive"


class ForSomeRequests(RevisionMiddleware):
    def request_creates_revision(self, request: HttpRequest) -> bool:
        return request.path.startswith("/catalogue/")


def function(get_response: object) -> object:
    return get_response


class RewritingStorage(ManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


class Bare(ExceptionReporter):
    """No filter at all."""


class Stricter(SafeExceptionReporterFilter):
    """A filter that derives from Django's."""


@pytest.fixture
def reversion(monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = ModuleType("reversion"), ModuleType("reversion.middleware")
    package.__spec__ = ModuleSpec("reversion", None)
    monkeypatch.setattr(module, "RevisionMiddleware", RevisionMiddleware, raising=False)
    monkeypatch.setattr(package, "middleware", module, raising=False)
    monkeypatch.setitem(sys.modules, "reversion", package)
    monkeypatch.setitem(sys.modules, "reversion.middleware", module)


def shop(**gateway: Any) -> dict[str, Any]:
    """`WALLET_GATEWAY` of a shop that customers reach, with these options of its gateway."""
    right = {"BASE_URL": "https://gateway.example", "MERCHANT_ID": "M-100", "STORE_ID": "S", "USER_ID": "u"}
    default = {**right, "PROVIDER": "ExampleWalletV2", **gateway}
    return {"WALLET_GATEWAY": {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {"default": default}}}


def with_button(**changed: Any) -> dict[str, Any]:
    keys = {"FERNET_KEYS": ["7zvQvZ2mJ0pHqQe3w1m8b6uYx4sT9rKfA5cLdNgEiWo="]}
    given = shop(WALLET={"COUNTRY": "DE"})["WALLET_GATEWAY"] | keys
    return {"WALLET_GATEWAY": given, **changed}


def middleware(name: str) -> dict[str, Any]:
    return shop() | {"MIDDLEWARE": ["django.middleware.common.CommonMiddleware", name]}


def storage(kind: type[ManifestStaticFilesStorage]) -> dict[str, Any]:
    backend = {"BACKEND": f"{kind.__module__}.{kind.__name__}"}
    return {"STORAGES": {"staticfiles": backend}, "WHITENOISE_KEEP_ONLY_HASHED_FILES": True}


LIVE = {"PROFILE": "prod"}
HERE = {"PUBLIC_ORIGIN": "http://127.0.0.1:8000"}
GATEWAYS = {"shop-b": shop()["WALLET_GATEWAY"]["GATEWAYS"]["default"]}
FAULTS: list[tuple[str, dict[str, Any], str, str]] = [
    # The tag of the check, the project's settings, the id, and words of the text or of the hint
    ("compatibility", shop() | {"USE_TZ": False}, "E003", "USE_TZ is off; leases and timetables need"),
    ("compatibility", shop() | {"DATABASE_ROUTERS": [f"{__name__}.Elsewhere"]}, "E004", "'replica'"),
    (
        "compatibility",
        {"WALLET_GATEWAY": {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": GATEWAYS}},
        "W013",
        "fail where they are not given gateway='…' (known: shop-b)",
    ),
    *(
        ("compatibility", middleware(name), "E008", "a subclass of RevisionMiddleware with atomic = False")
        for name in ("reversion.middleware.RevisionMiddleware", f"{__name__}.Derived")
    ),
    ("urls", shop() | {"ROOT_URLCONF": "django.contrib.auth.urls"}, "E002", "include('wallet_gateway.urls')"),
    ("staticfiles", with_button(**storage(ManifestStaticFilesStorage)), "W005", "ManifestStaticFilesStorage"),
    *(
        (
            "staticfiles",
            shop() | {"STATIC_URL": url},
            "W006",
            "Access-Control-Allow-Origin: *' (or https://shop",
        )
        for url in (
            *("https://cdn.example/", "//cdn.example/static/", "http://shop.example/"),
            "https://shop.example:8443/",
        )
    ),
    ("security", shop(**LIVE) | {"DEBUG": True}, "E006", "default"),
    ("security", shop() | {"DEBUG": True}, "W007", "https://shop.example"),
    ("security", shop(MERCHANT_ID="SANDBOX-MERCHANT"), "W008", "['GATEWAYS']['default']['MERCHANT_ID']"),
    ("security", shop() | {"SECRET_KEY": "only-for-the-demo-shop"}, "W009", "SECRET_KEY "),
    ("security", shop() | {"SECRET_KEY": "django-insecure-x"}, "W009", "SECRET_KEY "),
    ("security", shop(AUTH="no"), "E001", "WALLET_GATEWAY['GATEWAYS']['default']['AUTH']: the dotted path"),
    ("security", shop() | {"DEFAULT_EXCEPTION_REPORTER_FILTER": f"{__name__}.Bare"}, "W012", "FERNET_KEYS"),
]
IN_ORDER: list[tuple[str, dict[str, Any]]] = [
    *(
        ("compatibility", middleware(f"{__name__}.{name}"))
        for name in ("WithoutTransaction", "function", "OfAnotherDatabase", "ForSomeRequests")
    ),
    ("compatibility", middleware("nowhere.Middleware")),
    ("staticfiles", with_button(**storage(RewritingStorage))),
    ("staticfiles", shop() | storage(ManifestStaticFilesStorage)),
    *(
        ("staticfiles", shop() | {"STATIC_URL": url})
        for url in ("/static/", "static/", "", None, "https://shop.example/s/", "https://SHOP.example:443/s/")
    ),
    # While the settings are wrong, nothing is said of static files.
    ("staticfiles", {"WALLET_GATEWAY": {}, "STATIC_URL": "https://cdn.example/"}),
    ("security", shop(**LIVE)),
    ("security", {"WALLET_GATEWAY": shop()["WALLET_GATEWAY"] | HERE, "DEBUG": True}),
    # With nothing set it is the sandbox on this machine.
    *(
        ("security", {"WALLET_GATEWAY": {}, "DEBUG": True} | more)
        for more in ({}, {"SECRET_KEY": "django-insecure-x"})
    ),
    ("security", shop() | {"DEFAULT_EXCEPTION_REPORTER_FILTER": f"{__name__}.Stricter"}),
    ("urls", shop()),
]


@pytest.mark.usefixtures("outside_tests", "reversion")
@every(("tag", "project", "identifier", "words"), FAULTS)
def test_a_fault_of_a_project_is_told_once_with_what_to_do(
    tag: str, project: dict[str, Any], identifier: str, words: str
) -> None:
    with override_settings(**project):
        ((found, (message,)),) = told(tag).items()
        secret = str(project.get("SECRET_KEY", "a secret"))
    assert (found, message.is_serious()) == (identifier, identifier.startswith("E"))
    assert words in f"{message.msg} {message.hint}"
    assert message.hint is not None
    assert message.hint.endswith(f"See {address_of('reference/checks', f'wallet_gateway.{identifier}')}")
    assert secret not in message.msg


@pytest.mark.usefixtures("outside_tests", "reversion")
@every(("tag", "project"), IN_ORDER)
def test_of_what_is_in_order_nothing_is_told(tag: str, project: dict[str, Any]) -> None:
    with override_settings(**project):
        assert told(tag) == {}


@pytest.mark.usefixtures("outside_tests")
def test_every_wrong_setting_is_an_error_of_its_own(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "nowhere", "GATEWAYS": {"default": {}}}
    named = [message.msg.partition(": ")[0].rpartition("[")[2] for message in told("security")["E001"]]
    names = ("PUBLIC_ORIGIN", "BASE_URL", "MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER")
    assert set(named) == {f"{name!r}]" for name in names}


def test_a_shop_that_serves_the_sandbox_is_an_error(settings: Settings) -> None:
    assert told("security") == {}
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "wallet_gateway.sandbox"]
    assert list(told("security")) == ["E005"]


@pytest.mark.usefixtures("outside_tests")
def test_a_database_whose_settings_disable_what_the_ledger_needs_is_warned_of(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = connections["default"].settings_dict
    assert "W001" not in told("database")
    monkeypatch.setitem(given, "ATOMIC_REQUESTS", True)
    assert "W001" in told("database")
    if connections["default"].vendor == "sqlite":
        assert {"W002", "W003"} & set(told("database")) == {"W003"}
        monkeypatch.setitem(given, "OPTIONS", {})
        assert {"W002", "W003"} <= set(told("database"))
        settings.DEBUG = True
        assert "W003" not in told("database")


@every(
    ("version", "fixed"),
    [
        ((5, 2, 18, "final", 0), "5.2.19"),
        ((5, 2, 19, "final", 0), None),
        ((6, 1, 0, "beta", 1), "6.1.3"),
        ((6, 1, 3, "final", 0), None),
        ((6, 2, 0, "final", 0), None),
    ],
)
def test_a_django_with_a_known_vulnerability_is_warned_of(
    version: tuple[object, ...], fixed: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("django.VERSION", version)
        messages = [message.msg for message in told("security").get("W015", [])]
    assert len(messages) == bool(fixed)
    assert all(fixed in message for message in messages if fixed)


def test_a_client_certificate_that_ends_soon_or_has_an_open_key_is_warned_of(tmp_path: Path) -> None:
    for days_left, mode, expected in (
        (30, 0o600, []),
        (30, 0o640, []),
        (30, 0o604, ["W010"]),
        (20, 0o600, ["W011"]),
        (-1, 0o644, ["W010", "W011"]),
    ):
        certificate, key = make_certificate(tmp_path, days_left=days_left).pair()
        Path(key).chmod(mode)
        with override_settings(**shop(CLIENT_CERT=(certificate, key))):
            assert sorted(told("security")) == expected


def test_a_gateway_to_which_the_settings_let_nothing_be_sent_is_warned_of_by_the_doctor() -> None:
    with override_settings(**shop(SENDING_ENABLED=False, BASE_URL="http://127.0.0.1:9")):
        words = doctors_words()
        assert told("security") == {}
    assert "warning  gateway default: " in words
    assert "SENDING_ENABLED" in words


# Collectors of errors and traces


def recorded(**options: Any) -> list[str]:
    """Return the options that are warned of where Sentry is active with these."""
    listening = SentryEvents.listening(**options)
    next(listening)
    found = [message.msg for message in told("security").get("W012", [])]
    assert list(listening) == []
    return found


QUIET = {"user_info": False, "database_query_data": False}


@pytest.mark.filterwarnings("ignore:The send_default_pii:DeprecationWarning")
@every(
    ("options", "named"),
    [
        ({}, []),
        ({"max_request_body_size": "always", "traces_sample_rate": 1.0}, []),
        *(({name: True}, [name]) for name in ("send_default_pii", "attach_stacktrace", "add_full_stack")),
        ({"_experiments": {"record_sql_params": True}}, ["record_sql_params"]),
        ({"data_collection": QUIET}, []),
        (
            {"data_collection": {}},
            ["data_collection['user_info']", "data_collection['database_query_data']"],
        ),
        ({"data_collection": QUIET, "attach_stacktrace": True}, ["attach_stacktrace"]),
        ({"data_collection": {**QUIET, "stack_frame_variables": False}, "attach_stacktrace": True}, []),
    ],
)
def test_an_option_with_which_sentry_records_more_is_found(options: dict[str, Any], named: list[str]) -> None:
    found = recorded(**options)
    assert len(found) == len(named)
    assert all(name in text for name, text in zip(named, found, strict=True))


@pytest.mark.parametrize("headers", ["Cookie", ".*", "accept, COOK.*"])
def test_headers_that_opentelemetry_records_are_found(headers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_"
    monkeypatch.setenv(f"{name}SERVER_REQUEST", headers)
    (message,) = told("security")["W012"]
    assert "cookie" in (message.hint or "")
    monkeypatch.setenv(f"{name}SANITIZE_FIELDS", "cookie,authorization")
    assert told("security") == {}


# In tests, and beside the doctor


@pytest.fixture
def several_faults(settings: Settings) -> None:
    settings.WALLET_GATEWAY = shop(AUTH="no")["WALLET_GATEWAY"]
    settings.ROOT_URLCONF = "django.contrib.auth.urls"
    settings.DATABASE_ROUTERS = [f"{__name__}.Elsewhere"]
    settings.STATIC_URL = "https://cdn.example/"
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "wallet_gateway.sandbox"]


@pytest.mark.usefixtures("outside_tests", "several_faults")
def test_the_checks_and_the_doctor_say_the_same_of_every_fault() -> None:
    words = doctors_words()
    messages = [message for found in told().values() for message in found]
    assert {"wallet_gateway.E001", "wallet_gateway.E002", "wallet_gateway.E004"} < {m.id for m in messages}
    for message in messages:
        assert message.msg in words


def test_what_only_production_needs_keeps_no_shops_tests_from_starting(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings are those that `startproject` leaves; the key comes from production's environment."""
    settings.SECRET_KEY = "django-insecure-from-startproject"
    without_key = with_button()["WALLET_GATEWAY"] | {"FERNET_KEYS": []}
    production = {"E001", "W003", "W008", "W009"}
    for given, outside in ((without_key, {"E001", "W009"}), (None, {"E001", "W009"})):
        settings.WALLET_GATEWAY = given
        assert production & set(told()) == set()
        with monkeypatch.context() as patch:
            patch.delattr(mail, "outbox")
            assert set(told()) >= outside
    # What is wrong on every machine is an error in tests too.
    settings.WALLET_GATEWAY = {"GATEWAYS": {"default": {}}}
    assert "E001" in told()


def test_a_call_in_a_test_without_settings_names_them_and_what_gives_a_sandbox(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WALLET_GATEWAY = None
    with pytest.raises(ImproperlyConfigured, match=r"PUBLIC_ORIGIN.*GATEWAYS.*wallet_sandbox.*Mixin"):
        payments.maintenance.gateway_aliases()
    monkeypatch.delattr(mail, "outbox")
    with pytest.raises(ImproperlyConfigured, match="PUBLIC_ORIGIN") as raised:
        conf.settings()
    assert "wallet_sandbox" not in str(raised.value)
