"""MigratedDeposit: a limit where a file has told it, and a row to lock where none has."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import a_deposit
from wallet_gateway.models import MigratedDeposit

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.mark.parametrize(
    "columns",
    [
        {"refunded": -1},
        {"refund_reserved": -1},
        {"refunded_before": -1},
        {"is_known": True, "amount_minor": 100, "refunded_before": 101},
        {"is_known": True, "amount_minor": 100, "refunded": 101},
        {"is_known": True, "amount_minor": 100, "refund_reserved": 101},
        {"is_known": True, "amount_minor": 100, "refunded_before": 40, "refunded": 40, "refund_reserved": 21},
    ],
)
def test_more_than_a_known_deposit_holds_is_refused_by_the_table(columns: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_deposit(**columns)


def test_of_an_unknown_deposit_the_table_knows_no_limit() -> None:
    deposit = a_deposit(refunded=10**9, refund_reserved=5)
    assert deposit.refundable is None


def test_a_gateway_knows_a_deposit_once_byte_for_byte() -> None:
    a_deposit(parent_transaction_id="OLD-a")
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_deposit(parent_transaction_id="OLD-a")
    assert a_deposit(parent_transaction_id="OLD-A").pk
    assert a_deposit(parent_transaction_id="OLD-a", gateway="second").pk
    assert MigratedDeposit.objects.filter(gateway="default", parent_transaction_id="old-A").count() == 0
