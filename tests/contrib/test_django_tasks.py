"""The sweep as a task of Django: of 6.0's own or of the backport, whichever this Django has."""

from __future__ import annotations

from datetime import timedelta

import django
import pytest
from django.db import transaction as db_transaction

from tests.support.gateway import record
from tests.support.shop import Shop, order_of
from wallet_gateway.contrib.django_tasks import sweep

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_a_task_of_the_djangos_own_kind() -> None:
    package = "django.tasks" if django.VERSION >= (6, 0) else "django_tasks"
    assert type(sweep).__module__.startswith(package)
    assert sweep.module_path == "wallet_gateway.contrib.django_tasks.sweep"


def test_an_enqueued_sweep_finds_a_payment_whose_customer_never_came_back_but_not_in_a_transaction(
    shop: Shop,
) -> None:
    attempt = shop.begin()
    shop.report(attempt, record(attempt.reference))
    shop.clock.by += timedelta(minutes=2)
    with db_transaction.atomic():
        # The immediate backend would work inside it.
        assert sweep.enqueue().status.name == "FAILED"
    assert order_of(attempt).state == "OPEN"
    assert sweep.enqueue().return_value == 1
    assert order_of(attempt).state == "PAID"
