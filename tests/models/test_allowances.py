"""Allowance: what counts of an account's uses, from when on, and only under the lock."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import NOW, a_transaction
from wallet_gateway.models import Allowance, AllowanceUse

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def allowance() -> Allowance:
    return Allowance.objects.create(gateway="default", account="7", currency="EUR")


def use(
    allowance: Allowance, minor: int, *, hours: int = 0, is_decision: bool = False, **columns: Any
) -> None:
    AllowanceUse.objects.create(
        allowance=allowance,
        transaction=a_transaction(kind="REFUND", amount_minor=minor, **columns),
        amount_minor=minor,
        is_decision=is_decision,
        occurred_at=NOW - timedelta(hours=hours),
    )


def used(allowance: Allowance) -> int:
    since = NOW - timedelta(hours=24)
    rows = Allowance.objects.annotate(used=Allowance.used_since(since)).filter(pk=allowance.pk)
    return int(rows.get().used)


def test_what_is_reserved_approved_or_decided_counts_and_nothing_else(allowance: Allowance) -> None:
    assert used(allowance) == 0
    use(allowance, 100, state="UNKNOWN", holds_reservation=True)
    use(allowance, 20, state="APPROVED", approved_minor=20)
    use(allowance, 3, state="ABANDONED", is_decision=True)
    use(allowance, 4000, state="REJECTED")
    use(allowance, 50000, state="APPROVED", approved_minor=50000, hours=24)
    assert used(allowance) == 123


def test_the_last_unit_is_left_and_one_more_is_not(allowance: Allowance) -> None:
    use(allowance, 60, state="APPROVED", approved_minor=60)
    since = NOW - timedelta(hours=24)
    allowance.lock()
    assert allowance.has_left(40, limit=100, since=since)
    assert not allowance.has_left(41, limit=100, since=since)


def test_another_account_has_its_own_and_each_has_one_row(allowance: Allowance) -> None:
    use(allowance, 60, state="APPROVED", approved_minor=60)
    other = Allowance.objects.create(gateway="default", account="8", currency="EUR")
    assert used(other) == 0
    with pytest.raises(IntegrityError), db_transaction.atomic():
        Allowance.objects.create(gateway="default", account="7", currency="EUR")
