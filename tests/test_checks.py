"""Django's checks report what the rules of the settings find, under their ids, when Django starts."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.core import mail
from django.core.checks import ERROR, CheckMessage, Error, run_checks
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from wallet_gateway import checks, conf
from wallet_gateway.doctor import host
from wallet_gateway.documentation import address_of
from wallet_gateway.findings import Code


def our_checks() -> list[CheckMessage]:
    """Run the checks of this app as `manage.py check --database default` does."""
    app = apps.get_app_config("wallet_gateway")
    found = run_checks(app_configs=[app], databases=["default"])
    return [message for message in found if (message.id or "").startswith("wallet_gateway.")]


def test_a_complete_project_has_no_errors() -> None:
    assert checks.check_settings() == []
    assert checks.check_urls() == []


def test_a_finding_becomes_a_message_of_its_level_with_its_id_and_what_to_do(settings: Settings) -> None:
    settings.USE_TZ = False
    (message,) = checks.check_time_zone()
    expected = "USE_TZ is off; leases and timetables need aware instants"
    hint = f"Set USE_TZ = True. See {address_of('reference/checks', 'wallet_gateway.E003')}"
    assert message == Error(expected, hint=hint, id="wallet_gateway.E003")


@pytest.mark.django_db
def test_the_checks_and_the_doctor_say_the_same_of_every_fault(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": gateway | {"AUTH": "no"}}}
    settings.USE_TZ = False
    settings.ROOT_URLCONF = "django.contrib.auth.urls"
    settings.DATABASE_ROUTERS = ["tests.conf.test_project.Elsewhere"]
    settings.STATIC_URL = "https://cdn.example/"
    monkeypatch.delattr(mail, "outbox")  # as outside tests
    monkeypatch.setattr(apps, "is_installed", lambda _: True)
    monkeypatch.setattr(host, "_DURABLE", {key: (*of[:2], set()) for key, of in host._DURABLE.items()})

    told = {
        (finding.code, finding.text, f"{finding.advice} See {finding.docs}")
        for finding in host.look_at_settings()
    }

    errors = {Code.WRONG_SETTING, Code.URLS_MISSING, Code.TIME_ZONES_OFF, Code.TABLES_ELSEWHERE}
    assert {code for code, _, _ in told} >= {*errors, Code.SANDBOX_SERVED, Code.COMMITS_NOT_DURABLE}
    assert {(message.id, message.msg, message.hint) for message in our_checks()} == told


PRODUCTION_NEEDS = {"wallet_gateway.E001", *(code.value for code in checks.ONLY_WITHOUT_DEBUG)}
WITH_BUTTON = {"WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Shop"}}


def wrong_without_debug(settings: Settings, given: object) -> set[str | None]:
    """The ids of what is reported of a project's settings, as `startproject` leaves them, with DEBUG off."""
    settings.DEBUG, settings.SECRET_KEY = False, "django-insecure-from-startproject"
    settings.WALLET_GATEWAY = given
    return {message.id for message in our_checks()} & PRODUCTION_NEEDS


def without_key(settings: Settings) -> object:
    """Settings with a wallet button, whose key comes from the environment of production."""
    gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | WITH_BUTTON
    return settings.WALLET_GATEWAY | {"FERNET_KEYS": [], "GATEWAYS": {"default": gateway}}


@pytest.mark.django_db
def test_what_only_production_needs_keeps_no_shops_tests_from_starting(settings: Settings) -> None:
    assert wrong_without_debug(settings, without_key(settings)) == set()
    assert wrong_without_debug(settings, None) == set()


@pytest.mark.django_db
def test_outside_tests_the_same_is_an_error_without_debug(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(mail, "outbox")
    without = without_key(settings)
    assert wrong_without_debug(settings, without) >= {"wallet_gateway.E001"}
    assert wrong_without_debug(settings, None) >= {"wallet_gateway.E001", "wallet_gateway.W009"}
    assert [message.level for message in checks.check_settings()] == [ERROR, ERROR]


@pytest.mark.django_db
def test_what_is_wrong_on_every_machine_is_an_error_in_tests_too(settings: Settings) -> None:
    assert "wallet_gateway.E001" in wrong_without_debug(settings, {"GATEWAYS": {"default": {}}})


def test_a_call_in_a_test_without_settings_names_them_and_what_gives_a_sandbox(settings: Settings) -> None:
    settings.WALLET_GATEWAY = None
    with pytest.raises(ImproperlyConfigured, match=r"PUBLIC_ORIGIN.*GATEWAYS.*wallet_sandbox.*Mixin"):
        conf.settings()


def test_outside_tests_such_a_call_says_nothing_of_fixtures(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(mail, "outbox")
    settings.WALLET_GATEWAY = None
    with pytest.raises(ImproperlyConfigured, match="PUBLIC_ORIGIN") as raised:
        conf.settings()
    assert "wallet_sandbox" not in str(raised.value)
