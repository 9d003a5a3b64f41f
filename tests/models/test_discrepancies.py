"""Discrepancy: the same difference is one row."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.explanations import commented
from tests.models.rows import NOW
from wallet_gateway.models import Discrepancy

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def a_difference(**columns: Any) -> Discrepancy:
    given: dict[str, Any] = {
        "kind": "MADE_ELSEWHERE",
        "gateway": "default",
        "fingerprint": "f",
        **commented("capture 1.00 EUR"),
        "found_at": NOW,
    }
    return Discrepancy.objects.create(**given | columns)


def test_one_difference_is_one_row_byte_for_byte() -> None:
    a_difference()
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_difference()
    assert a_difference(fingerprint="F").pk


def test_it_says_what_differs() -> None:
    assert str(a_difference()) == "MADE_ELSEWHERE: capture 1.00 EUR"
