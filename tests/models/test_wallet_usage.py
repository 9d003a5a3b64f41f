"""The counters of an order's button: one row for each order."""

from __future__ import annotations

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import an_order
from wallet_gateway.models import WalletUsage

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_an_order_has_one_row() -> None:
    order = an_order()
    WalletUsage.objects.create(order=order)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        WalletUsage.objects.create(order=order)
    assert str(WalletUsage.objects.get()) == f"usage of {order.pk}"
