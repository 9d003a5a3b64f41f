"""How a migration stands: each gateway and currency added up for itself, in one statement."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.models.rows import a_deposit
from wallet_gateway.queries.migration import migration_totals

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_gateways_and_currencies_stand_apart() -> None:
    a_deposit(is_known=True, amount_minor=5000)
    a_deposit(is_known=True, amount_minor=700, gateway="second")
    a_deposit(is_known=True, amount_minor=12345, currency="KWD")
    with CaptureQueriesContext(connection) as asked:
        totals = migration_totals()
    found = [(row.gateway, row.currency, str(row.deposited)) for row in totals]
    assert found == [
        ("default", "EUR", "50.00 EUR"),
        ("default", "KWD", "12.345 KWD"),
        ("second", "EUR", "7.00 EUR"),
    ]
    assert len(asked) == 1


def test_what_no_file_told_of_counts_in_our_own_refunds_alone() -> None:
    a_deposit(refunded=300, refund_reserved=200, is_frozen=True)
    (row,) = migration_totals()
    assert (row.deposits, row.unknown, row.frozen) == (1, 1, 1)
    assert (str(row.refunded), str(row.under_way)) == ("3.00 EUR", "2.00 EUR")
    assert (row.deposited.minor_units, row.open.minor_units) == (0, 0)
