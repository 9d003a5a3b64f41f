"""Django's checks report what the rules of the settings find, under their ids, when Django starts."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.core.checks import ERROR, WARNING, CheckMessage, Error, run_checks
from pytest_django import Settings

from wallet_gateway import checks
from wallet_gateway.doctor import host
from wallet_gateway.findings import Code, Level

LEVELS = {Level.ERROR: ERROR, Level.WARNING: WARNING}


def our_checks() -> list[CheckMessage]:
    """Run the checks of this app as `manage.py check --database default` does."""
    app = apps.get_app_config("wallet_gateway")
    found = run_checks(app_configs=[app], databases=["default"])
    return [message for message in found if (message.id or "").startswith("wallet_gateway.")]


def test_a_complete_project_has_no_errors() -> None:
    assert checks.check_settings() == []
    assert checks.check_urls() == []


@pytest.mark.django_db  # Django's own checks look at the database's version and settings
def test_the_checks_run_with_all_of_djangos(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "https://shop.example"}

    assert "wallet_gateway.E001" in {message.id for message in run_checks()}


def test_a_finding_becomes_a_message_of_its_level_with_its_id_and_what_to_do(settings: Settings) -> None:
    settings.USE_TZ = False
    (message,) = checks.check_time_zone()
    expected = "USE_TZ is off; leases and timetables need aware instants"
    hint = "Set USE_TZ = True. See docs/reference/checks.md#wallet_gateway.E003"
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
    monkeypatch.setattr(apps, "is_installed", lambda _: True)
    monkeypatch.setattr(host, "_DURABLE", {key: (*of[:2], set()) for key, of in host._DURABLE.items()})

    told = {
        (finding.code, finding.text, f"{finding.advice} See {finding.docs}")
        for finding in host.look_at_settings()
    }

    errors = {Code.WRONG_SETTING, Code.URLS_MISSING, Code.TIME_ZONES_OFF, Code.TABLES_ELSEWHERE}
    assert {code for code, _, _ in told} >= {*errors, Code.SANDBOX_SERVED, Code.COMMITS_NOT_DURABLE}
    assert {(message.id, message.msg, message.hint) for message in our_checks()} == told
