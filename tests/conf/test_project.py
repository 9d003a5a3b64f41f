"""What is missing or dangerous in a project's settings is found, with its setting and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.db.models import Model
from pytest_django import Settings

from tests.client.certificates import make_certificate
from wallet_gateway import conf
from wallet_gateway.conf import project
from wallet_gateway.findings import Code, Finding, Level


def codes(found: Iterable[Finding]) -> list[Code]:
    return [finding.code for finding in found]


def test_every_missing_setting_is_an_error_of_its_own(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {"default": {}}}

    found = project.wrong_settings()

    named = " ".join(finding.text for finding in found)
    for name in ("BASE_URL", "MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER"):
        assert f"['default']['{name}']" in named


def test_urls_that_are_not_included_are_an_error_with_the_line_to_add(settings: Settings) -> None:
    settings.ROOT_URLCONF = "django.contrib.auth.urls"

    (finding,) = project.urls()

    assert finding.code == Code.URLS_MISSING
    assert "include('wallet_gateway.urls')" in finding.advice


def test_a_shop_that_serves_the_sandbox_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(project.served_sandbox()) == []
    monkeypatch.setattr(apps, "is_installed", "wallet_gateway.sandbox".__eq__)
    assert codes(project.served_sandbox()) == [Code.SANDBOX_SERVED]


class RewritingStorage(ManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


def test_modules_whose_plain_names_are_deleted_are_a_warning_where_there_is_a_button(
    settings: Settings,
) -> None:
    def found(storage: type[ManifestStaticFilesStorage]) -> list[Code]:
        backend = f"{storage.__module__}.{storage.__name__}"
        settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": backend}}
        return codes(project.static_modules())

    assert found(ManifestStaticFilesStorage) == []
    settings.WHITENOISE_KEEP_ONLY_HASHED_FILES = True
    assert found(ManifestStaticFilesStorage) == [Code.MODULES_DELETED]
    assert found(RewritingStorage) == []
    without_a_button = {**settings.WALLET_GATEWAY["GATEWAYS"]["default"]}
    del without_a_button["WALLET"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": without_a_button}}
    assert found(ManifestStaticFilesStorage) == []


@pytest.mark.parametrize(
    "url", ["/static/", "static/", "", None, "https://shop.example/static/", "https://SHOP.example:443/s/"]
)
def test_static_files_of_the_shops_own_origin_need_nothing(settings: Settings, url: str | None) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example"}
    settings.STATIC_URL = url
    assert list(project.static_origin()) == []


@pytest.mark.parametrize(
    "url",
    ["https://cdn.example/", "//cdn.example/static/", "http://shop.example/", "https://shop.example:8443/"],
)
def test_static_files_of_another_origin_are_a_warning_that_says_what_their_host_must_answer(
    settings: Settings, url: str
) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example"}
    settings.STATIC_URL = url

    (finding,) = project.static_origin()

    assert (finding.code, url in finding.text) == (Code.STATIC_ORIGIN_DIFFERS, True)
    assert "Access-Control-Allow-Origin: *' (or https://shop.example)" in finding.advice


def test_while_the_settings_are_wrong_nothing_is_said_of_static_files(settings: Settings) -> None:
    settings.STATIC_URL = "https://cdn.example/"
    settings.WALLET_GATEWAY = {}
    assert list(project.static_origin()) == []


def warnings_for(monkeypatch: pytest.MonkeyPatch, **given: object) -> list[Code]:
    for name, value in given.items():
        monkeypatch.setitem(connections["default"].settings_dict, name, value)
    return codes(project.databases())


def test_a_transaction_around_every_request_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Code.ATOMIC_REQUESTS in warnings_for(monkeypatch, ATOMIC_REQUESTS=True)
    assert Code.ATOMIC_REQUESTS not in warnings_for(monkeypatch, ATOMIC_REQUESTS=False)


@pytest.mark.skipif(connections["default"].vendor != "sqlite", reason="says what SQLite needs")
def test_sqlite_needs_immediate_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Code.SQLITE_NOT_IMMEDIATE in warnings_for(monkeypatch, OPTIONS={})
    assert Code.SQLITE_NOT_IMMEDIATE not in warnings_for(
        monkeypatch, OPTIONS={"transaction_mode": "immediate"}
    )


@pytest.mark.skipif(connections["default"].vendor != "sqlite", reason="says what SQLite is fit for")
def test_sqlite_is_warned_of_outside_development(settings: Settings) -> None:
    assert Code.SQLITE_IN_PRODUCTION in codes(project.databases())

    settings.DEBUG = True
    assert Code.SQLITE_IN_PRODUCTION not in codes(project.databases())


class Elsewhere:
    """A router that reads from a replica, as shops have for their catalogue."""

    def db_for_read(self, model: type[Model], **_: object) -> str | None:
        return "replica" if model._meta.app_label == "wallet_gateway" else None


def test_tables_in_more_than_one_database_are_an_error(settings: Settings) -> None:
    assert list(project.database_router()) == []
    settings.DATABASE_ROUTERS = ["tests.conf.test_project.Elsewhere"]
    (finding,) = project.database_router()
    assert finding.code == Code.TABLES_ELSEWHERE
    assert "'replica'" in finding.text


@pytest.mark.parametrize(
    ("version", "fixed"),
    [
        ((5, 2, 18, "final", 0), "5.2.19"),
        ((5, 2, 19, "final", 0), None),
        ((6, 0, 9, "final", 0), "6.0.10"),
        ((6, 1, 0, "beta", 1), "6.1.3"),
        ((6, 1, 3, "final", 0), None),
        ((6, 2, 0, "final", 0), None),
    ],
    ids=str,
)
def test_a_django_with_a_known_vulnerability_is_warned_of(
    version: tuple[object, ...], fixed: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.VERSION", version)
    found = list(project.vulnerable_django())
    assert [finding.params["fixed"] for finding in found] == ([fixed] if fixed else [])
    assert codes(found) == ([Code.DJANGO_VULNERABLE] if fixed else [])


def test_time_zones_that_are_off_are_an_error(settings: Settings) -> None:
    assert list(project.time_zones()) == []
    settings.USE_TZ = False
    assert codes(project.time_zones()) == [Code.TIME_ZONES_OFF]


def test_a_gateway_to_which_the_settings_let_nothing_be_sent_is_warned_of(settings: Settings) -> None:
    assert list(project.disabled_sending(conf.gateway_settings("default"))) == []
    given = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"SENDING_ENABLED": False}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": given}}
    (finding,) = project.disabled_sending(conf.gateway_settings("default"))
    assert (finding.code, finding.level) == (Code.SENDING_DISABLED, Level.WARNING)
    assert finding.subject == "gateway default"


# What is fine on a developer's machine, and dangerous where customers pay


def live(settings: Settings, **changed: object) -> None:
    """A shop with real money: nothing in it is the sandbox's."""
    given = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {
        "PROFILE": "prod",
        "BASE_URL": "https://gateway.example",
        "MERCHANT_ID": "M-100",
    }
    given.pop("WALLET", None)
    origin = {"PUBLIC_ORIGIN": "https://shop.example"}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, **origin, "GATEWAYS": {"default": given | changed}}


