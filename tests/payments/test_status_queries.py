"""What asking costs, and what may be asked about."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.db import transaction as db_transaction
from django.test.utils import CaptureQueriesContext

from tests.payments.paid_orders import paid
from tests.statements import statements
from wallet_gateway import payments, signals
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_reconcile_takes_an_order_as_well_as_an_attempt(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "success")

    assert payments.reconcile(order).state == OrderState.PAID


def test_finding_an_attempt_paid_takes_nine_statements_the_signal_and_its_metadata_among_them(
    wallet_sandbox: SandboxControl,
) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    told: list[object] = []

    def hear(**given: object) -> None:
        told.append(given["reference"])

    signals.order_paid.connect(hear)
    try:
        with CaptureQueriesContext(connection) as captured:
            assert payments.reconcile(attempt).state == OrderState.PAID
    finally:
        signals.order_paid.disconnect(hear)

    assert told == ["SHOP-1"]
    assert len(statements(captured)) <= 9, statements(captured)


def test_looking_at_a_settled_attempt_takes_two_statements(wallet_sandbox: SandboxControl) -> None:
    attempt = paid(wallet_sandbox).payments.select_related("order").get()

    with CaptureQueriesContext(connection) as captured:
        payments.reconcile(attempt)
    assert len(statements(captured)) <= 2, statements(captured)


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
