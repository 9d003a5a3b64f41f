"""The orders and attempts of the customer's door serve the JSON door's tests, too; no try waits for one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache

from tests.web.conftest import make_order, nobody_sleeps, open_attempt
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

MakeOrder = Callable[..., PaymentOrder]
__all__ = ["make_order", "nobody_sleeps", "open_attempt"]


@pytest.fixture(autouse=True)
def _in_a_hurry(nobody_sleeps: None) -> None:
    """Each of these tests."""


@pytest.fixture
def nothing_counted() -> None:
    """Forget how often anybody has asked."""
    cache.clear()


@pytest.fixture
def order(wallet_sandbox: SandboxControl, nothing_counted: None, make_order: MakeOrder) -> PaymentOrder:
    """An order that can be paid, and about which nobody has asked."""
    return make_order()
