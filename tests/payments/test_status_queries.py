"""What asking costs, and what may be asked about."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import transaction as db_transaction

from tests.payments.paid_orders import paid
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_reconcile_takes_an_order_as_well_as_an_attempt(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")

    assert payments.reconcile(order).state == OrderState.PAID


def test_records_are_asked_for_outside_of_any_transaction_only(
    wallet_sandbox: SandboxControl, transactional_db: None
) -> None:
    order = paid(wallet_sandbox)
    (told,) = payments.gateway_records(order)
    assert [record.state for record in told.records] == ["Approved"]
    before = len(wallet_sandbox.journal())
    with db_transaction.atomic(), pytest.raises(RuntimeError):
        payments.gateway_records(order)
    assert len(wallet_sandbox.journal()) == before
