"""Payments of another account than the gateway's own of today are told by the doctor, by account."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.models.rows import a_transaction
from tests.money.gateway import StubGateway
from tests.money.shop import doctors_words

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def made(merchant: str, store: str = "SANDBOX-STORE", **columns: Any) -> None:
    given: dict[str, Any] = {"state": "APPROVED", "kind": "CHECKOUT", "created_at": timezone.now()}
    a_transaction(merchant_id=merchant, store_id=store, **given | columns)


def test_each_account_that_is_not_the_one_of_today_is_counted_with_what_still_needs_it(
    gateway: StubGateway,
) -> None:
    made("SANDBOX-MERCHANT")
    assert "M-0" not in doctors_words()
    made("M-0")
    made("M-0", kind="AUTHORIZATION", state="PENDING")
    made("SANDBOX-MERCHANT", "S-0", state="OPEN")
    # None of these needs anybody.
    for columns in (
        {"state": "REJECTED"},
        {"state": "EXPIRED"},
        {"kind": "REFUND"},
        {"gateway": "second"},
        {"created_at": timezone.now() - timedelta(days=181)},
    ):
        made("M-0", **columns)
    made("", "", state="AWAITING_RESULT", kind="AUTHORIZATION")
    lines = [line for line in doctors_words().splitlines() if "M-0" in line or "S-0" in line]
    assert [re.findall(r"\b[12]\b", line)[:1] for line in lines] == [["2"], ["1"]], lines
