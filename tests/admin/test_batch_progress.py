"""The page of a batch: looking at it changes nothing, its buttons do, and the sweep needs no page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from tests.admin.conftest import MakePerson, PaidOrder, carry_on
from wallet_gateway import gateways, payments
from wallet_gateway.admin.batch_progress import progress_url
from wallet_gateway.models import BatchKind, GatewayTransaction, OperationBatch, RowState
from wallet_gateway.payments import batches

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(operator: Client, paid_order: PaidOrder) -> OperationBatch:
    """One order to be captured, confirmed by anna."""
    batch = batches.draft(BatchKind.CAPTURE, [paid_order()], by="anna")
    batches.start(batch, reason_code="shipped")
    batch.refresh_from_db()
    return batch


@pytest.fixture
def colleague(make_person: MakePerson) -> Client:
    """Somebody else who may capture."""
    return make_person("capture_payment")


def sent() -> int:
    return GatewayTransaction.objects.filter(kind="CAPTURE").count()


def page_of(client: Client, batch: OperationBatch) -> str:
    return client.get(progress_url(batch)).content.decode()


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_looking_at_it_carries_out_nothing_not_even_for_its_author(
    operator: Client, batch: OperationBatch, method: str
) -> None:
    getattr(operator, method)(progress_url(batch))

    assert sent() == 0
    assert batch.rows.get().state == RowState.WAITING


def test_without_javascript_the_page_renews_itself_and_the_sweep_carries_the_batch_on(
    operator: Client, batch: OperationBatch
) -> None:
    page = page_of(operator, batch)
    assert f'<noscript><meta http-equiv="refresh" content="5; url={progress_url(batch)}"></noscript>' in page
    assert sent() == 0

    payments.sweep()

    page = page_of(operator, batch)
    assert "1 of 1 orders" in page
    assert "http-equiv" not in page
    assert sent() == 1


def test_somebody_else_sees_whose_it_is_and_carries_out_nothing_by_looking(
    colleague: Client, batch: OperationBatch
) -> None:
    page = page_of(colleague, batch)

    assert "Workers carry it out on behalf of anna. Closing this page stops nothing." in page
    assert "data-wallet-drives" not in page
    assert 'name="carry_on"' not in page
    assert sent() == 0


def test_a_batch_that_no_worker_drives_says_so_and_anybody_with_the_permission_goes_on_with_it(
    colleague: Client, batch: OperationBatch
) -> None:
    OperationBatch.objects.update(driven_at=gateways.clock().now() - timedelta(minutes=6))

    page = page_of(colleague, batch)

    assert "No worker drives it: have manage.py wallet_sweep run, or go on from here." in page
    assert 'name="carry_on"' in page
    assert "1 of 1 orders" in carry_on(colleague, batch)
    assert GatewayTransaction.objects.get(kind="CAPTURE").created_by == "anna"
