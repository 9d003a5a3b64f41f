"""What the page of a batch says of one row: what it is about, how it stands, and the gateway's own limits."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from tests.explanations import commented
from tests.models.rows import a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.client.errors import Refused
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import MigratedDeposit, OperationBatch, OperationBatchRow, ResultCode, RowState
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.operations.sending.answers import explanation_of
from wallet_gateway.protocol.faults import refund_amount_exceeded
from wallet_gateway.protocol.money import Money

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


def test_a_row_leads_to_its_order_or_its_deposit(batch: OperationBatch) -> None:
    order, deposit = an_order(reference="SHOP-\u202e1"), a_deposit()
    of_order = ShownRow(row=OperationBatchRow(batch=batch, order=order))
    of_deposit = ShownRow(row=OperationBatchRow(batch=batch, deposit=deposit))

    assert of_order.name == "SHOP-\\u202e1"
    assert of_order.url == f"/admin/wallet_gateway/paymentorder/{order.pk}/change/"
    assert of_deposit.url == f"/admin/wallet_gateway/migrateddeposit/{deposit.pk}/change/"


def test_an_amount_is_shown_where_one_is_asked_for(batch: OperationBatch) -> None:
    payment = a_payment()
    given = {"batch": batch, "order": payment.order}
    nothing = OperationBatchRow.objects.create(
        **given,
        state=RowState.LEFT_OUT,
        result_code="NOT_POSSIBLE",
        refusal_code="nothing_left",
        refusal_params={"sentence": "Nothing is left to capture."},
    )
    waiting = OperationBatchRow.objects.create(**given, payment=payment, amount_minor=500)

    assert ShownRow(row=nothing).amount is None
    assert ShownRow(row=nothing).sentence == "Nothing is left to capture."
    assert ShownRow(row=waiting).amount == Money.parse("5.00", "EUR")
    assert ShownRow(row=waiting).sentence == "Waiting"


@pytest.mark.parametrize(("approved", "short"), [(1000, False), (500, True), (None, False)])
def test_less_than_was_asked_for_is_said(batch: OperationBatch, approved: int | None, short: bool) -> None:
    state = TransactionState.PENDING if approved is None else TransactionState.APPROVED
    shown = refunded(batch, a_deposit(), state=state, approved_minor=approved)
    assert shown.shortfall is short


def test_the_gateways_four_amounts_are_read_from_what_it_said(batch: OperationBatch) -> None:
    amounts = (Money.parse(amount, "EUR") for amount in ("50.00", "10.00", "40.00", "60.00"))
    refusal = Refused("4100001", refund_amount_exceeded(*amounts).message, 422)
    exceeding = explanation_columns(explanation_of(refusal))
    shown = refunded(batch, a_deposit(), state=TransactionState.REJECTED, **exceeding)
    assert shown.limit is not None
    assert shown.limit.maximum == Decimal("40.00")
    assert refunded(batch, a_deposit(), state=TransactionState.REJECTED, **commented("no")).limit is None


@pytest.mark.parametrize("code", [code for code in ResultCode if code not in WITH_WORDS_OF_THEIR_OWN])
def test_every_result_has_its_sentence(batch: OperationBatch, code: ResultCode) -> None:
    row = OperationBatchRow.objects.create(batch=batch, order=an_order(), result_code=code)
    sentence = ShownRow(row=row).sentence
    assert sentence.endswith(".")
    assert "%" not in sentence


def test_what_a_status_query_changed_is_said_before_what_was_not_answered(batch: OperationBatch) -> None:
    row = OperationBatchRow.objects.create(batch=batch, deposit=a_deposit(), result_code="UNANSWERED")
    row.changed.add(a_transaction(state=TransactionState.APPROVED, approved_minor=500))
    sentence = ShownRow(row=row).sentence
    assert sentence.startswith("Capture of €5.00: Approved.")
    assert sentence.endswith("The gateway did not answer; ask again later.")
