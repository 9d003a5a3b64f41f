"""The whole examination, of a shop that is well and of one that is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import pytest
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.doctor import host
from wallet_gateway.doctor.examination import is_well, run_checks
from wallet_gateway.findings import Code, Level, error, ok, warning
from wallet_gateway.models import WalletKey
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_shop_that_works_is_well(wallet_sandbox: SandboxControl) -> None:
    payments.sweep()
    found = run_checks()
    assert is_well(found), found
    subjects = {finding.subject.split(" ")[0] for finding in found}
    assert {"settings", "keys", "database", "gateway", "clock", "sweep"} >= subjects >= {"keys", "gateway"}


def test_going_live_asks_for_more(wallet_sandbox: SandboxControl) -> None:
    payments.sweep()
    assert not is_well(run_checks(go_live=True))


def test_with_wrong_settings_nothing_else_is_tried(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"GATEWAYS": {}}
    found = run_checks()
    assert not is_well(found)
    assert {finding.subject for finding in found} == {"settings"}


def test_a_database_that_is_away_is_one_error_and_the_settings_are_judged_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*_: object, **__: object) -> NoReturn:
        raise OperationalError("connection refused")

    monkeypatch.setattr(connections[DEFAULT_DB_ALIAS], "cursor", away)
    found = run_checks()
    assert [finding.code for finding in found if finding.level is Level.ERROR] == [Code.DATABASE_SILENT]
    assert {finding.subject for finding in found} - {"settings"} == {f"database ({connection.vendor})"}


def test_without_time_zones_the_settings_say_so_and_no_instants_are_compared(settings: Settings) -> None:
    settings.USE_TZ = False
    found = run_checks()
    assert Code.TIME_ZONES_OFF in {finding.code for finding in found if finding.level is Level.ERROR}
    assert {finding.subject for finding in found} == {"settings"}


@pytest.fixture
def _unapplied() -> Iterator[None]:
    """Django's note that our tables were made is gone, as where the migration was never run."""
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("wallet_gateway", "0001_initial")
    yield
    recorder.record_applied("wallet_gateway", "0001_initial")


@pytest.mark.usefixtures("_unapplied")
def test_migrations_that_were_not_run_are_one_error_before_any_row_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host, "look_at_keys", lambda: pytest.fail("rows were read"))
    (finding,) = (finding for finding in run_checks() if finding.level is Level.ERROR)
    assert (finding.code, finding.advice) == (Code.NOT_MIGRATED, "Run manage.py migrate.")
    assert "0001_initial" in finding.text


def test_a_table_that_is_not_there_is_an_error_by_its_name() -> None:
    table = WalletKey._meta.db_table
    with connection.schema_editor() as editor:
        editor.alter_db_table(WalletKey, table, "put_away")
    try:
        (finding,) = (finding for finding in run_checks() if finding.level is Level.ERROR)
    finally:
        with connection.schema_editor() as editor:
            editor.alter_db_table(WalletKey, "put_away", table)
    assert (finding.code, finding.params) == (Code.NOT_MIGRATED, {"missing": table})


def test_a_warning_alone_is_well() -> None:
    well = ok("settings", "complete")
    assert is_well((well, warning(Code.SENDING_DISABLED, "gateway default")))
    assert not is_well((well, error(Code.NEVER_SWEPT, "sweep", gateway="default")))
