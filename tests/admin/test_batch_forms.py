"""The form of a batch: what is typed for each order is judged by what is left of it now."""

from __future__ import annotations

import pytest

from tests.models.rows import a_payment, an_order
from wallet_gateway.admin.batch_forms import BatchForm
from wallet_gateway.admin.batch_progress import rows_of
from wallet_gateway.models import BatchKind, OperationBatch
from wallet_gateway.payments import batches

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> OperationBatch:
    order = an_order(currency="JPY")
    a_payment(order, authorized=2000)
    return batches.draft(BatchKind.CAPTURE, [order], by="anna")


def filled(batch: OperationBatch, **typed: str) -> BatchForm:
    [row] = rows = rows_of(batch)
    data = {"reason": "shipped", f"take-{row.pk}": "on"}
    return BatchForm(batch, rows, data | {f"{name}-{row.pk}": text for name, text in typed.items()})


def test_a_sound_form_writes_its_amounts_into_the_rows(batch: OperationBatch) -> None:
    form = filled(batch, amount="1500")

    assert form.is_valid()
    assert form.rows[0].row.amount_minor == 1500
    assert form.why.why == {"reason_code": "shipped", "comment": ""}


@pytest.mark.parametrize("typed", ["15.50", "2001", "0", "1,500", "-1", "", "x" * 9999])
def test_a_fault_stands_beside_its_row(batch: OperationBatch, typed: str) -> None:
    form = filled(batch, amount=typed)

    assert not form.is_valid()
    assert form.rows[0].fault
    assert form.rows[0].row.amount_minor == 2000
