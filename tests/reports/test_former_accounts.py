"""The doctor counts the payments of another account than the gateway's own of today, by account."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from tests.conf.test_settings import with_gateway
from tests.models.rows import a_transaction
from tests.support.shop import doctors_words

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
FORMER = re.compile(r"made with another account \((\S+), (\S+)\) .*?: (\d+)")


def test_each_account_that_is_not_the_one_of_today_is_counted_and_what_needs_nobody_is_not(
    settings: Settings,
) -> None:
    with_gateway(settings, MERCHANT_ID="M-1", STORE_ID="S-1")
    now = timezone.now()

    def made(merchant: str, store: str = "S-1", **columns: Any) -> None:
        given: dict[str, Any] = {
            "kind": "CHECKOUT",
            "state": "APPROVED",
            "created_at": now - timedelta(days=179),
        }
        a_transaction(merchant_id=merchant, store_id=store, **given | columns)

    made("M-1")
    made("M-0")
    made("M-0", kind="AUTHORIZATION", state="PENDING")
    made("M-1", "S-0", state="OPEN")
    for state in ("REJECTED", "EXPIRED"):
        made("M-0", state=state)
    made("M-0", kind="REFUND")
    made("", "", kind="AUTHORIZATION", state="AWAITING_RESULT")
    made("M-0", gateway="second")
    made("M-0", created_at=now - timedelta(days=181))
    found = FORMER.findall(doctors_words())
    assert sorted(found) == [("M-0", "S-1", "2"), ("M-1", "S-0", "1")]
