"""Stores orders of a shop with two origins, from what a test says of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.operations.conftest import MUG, VirtualClock
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout.orders import OrderDetails, create_order

Create = Callable[..., PaymentOrder]


@pytest.fixture
def create(clock: VirtualClock) -> Create:
    def make(
        reference: str = "SHOP-1",
        continue_url: str = "",
        *,
        redirect_when_paid: bool = False,
        policy: GatewayPolicy = GatewayPolicy(),  # noqa: B008 - frozen
        metadata: Any = None,  # noqa: ANN401 - right or wrong
        **details: Any,
    ) -> PaymentOrder:
        given = OrderDetails(**{"currency": "EUR", "items": (MUG,)} | details)
        return create_order(
            reference=reference,
            details=given,
            gateway="default",
            policy=policy,
            clock=clock,
            continue_url=continue_url,
            redirect_when_paid=redirect_when_paid,
            shop_origins=("https://shop.example", "https://www.shop.example"),
            metadata=metadata,
        )

    return make
