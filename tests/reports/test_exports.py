"""Rows for spreadsheets and programs: complete, by the day on which money moved, and never a formula."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
DAY = timedelta(days=1)
TODAY = {"since": "2026-05-17", "until": "2026-05-18"}
YESTERDAY = {"since": "2026-05-16", "until": "2026-05-17"}
MIDNIGHT = datetime(2026, 5, 17, tzinfo=NOW.tzinfo)


def exported(what: str, *, format: str = "csv", **options: Any) -> list[dict[str, Any]]:  # noqa: A002
    """Return the rows that `wallet_export` writes, with the days of UTC."""
    out = io.StringIO()
    call_command("wallet_export", what, format=format, days="utc", stdout=out, **options)
    written = out.getvalue()
    if format == "json":
        return [json.loads(line) for line in written.splitlines()]
    return list(csv.DictReader(io.StringIO(written)))


@pytest.mark.parametrize("before", ["", " ", "\u00a0 "], ids=ascii)
def test_a_hostile_order_number_is_escaped_in_csv_and_as_it_is_in_json(before: str) -> None:
    hostile = f'{before}=HYPERLINK("http://evil")'
    an_order(order_number=hostile, reference="R-1")
    (row,) = exported("orders")
    assert row["orderNumber"] == f"'{hostile}"
    (line,) = exported("orders", format="json")
    assert line["orderNumber"] == hostile


def test_money_that_moves_after_midnight_is_in_the_export_of_that_day_and_of_no_other() -> None:
    order = an_order(reference="R-1", created_at=NOW - DAY)
    begun, moved = MIDNIGHT - timedelta(hours=1), MIDNIGHT + timedelta(hours=1)
    paid = {"state": "APPROVED", "created_at": begun, "approved_at": moved, "approved_minor": 500}
    a_transaction(a_payment(order), kind="CHECKOUT", **paid)
    a_transaction(a_payment(order), kind="CHECKOUT", state="EXPIRED", created_at=begun)

    for what in ("transactions", "orders"):
        assert exported(what, **YESTERDAY) == []
        (row,) = exported(what, format="json", **TODAY)
        assert row["approvedAt"] == moved.isoformat()
        assert exported(what, by="created", **TODAY) == []
    assert len(exported("transactions", by="created", **YESTERDAY)) == 2
    assert [row["reference"] for row in exported("orders", by="created", **YESTERDAY)] == ["R-1"]


def test_an_order_is_exported_on_each_day_on_which_its_money_moved_with_its_sums() -> None:
    order = an_order(reference="R-1", created_at=NOW - DAY)
    first = a_payment(order, authorized=1500, captured=1500, refunded=250)
    a_payment(order, authorized=500, captured=500)
    a_transaction(first, kind="CHECKOUT", approved_at=MIDNIGHT - timedelta(hours=2))
    a_transaction(first, kind="REFUND", approved_at=MIDNIGHT + timedelta(hours=2))
    an_order(reference="NEVER-PAID")

    for times in (YESTERDAY, TODAY):
        (row,) = exported("orders", **times)
        assert (row["reference"], row["captured"], row["refunded"]) == ("R-1", "20.00", "2.50")
        assert row["approvedAt"] == (MIDNIGHT - timedelta(hours=2)).isoformat()
    unpaid = {row["reference"]: row for row in exported("orders")}["NEVER-PAID"]
    assert (unpaid["captured"], unpaid["refunded"], unpaid["approvedAt"]) == ("0.00", "0.00", "")


def test_a_transaction_says_what_was_approved_why_how_it_was_paid_and_what_the_provider_calls_it() -> None:
    card = {"card_type": "Token", "card_network": "VISA"}
    wallet = a_payment(an_order(reference="R-1", type="preauthorization"), **card)
    why = {"reason_code": "shipped", "comment": "parcel 1"}
    a_transaction(wallet, kind="CAPTURE", approved_minor=250, provider_transaction_id="PRV-7", **why)
    a_transaction(a_payment(), kind="CHECKOUT")
    a_transaction(a_payment(), kind="AUTHORIZATION", state="AWAITING_RESULT")
    a_transaction(deposit=a_deposit(), kind="DETACHED_REFUND")

    rows = exported("transactions")
    names = ("paymentType", "wayOfPaying", "cardType", "cardNetwork", "providerTransactionId")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("preauthorization", "wallet", "Token", "VISA", "PRV-7"),
        ("sale", "checkout", "", "", ""),
        ("sale", "wallet", "", "", ""),
        ("", "", "", "", ""),
    ]
    told = ("order", "amount", "approvedAmount", "currency", "reasonCode", "comment")
    assert [rows[0][name] for name in told] == ["R-1", "5.00", "2.50", "EUR", "shipped", "parcel 1"]


def test_a_row_says_whether_it_was_a_test_by_its_money_and_else_by_its_gateway() -> None:
    a_payment(an_order(reference="TESTED"), is_test=True)
    a_payment(an_order(reference="REAL", gateway="live"), is_test=False, captured=2000, authorized=2000)
    both = an_order(reference="BOTH")
    a_payment(both, is_test=True)
    a_payment(both, is_test=False)
    an_order(reference="UNPAID")
    an_order(reference="UNPAID LIVE", gateway="live")
    told = {row["reference"]: row["test"] for row in exported("orders")}
    assert told == {"TESTED": "yes", "REAL": "no", "BOTH": "no", "UNPAID": "yes", "UNPAID LIVE": "no"}
