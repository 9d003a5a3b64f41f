"""Orders and their hosted page through the wired door."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_an_order_is_found_by_the_shops_reference_and_by_its_token(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"))

    assert payments.get_order("SHOP-1") == order
    assert payments.orders.get_order_by_token(order.token) == order
    with pytest.raises(PaymentOrder.DoesNotExist):
        payments.get_order("shop-1")


def test_an_order_for_a_gateway_that_is_not_configured_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="second"):
        payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("20.00"), gateway="second")
