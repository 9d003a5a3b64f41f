"""Settings, keys, database and clock, looked at for real."""

from __future__ import annotations

from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.db import OperationalError, connections
from django.utils import timezone
from pytest_django import Settings

from tests.models.rows import NOW
from wallet_gateway import gateways
from wallet_gateway.doctor import host
from wallet_gateway.findings import Code, Level
from wallet_gateway.models import WalletKey

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def with_setting(settings: Settings, name: str, value: object) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, name: value}


def test_a_wrong_setting_is_an_error_by_its_name(settings: Settings) -> None:
    with_setting(settings, "PUBLIC_ORIGIN", "nowhere")
    found = list(host.look_at_settings())
    assert Level.ERROR in {finding.level for finding in found}
    assert any("PUBLIC_ORIGIN" in finding.text for finding in found)


def test_a_stored_key_that_opens_is_well_and_one_that_does_not_is_an_error(settings: Settings) -> None:
    cipher = gateways.cipher()
    assert cipher is not None
    sealed = cipher.seal("secret")
    WalletKey.objects.create(
        gateway="default", api_key=sealed, encryption_key=sealed, fetched_at=NOW, expires_at=NOW
    )
    assert [finding.level for finding in host.look_at_keys()] == [Level.OK]
    with_setting(settings, "FERNET_KEYS", [Fernet.generate_key().decode()])
    (finding,) = host.look_at_keys()
    assert finding.level is Level.ERROR
    assert "secret" not in finding.text.replace("stored secret", "")


def test_the_databases_isolation_is_read_from_the_database() -> None:
    levels = [finding for finding in host.look_at_database() if finding.subject.startswith("database")]
    (finding,) = levels
    assert finding.level is Level.OK, finding.text


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("read uncommitted", Level.ERROR),
        ("read committed", Level.OK),
        ("repeatable read", Level.WARNING),
        ("serializable", Level.OK),
    ],
)
def test_each_isolation_is_judged(level: str, expected: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_isolation", lambda: level)
    assert next(iter(host.look_at_database())).level is expected


def test_a_database_that_is_away_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> str:
        raise OperationalError("no route to user:password@host")

    monkeypatch.setattr(host, "_isolation", away)
    (finding,) = host.look_at_database()
    assert finding.level is Level.ERROR
    assert "password" not in finding.text


def test_a_database_whose_clock_is_off_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_database_time", lambda: timezone.now() + timedelta(minutes=2))
    assert [f.text for f in host.look_at_database() if f.subject == "clock of the database"] == [
        "+120 s off this machine"
    ]


def test_without_time_zones_no_clocks_are_compared(settings: Settings) -> None:
    settings.USE_TZ = False
    assert [finding.level for finding in host.look_at_database()] == [Level.OK]


def test_a_database_that_may_lose_its_commits_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = connections["default"].vendor
    question, name, _ = host._DURABLE[vendor]
    monkeypatch.setitem(host._DURABLE, vendor, (question, name, {"something else"}))
    (finding,) = host.look_at_durability(["default"])
    assert finding.code is Code.COMMITS_NOT_DURABLE
    assert name in finding.text
