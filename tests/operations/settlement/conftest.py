"""Payments and follow-ups of rows made directly: no request was sent for them."""

from __future__ import annotations

import pytest

from tests.operations.settlement.rows import a_follow_up, a_page, a_reservation, approval
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.settle import settle


@pytest.fixture
def reserved(context: GatewayContext) -> GatewayTransaction:
    return a_reservation(context)


@pytest.fixture
def sold(context: GatewayContext) -> GatewayTransaction:
    """The checkout of an order of 20.00 that is paid."""
    return settle(a_page(), approval(2000, "opened"), context=context)


@pytest.fixture
def capture(reserved: GatewayTransaction) -> GatewayTransaction:
    return a_follow_up(reserved, TransactionKind.CAPTURE)


@pytest.fixture
def refund(sold: GatewayTransaction) -> GatewayTransaction:
    return a_follow_up(sold, TransactionKind.REFUND)
