"""A shop with a gateway of hand-written records; after every test its books are looked through.

Everything goes through the public functions of `payments`; network, clock and settings have one seam each:
the stub's next answers, `MovedClock` and `Shop.configure`. So the code below may change its structure.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.money.gateway import StubGateway
from tests.money.shop import MovedClock, Shop
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


@pytest.fixture
def heard(shop: Shop) -> Iterator[list[str]]:
    """The names of the signals about orders in the sequence in which the shop has heard them."""
    names: list[str] = []
    watched = ("order_paid", "order_failed", "order_anomaly", "order_refunded")
    for name in watched:

        def hear(_name: str = name, **_: object) -> None:
            names.append(_name)

        getattr(signals, name).connect(hear, weak=False, dispatch_uid="heard")
    yield names
    for name in watched:
        getattr(signals, name).disconnect(dispatch_uid="heard")
