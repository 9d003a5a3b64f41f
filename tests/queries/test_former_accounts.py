"""Payments of another account than the gateway's own of today are counted, by account."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.models.rows import NOW, a_transaction
from wallet_gateway.queries.former_accounts import payments_of_former_accounts

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
OURS = ("M-1", "S-1")
SINCE = NOW - timedelta(days=180)


def made(
    merchant: str, store: str = "S-1", state: str = "APPROVED", kind: str = "CHECKOUT", **columns: Any
) -> None:
    a_transaction(merchant_id=merchant, store_id=store, state=state, kind=kind, **columns)


def test_each_account_that_is_not_the_one_of_today_is_counted() -> None:
    made("M-1")
    made("M-0")
    made("M-0", kind="AUTHORIZATION", state="PENDING")
    made("M-1", "S-0", state="OPEN")
    found = payments_of_former_accounts("default", now=OURS, since=SINCE)
    assert found == {("M-0", "S-1"): 2, ("M-1", "S-0"): 1}


def test_what_needs_nobody_is_not_counted() -> None:
    made("M-0", state="REJECTED")
    made("M-0", state="EXPIRED")
    made("M-0", kind="REFUND")
    made("", "", state="AWAITING_RESULT", kind="AUTHORIZATION")
    made("M-0", gateway="second")
    made("M-0", created_at=SINCE - timedelta(seconds=1))
    assert payments_of_former_accounts("default", now=OURS, since=SINCE) == {}