def test_debug_where_real_money_moves_is_an_error(settings: Settings) -> None:
    live(settings)
    assert list(project.debug_mode()) == []
    settings.DEBUG = True
    (finding,) = project.debug_mode()
    assert (finding.code, finding.level) == (Code.DEBUG_IN_PRODUCTION, Level.ERROR)
    assert "default" in finding.text


def test_debug_where_customers_reach_the_shop_is_warned_of(settings: Settings) -> None:
    settings.DEBUG = True
    assert list(project.debug_mode()) == []
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example"}
    (finding,) = project.debug_mode()
    assert (finding.code, "https://shop.example" in finding.text) == (Code.DEBUG_IN_PUBLIC, True)
    settings.DEBUG = False
    assert list(project.debug_mode()) == []


def test_debug_with_nothing_set_is_the_sandbox_on_this_machine_and_fine(settings: Settings) -> None:
    settings.WALLET_GATEWAY, settings.DEBUG = {}, True
    assert list(project.dangers()) == []


def test_the_sandboxs_merchant_is_warned_of_outside_development(settings: Settings) -> None:
    (finding,) = project.sandbox_merchant()
    assert finding.code == Code.SANDBOX_MERCHANT
    assert "WALLET_GATEWAY['GATEWAYS']['default']['MERCHANT_ID']" in finding.text
    settings.DEBUG = True
    assert list(project.sandbox_merchant()) == []


