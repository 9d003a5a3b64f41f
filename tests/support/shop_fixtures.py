"""A shop with a gateway of hand-written records; after every test its books are looked through.

Everything goes through the public functions of `payments`; network, clock and settings have one seam each:
the stub's next answers, `MovedClock` and `Shop.configure`. So the code below may change its structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.dispatch import Signal
from pytest_django import Settings

from tests.support.gateway import Killed, StubGateway
from tests.support.shop import MovedClock, Shop
from wallet_gateway import gateways, signals
from wallet_gateway.testing.invariants import check_books
from wallet_gateway.testing.plugin import WalletApplication


@pytest.fixture
def gateway(wallet_application: WalletApplication, db: None) -> StubGateway:
    stub = StubGateway()
    wallet_application(stub)
    return stub


@pytest.fixture
def shop(gateway: StubGateway, settings: Settings, wallet_application: WalletApplication) -> Iterator[Shop]:
    before, moved = gateways.clock(), MovedClock()
    gateways.use_clock(moved)
    yield Shop(gateway, moved, settings, wallet_application)
    gateways.use_clock(before)
    check_books()


@dataclass
class Receiver:
    """A shop's receiver that remembers what it was told, and fails as often as it is set to."""

    failures: int = 0
    told: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, **given: Any) -> None:
        self.told.append(given)
        if len(self.told) <= self.failures:
            raise ValueError("the shop's warehouse is closed")

    @property
    def ids(self) -> list[str]:
        return [told["event_id"] for told in self.told]

    @property
    def amounts(self) -> list[str]:
        return [str(told["amount"]) for told in self.told]


def die(**_: object) -> None:
    """As a receiver in whose process the shop dies."""
    raise Killed


Connect = Callable[..., Any]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Connect a receiver to a signal for the time of a test, one that remembers if none is given."""
    connected: list[tuple[Signal, Any]] = []

    def listen(signal: Signal, receiver: Any = None) -> Any:  # noqa: ANN401 - as it is given
        receiver = receiver or Receiver()
        signal.connect(receiver, weak=False)
        connected.append((signal, receiver))
        return receiver

    yield listen
    for signal, receiver in connected:
        signal.disconnect(receiver)


@pytest.fixture
def heard(shop: Shop, connect: Connect) -> list[str]:
    """The names of the signals about orders in the sequence in which the shop has heard them."""
    names: list[str] = []
    for name in ("order_paid", "order_failed", "order_anomaly", "order_refunded"):

        def hear(_name: str = name, **_: object) -> None:
            names.append(_name)

        connect(getattr(signals, name), hear)
    return names
