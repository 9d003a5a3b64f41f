"""Exports from a shell."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.models.rows import NOW, a_payment, a_transaction, an_order

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


def test_rows_go_to_a_file(tmp_path: Path) -> None:
    an_order(reference="R-1")
    assert export("orders", "--output", str(tmp_path / "orders.csv")) == ""
    with (tmp_path / "orders.csv").open(newline="") as file:
        assert [row["reference"] for row in csv.DictReader(file)] == ["R-1"]


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "17.05.2026"])
def test_a_day_that_is_none_is_refused(day: str) -> None:
    with pytest.raises(CommandError, match="--since must be a day"):
        export("orders", "--since", day)


def test_days_bound_what_is_exported() -> None:
    an_order(reference="R-1")
    by = ("--by", "created")
    assert "R-1" in export("orders", *by, "--since", "2026-05-17", "--until", "2026-05-18")
    assert "R-1" not in export("orders", *by, "--until", "2026-05-17")


def test_days_are_those_on_which_money_moved_unless_told_otherwise() -> None:
    order = an_order(reference="R-1")
    a_transaction(a_payment(order), kind="CHECKOUT", approved_at=NOW + timedelta(days=1))
    of_the_day = ("--since", "2026-05-18", "--until", "2026-05-19")
    for what in ("orders", "transactions"):
        assert "R-1" in export(what, *of_the_day)
        assert export(what, *of_the_day) == export(what, "--by", "approved", *of_the_day)
        assert "R-1" not in export(what, "--by", "created", *of_the_day)


@pytest.mark.parametrize("what", ["events", "discrepancies"])
def test_what_has_one_time_takes_no_other(what: str) -> None:
    with pytest.raises(CommandError, match="--by is for orders and transactions"):
        export(what, "--by", "approved")


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        export("orders", "--output", str(tmp_path / "none" / "orders.csv"))