@pytest.mark.parametrize("key", ["only-for-the-demo-shop", "django-insecure-x"])
def test_a_signing_key_that_everybody_can_read_is_warned_of_outside_development(
    settings: Settings, key: str
) -> None:
    assert list(project.secret_keys()) == []
    settings.SECRET_KEY = key
    (finding,) = project.secret_keys()
    assert (finding.code, finding.text.split()[0]) == (Code.SIGNING_KEY_PUBLISHED, "SECRET_KEY")
    assert key not in finding.text
    settings.DEBUG = True
    assert list(project.secret_keys()) == []


def test_a_signing_key_that_everybody_can_read_is_refused_where_real_money_moves(settings: Settings) -> None:
    live(settings)
    assert conf.problems() == ()
    settings.SECRET_KEY_FALLBACKS = ["own", "django-insecure-x"]
    (problem,) = conf.problems()
    assert problem.setting == "SECRET_KEY_FALLBACKS[1]"
    with pytest.raises(ImproperlyConfigured, match="a secret of your own"):
        conf.settings()
    assert list(project.secret_keys()) == []


def test_a_client_certificate_that_ends_soon_or_has_an_open_key_is_warned_of(
    settings: Settings, tmp_path: Path
) -> None:
    def found(days_left: int, mode: int) -> list[Code]:
        certificate, key = make_certificate(tmp_path, days_left=days_left).pair()
        Path(key).chmod(mode)
        live(settings, CLIENT_CERT=(certificate, key))
        return codes(project.client_certificates())

    assert list(project.client_certificates()) == []
    assert found(30, 0o600) == []
    assert found(30, 0o604) == [Code.CLIENT_KEY_READABLE]
    assert found(20, 0o600) == [Code.CLIENT_CERT_ENDS]
    assert found(-1, 0o644) == [Code.CLIENT_KEY_READABLE, Code.CLIENT_CERT_ENDS]


def test_a_project_with_several_faults_has_a_finding_for_each(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "nowhere", "GATEWAYS": {"default": {}}}
    settings.USE_TZ = False
    settings.ROOT_URLCONF = "django.contrib.auth.urls"
    found = codes(project.findings())
    assert {Code.WRONG_SETTING, Code.TIME_ZONES_OFF, Code.URLS_MISSING} <= set(found)
    assert found.count(Code.WRONG_SETTING) == len(conf.problems()) > 5


def test_gateways_without_a_default_one_are_warned_of_with_what_happens(settings: Settings) -> None:
    given = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"shop-b": given, "shop-a": given}}
    (finding,) = project.default_gateway()
    assert (finding.code, finding.level) == (Code.NO_DEFAULT_GATEWAY, Level.WARNING)
    assert "create_order" in finding.text
    assert "(known: shop-a, shop-b)" in finding.text
    assert "wallet_gateway.W013" in finding.advice
    with pytest.raises(ImproperlyConfigured, match="has no 'default'; it has: shop-a, shop-b"):
        conf.gateway_settings("default")
