"""What a monitor watches: each number counts what it says, and no more rows than a day brings."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.models.rows import NOW, a_transaction
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import OutboxEvent
from wallet_gateway.queries.metrics import Stand, read_metrics

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
K, S = TransactionKind, TransactionState


def test_the_last_days_transactions_are_counted_by_how_they_stand() -> None:
    for state in (S.APPROVED, S.APPROVED, S.UNKNOWN):
        a_transaction(kind=K.CAPTURE, state=state, created_at=NOW - timedelta(hours=23))
    a_transaction(kind=K.CAPTURE, state=S.APPROVED, created_at=NOW - timedelta(hours=25))
    a_transaction(kind=K.CAPTURE, state=S.APPROVED, gateway="other")

    assert sorted(
        (each.gateway, each.state, each.number) for each in read_metrics(NOW, ["default"]).begun
    ) == [
        ("default", "APPROVED", 2),
        ("default", "UNKNOWN", 1),
        ("other", "APPROVED", 1),
    ]
    assert {type(each) for each in read_metrics(NOW, []).begun} == {Stand}


def test_what_is_due_and_what_was_not_told_is_counted() -> None:
    a_transaction(next_query_at=NOW - timedelta(seconds=1))
    a_transaction(next_query_at=NOW + timedelta(seconds=1))
    transaction = a_transaction(next_query_at=None)
    assert transaction.payment is not None
    for at in (NOW, None):
        OutboxEvent.objects.create(
            kind="PAID",
            order=transaction.payment.order,
            transaction=transaction,
            currency="EUR",
            occurred_at=NOW,
            next_delivery_at=at,
        )
    found = read_metrics(NOW, ["default"])
    assert (found.queries_due, found.events_undelivered) == ({"default": 1}, 1)
