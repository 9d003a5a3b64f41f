"""Rows for spreadsheets and programs: complete, in bounded memory, and never a formula."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.queries import exports
from wallet_gateway.queries.exports import By

export_csv = partial(exports.export_csv, is_test=lambda gateway: gateway == "default")
export_json = partial(exports.export_json, is_test=lambda gateway: gateway == "default")
pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.mark.parametrize("before", ["", " ", "\u00a0 "], ids=ascii)
def test_a_hostile_order_number_is_escaped_in_csv_and_as_it_is_in_json(before: str) -> None:
    hostile = f'{before}=HYPERLINK("http://evil")'
    an_order(order_number=hostile, reference="R-1")
    (row,) = csv.DictReader(export_csv("orders"))
    assert row["orderNumber"] == f"'{hostile}"
    (line,) = export_json("orders")
    assert json.loads(line)["orderNumber"] == hostile


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
    times: Times = {"since": NOW + timedelta(days=1), "until": NOW + timedelta(days=2)}
    rows = csv.DictReader(export_csv("orders", **times, by=By.CREATED))
    assert [row["reference"] for row in rows] == ["R-1"]


DAY = timedelta(days=1)
Times = dict[str, Any]
YESTERDAY: Times = {"since": NOW - DAY, "until": NOW}
TODAY: Times = {"since": NOW, "until": NOW + DAY}


def test_money_that_moves_after_midnight_is_in_the_export_of_that_day_and_of_no_other() -> None:
    order = an_order(reference="R-1", created_at=NOW - DAY)
    begun, moved = NOW - timedelta(hours=1), NOW + timedelta(hours=1)
    a_transaction(
        a_payment(order),
        kind="CHECKOUT",
        state="APPROVED",
        created_at=begun,
        approved_at=moved,
        approved_minor=500,
    )
    a_transaction(a_payment(order), kind="CHECKOUT", state="EXPIRED", created_at=begun)

    for what in ("transactions", "orders"):
        assert list(export_json(what, **YESTERDAY)) == []
        (line,) = export_json(what, **TODAY)
        assert json.loads(line)["approvedAt"] == moved.isoformat()
        assert not list(export_json(what, **TODAY, by=By.CREATED))
    assert len(list(export_json("transactions", **YESTERDAY, by=By.CREATED))) == 2


def test_an_order_is_exported_on_each_day_on_which_its_money_moved_with_its_sums() -> None:
    order = an_order(reference="R-1", created_at=NOW - DAY)
    first = a_payment(order, authorized=1500, captured=1500, refunded=250)
    a_payment(order, authorized=500, captured=500)
    a_transaction(first, kind="CHECKOUT", approved_at=NOW - timedelta(hours=2))
    a_transaction(first, kind="REFUND", approved_at=NOW + timedelta(hours=2))
    an_order(reference="NEVER-PAID")

    for times in (YESTERDAY, TODAY):
        (row,) = csv.DictReader(export_csv("orders", **times))
        assert (row["reference"], row["captured"], row["refunded"]) == ("R-1", "20.00", "2.50")
        assert row["approvedAt"] == (NOW - timedelta(hours=2)).isoformat()
    unpaid = {row["reference"]: row for row in csv.DictReader(export_csv("orders"))}["NEVER-PAID"]
    assert (unpaid["captured"], unpaid["refunded"], unpaid["approvedAt"]) == ("0.00", "0.00", "")


def test_a_transaction_says_how_it_was_paid_and_what_the_provider_calls_it() -> None:
    card = {"card_type": "Token", "card_network": "VISA"}
    wallet = a_payment(an_order(type="preauthorization"), **card)
    a_transaction(wallet, kind="CAPTURE", provider_transaction_id="PRV-7")
    a_transaction(a_payment(), kind="CHECKOUT")
    a_transaction(a_payment(), kind="AUTHORIZATION", state="AWAITING_RESULT")
    a_transaction(deposit=a_deposit(), kind="DETACHED_REFUND")

    names = ("paymentType", "wayOfPaying", "cardType", "cardNetwork", "providerTransactionId")
    rows = [tuple(row[name] for name in names) for row in csv.DictReader(export_csv("transactions"))]
    assert rows == [
        ("preauthorization", "wallet", "Token", "VISA", "PRV-7"),
        ("sale", "checkout", "", "", ""),
        ("sale", "wallet", "", "", ""),
        ("", "", "", "", ""),
    ]
