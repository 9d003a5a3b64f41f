"""Browsers of the money tests' shop: its gateway answers in this process, as a test writes it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.cache import cache

from tests.api.browser import Browser
from tests.money.wallet.conftest import customer, gateway, hooks
from tests.support.shop import Shop
from tests.web.conftest import make_order
from wallet_gateway.models import PaymentOrder

__all__ = ["customer", "gateway", "hooks", "make_order"]


@pytest.fixture
def order(shop: Shop) -> PaymentOrder:
    """An order that can be paid, and about which nobody has asked."""
    cache.clear()
    return shop.order(amount=Decimal("24.90"), cardholder_email="ada@example.com")


@pytest.fixture
def browser() -> Browser:
    return Browser()
