"""The table of requests holds its own: one that waits for each subject, and never agreed to by who asked."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import a_deposit, a_payment, an_approval

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

WRONG: dict[str, dict[str, Any]] = {
    "agreed to by who asked": {"state": "AGREED", "created_by": "anna", "decided_by": "anna"},
    "agreed to by nobody": {"state": "AGREED", "decided_by": ""},
    "of nothing": {"amount_minor": 0},
    "about nothing": {"payment": None},
}


@pytest.mark.parametrize("what", WRONG)
def test_the_database_refuses_a_request(what: str) -> None:
    with db_transaction.atomic(), pytest.raises(IntegrityError):
        an_approval(**WRONG[what])


def test_one_subject_has_one_request_that_waits_and_one_key_one_request() -> None:
    an_approval(outstanding_key="payment:1", idempotency_key="K-1")
    for taken in ({"outstanding_key": "payment:1"}, {"idempotency_key": "K-1"}):
        with db_transaction.atomic(), pytest.raises(IntegrityError):
            an_approval(**taken)
    an_approval()
    an_approval()


def test_it_is_about_a_payment_or_a_deposit() -> None:
    payment, deposit = a_payment(), a_deposit()
    assert an_approval(payment=payment).parent == payment
    assert an_approval(payment=None, deposit=deposit, kind="DETACHED_REFUND").parent == deposit
