"""A customer with a wallet in the shop of the money tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.money.wallet.customers import Customer, WalletGateway
from tests.money.wallet.hooks import HOOKS, Hooks
from tests.support.shop import Shop
from wallet_gateway.testing.plugin import WalletApplication


@pytest.fixture
def gateway(wallet_application: WalletApplication, db: None) -> WalletGateway:
    stub = WalletGateway()
    wallet_application(stub)
    return stub


@pytest.fixture
def customer(shop: Shop, gateway: WalletGateway) -> Customer:
    return Customer(shop, gateway)


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    """The shop's own functions; each test begins with the usual ones."""
    yield HOOKS
    vars(HOOKS).update(vars(Hooks()))
