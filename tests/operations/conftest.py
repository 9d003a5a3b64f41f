"""What the tests of operations share: a virtual clock, a context that speaks to the real sandbox, ready orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from wallet_gateway import conf, payments
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.transport import Transport
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations import orders, reconciliation
from wallet_gateway.operations.checkout import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.orders import OrderDetails
from wallet_gateway.protocol.cart import Item
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer


@dataclass
class VirtualClock:
    """A clock that moves only when told, and moves the sandbox's with it."""

    instant: datetime = field(default_factory=lambda: datetime.now(UTC))
    sandbox: SandboxControl | None = None

    def now(self) -> datetime:
        return self.instant

    def advance(self, **delta: float) -> None:
        step = timedelta(**delta)
        self.instant += step
        if self.sandbox is not None:
            self.sandbox.advance_clock(step.total_seconds())


@pytest.fixture
def clock(wallet_sandbox: SandboxControl) -> VirtualClock:
    return VirtualClock(sandbox=wallet_sandbox)


@pytest.fixture
def make_context(
    wallet_sandbox_server: SandboxServer, clock: VirtualClock
) -> Iterator[Callable[..., GatewayContext]]:
    """Make contexts with their own transports; timeouts are short, nothing sleeps."""
    transports: list[Transport] = []

    def make(base_url: str = wallet_sandbox_server.base_url, **policy: object) -> GatewayContext:
        given = conf.gateway_settings("default")
        transport = Transport(base_url=base_url, connect_timeout=0.5, read_timeout=0.5, total_timeout=1.0)
        transports.append(transport)
        fields = {name: getattr(given.policy, name) for name in given.policy.__slots__}
        return GatewayContext(
            alias="default",
            gateway=Gateway(account=given.account, transport=transport),
            policy=type(given.policy)(**(fields | policy)),
            clock=clock,
            sleep=lambda seconds: None,
        )

    yield make
    for transport in transports:
        transport.close()


@pytest.fixture
def context(make_context: Callable[..., GatewayContext]) -> GatewayContext:
    return make_context()


MUG = Item(product_id="MUG-1", product_name="Mug", unit_amount=Decimal("10.00"), quantity=2)


@pytest.fixture
def make_order(clock: VirtualClock, db: None) -> Callable[..., PaymentOrder]:
    numbers = iter(range(1, 1000))

    def make(type: str = "sale", currency: str = "EUR", **details: object) -> PaymentOrder:
        given = {"items": (MUG,)} | details
        return orders.create_order(
            reference=f"ORDER-{next(numbers)}",
            details=OrderDetails(currency=currency, type=type, **given),  # type: ignore[arg-type]
            gateway="default",
            clock=clock,
        )

    return make


@pytest.fixture
def open_page(context: GatewayContext, make_order: Callable[..., PaymentOrder]) -> Callable[..., Payment]:
    """Start a checkout of a new order; the page is open and undecided."""

    def start(**details: object) -> Payment:
        return start_checkout(order=make_order(**details), context=context, return_urls=payments.return_urls)

    return start


@pytest.fixture
def pay(
    open_page: Callable[..., Payment], wallet_sandbox: SandboxControl, context: GatewayContext
) -> Callable[..., Payment]:
    """Let a customer pay a new order of 20.00 on the hosted page and come back."""

    def complete(outcome: str = "success", **details: object) -> Payment:
        attempt = open_page(**details)
        wallet_sandbox.complete_checkout(attempt.reference, outcome)
        return reconciliation.reconcile_attempt(reference=attempt.reference, context=context)

    return complete
