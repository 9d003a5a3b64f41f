"""Batches of payments that customers have made, confirmed by anna, who may do everything."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.money.approvals.people import person
from tests.support.shop import Shop, order_of
from wallet_gateway.models import BatchKind, OperationBatch
from wallet_gateway.payments import batches

MakeBatch = Callable[..., OperationBatch]


@pytest.fixture
def running(shop: Shop) -> MakeBatch:
    """Let customers pay some orders, and start a batch of one operation of each."""
    person("anna")

    def make(count: int, kind: BatchKind = BatchKind.CAPTURE) -> OperationBatch:
        type_ = "sale" if kind is BatchKind.REFUND else "preauthorization"
        orders = [order_of(shop.pay(type=type_)) for _ in range(count)]
        batch = batches.draft(kind, orders, by="anna" if kind is BatchKind.CAPTURE else person("anna"))
        assert batches.start(batch, reason_code="shipped" if kind is BatchKind.CAPTURE else "")
        batch.refresh_from_db()
        return batch

    return make
