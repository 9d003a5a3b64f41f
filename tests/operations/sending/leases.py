"""The end of a sender's lease, as the tests of its death and of its sleep let it come."""

from __future__ import annotations

from tests.operations.conftest import VirtualClock
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import sweep


def end_lease(context: GatewayContext, clock: VirtualClock) -> None:
    clock.advance(seconds=121)
    sweep(context=context)
