"""Rows for spreadsheets and programs: complete, in bounded memory, and never a formula."""

from __future__ import annotations

import csv
import json
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.models import Discrepancy, TransactionEvent
from wallet_gateway.queries.exports import EXPORTS, export_csv, export_json

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.mark.parametrize("before", ["", " ", "\u00a0 "], ids=ascii)
def test_a_hostile_order_number_is_escaped_in_csv_and_as_it_is_in_json(before: str) -> None:
    hostile = f'{before}=HYPERLINK("http://evil")'
    an_order(order_number=hostile, reference="R-1")
    (row,) = csv.DictReader(export_csv("orders"))
    assert row["orderNumber"] == f"'{hostile}"
    (line,) = export_json("orders")
    assert json.loads(line)["orderNumber"] == hostile


def test_every_export_has_its_columns_in_one_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    transaction = a_transaction(a_payment(an_order(reference="R-1")), comment="n")
    a_transaction(deposit=a_deposit(parent_transaction_id="OLD-1"))
    TransactionEvent.objects.create(
        transaction=transaction, kind="ANSWER", state_after="APPROVED", occurred_at=NOW
    )
    Discrepancy.objects.create(
        kind=DiscrepancyKind.MADE_ELSEWHERE,
        gateway="default",
        transaction=transaction,
        fingerprint="f",
        found_at=NOW,
    )
    counts = {}
    for what in EXPORTS:
        with django_assert_num_queries(1):
            rows = list(csv.DictReader(export_csv(what)))
        counts[what] = len(rows)
        assert [json.loads(line) for line in export_json(what)] == rows
    assert counts == {"orders": 1, "transactions": 2, "events": 1, "discrepancies": 1}


def test_amounts_are_in_major_units_and_orders_named() -> None:
    why = {"reason_code": "shipped", "comment": "parcel 1"}
    a_transaction(a_payment(an_order(reference="R-1")), amount_minor=500, approved_minor=250, **why)
    (row,) = csv.DictReader(export_csv("transactions"))
    assert (row["reasonCode"], row["comment"]) == ("shipped", "parcel 1")
    assert (row["order"], row["amount"], row["approvedAmount"], row["currency"]) == (
        "R-1",
        "5.00",
        "2.50",
        "EUR",
    )


def test_a_time_begins_with_its_first_day_and_ends_before_its_last() -> None:
    for days in range(3):
        an_order(reference=f"R-{days}", created_at=NOW + timedelta(days=days))
    rows = csv.DictReader(export_csv("orders", since=NOW + timedelta(days=1), until=NOW + timedelta(days=2)))
    assert [row["reference"] for row in rows] == ["R-1"]


def test_many_rows_come_one_after_another() -> None:
    for _ in range(3):
        an_order()
    lines = export_csv("orders")
    assert next(lines).startswith('"reference"')
    assert len(list(lines)) == 3
