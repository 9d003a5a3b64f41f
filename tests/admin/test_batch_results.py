"""What the page of a batch says of one row: what it is about, how it stands, and the gateway's own limits."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from tests.models.rows import a_deposit, a_transaction, an_order
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import MigratedDeposit, OperationBatch, OperationBatchRow, ResultCode

pytestmark = pytest.mark.django_db

WITH_WORDS_OF_THEIR_OWN = {
    ResultCode.REFUSED,
    ResultCode.NOT_POSSIBLE,
    ResultCode.NOT_WANTED,
    ResultCode.CHANGED,
}
"""The operation's, the changed transactions', or the row's state."""


@pytest.fixture
def batch() -> OperationBatch:
    return OperationBatch.objects.create(
        kind=TransactionKind.DETACHED_REFUND, created_by="carla", created_at=timezone.now()
    )


def refunded(batch: OperationBatch, deposit: MigratedDeposit, **columns: Any) -> ShownRow:
    kind = TransactionKind.DETACHED_REFUND
    transaction = a_transaction(deposit=deposit, kind=kind, amount_minor=1000, **columns)
    row = OperationBatchRow.objects.create(
        batch=batch, deposit=deposit, amount_minor=1000, transaction=transaction
    )
    return ShownRow(row=row)


@pytest.mark.parametrize(("approved", "short"), [(1000, False), (500, True), (None, False)])
def test_less_than_was_asked_for_is_said(batch: OperationBatch, approved: int | None, short: bool) -> None:
    state = TransactionState.PENDING if approved is None else TransactionState.APPROVED
    shown = refunded(batch, a_deposit(), state=state, approved_minor=approved)
    assert shown.shortfall is short


@pytest.mark.parametrize("code", [code for code in ResultCode if code not in WITH_WORDS_OF_THEIR_OWN])
def test_every_result_has_its_sentence(batch: OperationBatch, code: ResultCode) -> None:
    row = OperationBatchRow.objects.create(batch=batch, order=an_order(), result_code=code)
    sentence = ShownRow(row=row).sentence
    assert sentence.endswith(".")
    assert "%" not in sentence
