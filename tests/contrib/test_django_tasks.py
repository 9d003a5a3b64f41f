"""The sweep as a task of Django: of 6.0's own or of the backport, whichever this Django has."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import django
import pytest
from django.db import transaction as db_transaction

from wallet_gateway import payments
from wallet_gateway.contrib.django_tasks import sweep
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_a_task_of_the_djangos_own_kind() -> None:
    package = "django.tasks" if django.VERSION >= (6, 0) else "django_tasks"
    assert type(sweep).__module__.startswith(package)
    assert sweep.module_path == "wallet_gateway.contrib.django_tasks.sweep"


def test_an_enqueued_sweep_finds_a_payment_whose_customer_never_came_back_but_not_in_a_transaction(
    wallet_sandbox: SandboxControl,
) -> None:
    order = payments.create_order(reference="TASK-1", currency="EUR", amount=Decimal("10.00"))
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    GatewayTransaction.objects.update(next_query_at=order.created_at - timedelta(minutes=1))
    with db_transaction.atomic():
        # The immediate backend would work inside it.
        assert sweep.enqueue().status.name == "FAILED"
    order.refresh_from_db()
    assert order.state == OrderState.OPEN
    assert sweep.enqueue().return_value == 1
    order.refresh_from_db()
    assert order.state == OrderState.PAID
