"""Batches of payments that customers have made, and drivers of what one person may do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.operations.batches.rows import WHY
from tests.operations.conftest import Pay, VirtualClock
from wallet_gateway.models import BatchKind, OperationBatch
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.drive import Driver
from wallet_gateway.operations.context import GatewayContext

MakeDriver = Callable[..., Driver]
MakeBatch = Callable[..., OperationBatch]


@pytest.fixture
def permitted() -> set[str]:
    """Who may do everything now."""
    return {"anna"}


@pytest.fixture
def naps() -> list[float]:
    return []


@pytest.fixture
def make_driver(
    context: GatewayContext, clock: VirtualClock, permitted: set[str], naps: list[float]
) -> MakeDriver:
    def make(given: GatewayContext = context) -> Driver:
        return Driver(
            context_of=lambda alias: given,
            is_permitted=lambda actor, kind: actor.name in permitted,
            clock=clock,
            sleep=naps.append,
        )

    return make


@pytest.fixture
def driver(make_driver: MakeDriver) -> Driver:
    return make_driver()


@pytest.fixture
def make_batch(pay: Pay, driver: Driver, clock: VirtualClock) -> MakeBatch:
    """Let customers pay some orders, and start a batch that captures them."""

    def make(count: int, kind: BatchKind = BatchKind.CAPTURE) -> OperationBatch:
        type_ = "sale" if kind is BatchKind.REFUND else "preauthorization"
        orders = [pay(type=type_).order for _ in range(count)]
        batch = plan.draft(kind, orders, by="anna", clock=clock)
        why = WHY if kind is BatchKind.CAPTURE else {}
        assert plan.start(batch, [], is_permitted=driver.is_permitted, clock=clock, **why)
        batch.refresh_from_db()
        return batch

    return make
