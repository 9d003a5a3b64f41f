"""A batch's rows: their amounts in words, and a key that is theirs alone."""

from __future__ import annotations

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction
from django.utils import timezone

from tests.models.rows import a_deposit, an_order
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import OperationBatch, OperationBatchRow
from wallet_gateway.operations.follow_ups.execute import Initiator, find_by_idempotency_key

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def batch() -> OperationBatch:
    return OperationBatch.objects.create(
        kind=TransactionKind.CAPTURE, created_by="anna", created_at=timezone.now()
    )


def test_a_row_is_about_an_order_or_a_deposit_and_never_about_both_or_neither(batch: OperationBatch) -> None:
    order, deposit = an_order(), a_deposit()
    assert OperationBatchRow.objects.create(batch=batch, order=order).subject == order
    assert OperationBatchRow.objects.create(batch=batch, deposit=deposit).subject == deposit
    for columns in ({}, {"order": order, "deposit": deposit}):
        with pytest.raises(IntegrityError), db_transaction.atomic():
            OperationBatchRow.objects.create(batch=batch, **columns)


def test_each_row_has_a_key_that_operations_take_and_nobody_guesses(batch: OperationBatch) -> None:
    rows = [OperationBatchRow.objects.create(batch=batch, order=an_order()) for _ in range(2)]
    other = OperationBatch.objects.create(kind="CAPTURE", created_by="anna", created_at=timezone.now())

    assert rows[0].key != rows[1].key
    assert other.token != batch.token
    assert len(batch.token) == 16
    assert (
        find_by_idempotency_key(Initiator(idempotency_key=rows[0].key), kind=TransactionKind.CAPTURE) is None
    )
