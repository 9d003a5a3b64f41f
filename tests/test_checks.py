"""What is missing or dangerous is said when Django starts, by the setting's name."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.checks import run_checks
from django.db import connections
from django.db.models import Model
from pytest_django import Settings

from wallet_gateway import checks


def ids(messages: object) -> list[str]:
    return [message.id for message in messages]  # type: ignore[attr-defined]


def test_a_complete_project_has_no_errors() -> None:
    assert checks.check_settings() == []
    assert checks.check_urls() == []


@pytest.mark.django_db  # Django's own checks look at the database's version and settings
def test_the_checks_run_with_all_of_djangos(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "https://shop.example"}

    assert "wallet_gateway.E001" in ids(run_checks())


def test_every_missing_setting_is_an_error_of_its_own(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {"default": {}}}

    found = checks.check_settings()

    named = " ".join(message.msg for message in found)
    for name in ("BASE_URL", "MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER"):
        assert f"['default']['{name}']" in named


def test_urls_that_are_not_included_are_an_error_with_the_line_to_add(settings: Settings) -> None:
    settings.ROOT_URLCONF = "django.contrib.auth.urls"

    (message,) = checks.check_urls()

    assert message.id == "wallet_gateway.E002"
    assert "include('wallet_gateway.urls')" in (message.hint or "")


def test_a_shop_that_serves_the_sandbox_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.check_sandbox() == []
    monkeypatch.setattr(apps, "is_installed", "wallet_gateway.sandbox".__eq__)
    assert ids(checks.check_sandbox()) == ["wallet_gateway.E005"]


class RewritingStorage(ManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


def test_modules_whose_plain_names_are_deleted_are_a_warning_where_there_is_a_button(
    settings: Settings,
) -> None:
    def found(storage: type[ManifestStaticFilesStorage]) -> list[str]:
        backend = f"{storage.__module__}.{storage.__name__}"
        settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": backend}}
        return ids(checks.check_static_files())

    assert found(ManifestStaticFilesStorage) == []
    settings.WHITENOISE_KEEP_ONLY_HASHED_FILES = True
    assert found(ManifestStaticFilesStorage) == ["wallet_gateway.W005"]
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
    assert checks.check_static_origin() == []


@pytest.mark.parametrize(
    "url",
    ["https://cdn.example/", "//cdn.example/static/", "http://shop.example/", "https://shop.example:8443/"],
)
def test_static_files_of_another_origin_are_a_warning_that_says_what_their_host_must_answer(
    settings: Settings, url: str
) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example"}
    settings.STATIC_URL = url

    (message,) = checks.check_static_origin()

    assert (message.id, url in message.msg) == ("wallet_gateway.W006", True)
    assert "Access-Control-Allow-Origin: *' (or https://shop.example)" in (message.hint or "")


def test_an_address_of_the_storages_own_counts_before_that_of_the_settings(settings: Settings) -> None:
    storage = {**settings.STORAGES["staticfiles"], "OPTIONS": {"base_url": "https://cdn.example/"}}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": storage}
    assert ids(checks.check_static_origin()) == ["wallet_gateway.W006"]
    settings.STORAGES = {}
    assert checks.check_static_origin() == []


def test_while_the_settings_are_wrong_nothing_is_said_of_static_files(settings: Settings) -> None:
    settings.STATIC_URL = "https://cdn.example/"
    settings.WALLET_GATEWAY = {}
    assert checks.check_static_origin() == []


def warnings_for(monkeypatch: pytest.MonkeyPatch, **given: object) -> list[str]:
    for name, value in given.items():
        monkeypatch.setitem(connections["default"].settings_dict, name, value)
    return ids(checks.check_databases())


def test_a_transaction_around_every_request_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "wallet_gateway.W001" in warnings_for(monkeypatch, ATOMIC_REQUESTS=True)
    assert "wallet_gateway.W001" not in warnings_for(monkeypatch, ATOMIC_REQUESTS=False)


@pytest.mark.django_db
def test_a_database_that_may_lose_its_commits_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = connections["default"].vendor
    question, name, _ = checks._DURABLE[vendor]
    monkeypatch.setitem(checks._DURABLE, vendor, (question, name, {"something else"}))
    (message,) = checks.check_durability(databases=["default"])
    assert message.id == "wallet_gateway.W004"
    assert name in message.msg


@pytest.mark.django_db
def test_a_database_that_keeps_its_commits_is_not() -> None:
    vendor = connections["default"].vendor
    question, _, durable = checks._DURABLE[vendor]
    with connections["default"].cursor() as cursor:
        cursor.execute(question)
        answer = str(cursor.fetchone()[0])
    expected = [] if answer in durable else ["wallet_gateway.W004"]
    assert ids(checks.check_durability(databases=["default"])) == expected


def test_no_database_is_asked_that_django_did_not_name() -> None:
    assert checks.check_durability() == []
    assert checks.check_durability(databases=None) == []


@pytest.mark.skipif(connections["default"].vendor != "sqlite", reason="says what SQLite needs")
def test_sqlite_needs_immediate_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "wallet_gateway.W002" in warnings_for(monkeypatch, OPTIONS={})
    assert "wallet_gateway.W002" not in warnings_for(monkeypatch, OPTIONS={"transaction_mode": "immediate"})


@pytest.mark.skipif(connections["default"].vendor != "sqlite", reason="says what SQLite is fit for")
def test_sqlite_is_warned_of_outside_development(settings: Settings) -> None:
    assert "wallet_gateway.W003" in ids(checks.check_databases())

    settings.DEBUG = True
    assert "wallet_gateway.W003" not in ids(checks.check_databases())


class Elsewhere:
    """A router that reads from a replica, as shops have for their catalogue."""

    def db_for_read(self, model: type[Model], **_: object) -> str | None:
        return "replica" if model._meta.app_label == "wallet_gateway" else None


def test_tables_in_more_than_one_database_are_an_error(settings: Settings) -> None:
    assert checks.check_router() == []
    settings.DATABASE_ROUTERS = ["tests.test_checks.Elsewhere"]
    (message,) = checks.check_router()
    assert message.id == "wallet_gateway.E004"
    assert "'replica'" in message.msg
