"""Exports from a shell."""

from __future__ import annotations

import csv
import json
from datetime import date, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.queries.statistics import Period

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def export(*arguments: str) -> str:
    out = StringIO()
    call_command("wallet_export", *arguments, stdout=out)
    return out.getvalue()


def test_rows_go_to_the_output_as_csv_or_json() -> None:
    an_order(reference="R-1")
    (row,) = csv.DictReader(StringIO(export("orders")))
    assert row["reference"] == "R-1"
    assert json.loads(export("orders", "--format", "json")) == row


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "17.05.2026"])
def test_a_day_that_is_none_is_refused(day: str) -> None:
    with pytest.raises(CommandError, match="--since must be a day"):
        export("orders", "--since", day)


def test_days_bound_what_is_exported() -> None:
    an_order(reference="R-1")
    by = ("--by", "created")
    assert "R-1" in export("orders", *by, "--since", "2026-05-17", "--until", "2026-05-18")
    assert "R-1" not in export("orders", *by, "--until", "2026-05-17")


@pytest.mark.parametrize(
    ("zone", "approved", "of_the_project", "of_utc"),
    [
        ("Europe/Berlin", "2026-02-28T23:30:00Z", "2026-03-01", "2026-02-28"),
        ("America/Los_Angeles", "2026-03-02T07:30:00Z", "2026-03-01", "2026-03-02"),
        ("Pacific/Kiritimati", "2026-02-28T10:00:00Z", "2026-03-01", "2026-02-28"),
        # Where the clocks change at midnight, that day begins at one.
        ("Africa/Cairo", "2026-04-23T22:00:00Z", "2026-04-24", "2026-04-23"),
        ("UTC", "2026-03-01T00:00:00Z", "2026-03-01", "2026-03-01"),
    ],
)
@pytest.mark.parametrize("what", ["orders", "transactions"])
def test_days_are_those_of_the_project_and_of_its_dashboard(
    settings: Settings, what: str, zone: str, approved: str, of_the_project: str, of_utc: str
) -> None:
    settings.TIME_ZONE = zone
    at = datetime.fromisoformat(approved)
    a_transaction(a_payment(an_order(reference="R-1")), kind="CHECKOUT", state="APPROVED", approved_at=at)
    for days, day in (((), of_the_project), (("--days", "utc"), of_utc)):
        next_day = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
        assert "R-1" in export(what, *days, "--since", day, "--until", next_day)
        assert "R-1" not in export(what, *days, "--until", day)
        assert "R-1" not in export(what, *days, "--since", next_day)
    local = date.fromisoformat(of_the_project)
    period = Period(first=local, last=local, zone=timezone.get_current_timezone())
    assert GatewayTransaction.objects.filter(period.of("approved_at")).exists()


@pytest.mark.parametrize("what", ["events", "discrepancies"])
def test_what_has_one_time_takes_no_other(what: str) -> None:
    with pytest.raises(CommandError, match="--by is for orders and transactions"):
        export(what, "--by", "approved")


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        export("orders", "--output", str(tmp_path / "none" / "orders.csv"))
