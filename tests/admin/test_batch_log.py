"""What batches did is in the admin's log under the name of the person who confirmed them."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from tests.admin.conftest import PaidOrder
from wallet_gateway import payments
from wallet_gateway.models import BatchKind, GatewayTransaction, OperationBatch
from wallet_gateway.payments import batches

pytestmark = pytest.mark.django_db


def started(*orders: PaidOrder) -> OperationBatch:
    batch = batches.draft(BatchKind.CAPTURE, [order() for order in orders], by="anna")
    batches.start(batch, reason_code="shipped")
    return batch


def test_what_the_sweep_carried_out_is_in_the_log_of_its_order(
    operator: Client, paid_order: PaidOrder
) -> None:
    batch = started(paid_order)

    payments.sweep()

    transaction, entry = GatewayTransaction.objects.get(kind="CAPTURE"), LogEntry.objects.get()
    assert entry.user.get_username() == "anna"
    assert entry.change_message == (
        f"Capture of 20.00 EUR: Approved. ({transaction.reference}; batch {batch.pk} of anna)"
    )


def test_the_log_of_a_person_who_is_gone_stops_nothing(paid_order: PaidOrder) -> None:
    batch = batches.start_status_queries([paid_order()], by="nobody")

    payments.sweep()

    batch.refresh_from_db()
    assert batch.state == "FINISHED"
    assert not LogEntry.objects.exists()
