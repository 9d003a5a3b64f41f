"""The stub gateway, and a shop that is pointed at it by nothing but its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.stub_gateway import service
from tests.stub_gateway.habits import Habit
from tests.stub_gateway.server import StubGateway
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.testing.invariants import check_books

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

ADDRESS = {
    "house_number": "12",
    "street": "Sample Street",
    "city": "Berlin",
    "zip_postal_code": "10115",
    "country_code": "DEU",
}
CRYPTOGRAM = "AAECAwQFBgcICQoLDA0ODxAREhM="
PATHS = {
    "public_key": service.KEYS,
    "get_payment_account": service.ACCOUNT,
    "create_payment_account": service.CREATE_ACCOUNT,
    "authorization": service.AUTHORIZATION,
}
_numbers = count(1)


@pytest.fixture(scope="session")
def stub_server() -> Iterator[StubGateway]:
    with StubGateway() as gateway:
        yield gateway


@dataclass
class Shop:
    """A shop of a few words: it buys, pays and asks, by the public API alone."""

    gateway: StubGateway
    settings: Any
    orders: list[PaymentOrder] = field(default_factory=list)

    def set(self, **more: Any) -> None:
        """Change settings of the gateway."""
        changed = deepcopy(self.settings.WALLET_GATEWAY)
        changed["GATEWAYS"]["default"] |= more
        self.settings.WALLET_GATEWAY = changed

    def order(self, **more: Any) -> PaymentOrder:
        given: dict[str, Any] = {"amount": Decimal("20.00"), "currency": "EUR", "billing_address": ADDRESS}
        return payments.create_order(reference=f"ANY-{next(_numbers)}", **(given | more))

    def told(self, order: PaymentOrder) -> PaymentOrder:
        """Ask the gateway about all of an order."""
        return payments.reconcile(payments.get_order(order.reference), everything=True)

    def at_the_page(self, **more: Any) -> tuple[PaymentOrder, str]:
        """Send a customer to the hosted page of a new order."""
        order = self.order(**more)
        return order, payments.start_checkout(order).redirect_url

    def paid(self, **more: Any) -> PaymentOrder:
        """Let a customer pay a new order."""
        order, page = self.at_the_page(**more)
        self.gateway.pay(page)
        return self.told(order)

    def press(self, order: PaymentOrder, card_type: str = "Token") -> Payment:
        """Let a customer pay by the wallet button."""
        button = payments.wallet.open_session(order, session="session-of-ada")
        detail: dict[str, str] = {
            "clientSystemTransactionId": button.reference,
            "transactionAccountId": self.gateway.service.create_account(card_type),
            "transactionMethod": "WalletPay",
        }
        if card_type == "Token":
            detail |= {"cryptogram": CRYPTOGRAM, "eciIndicator": "05"}
        return payments.wallet.pay(order, session="session-of-ada", detail=detail)

    def deposit(self, amount: str) -> str:
        """Make a payment of an earlier provider known to the gateway; return its identifier."""
        parent = f"OLD-{next(_numbers)}"
        self.gateway.book.deposits[parent] = Decimal(amount)
        return parent


@pytest.fixture
def shop(stub_server: StubGateway, settings: Settings, db: None) -> Iterator[Shop]:
    stub_server.reset()
    given = deepcopy(settings.WALLET_GATEWAY)
    given["GATEWAYS"]["default"] |= {"BASE_URL": stub_server.url, "PATHS": PATHS, "QUERIES": {"RATE": 1000}}
    settings.WALLET_GATEWAY = given
    yield Shop(stub_server, settings)
    check_books()


def states(order: PaymentOrder) -> list[str]:
    """The states of an order's transactions, oldest first."""
    rows = GatewayTransaction.objects.filter(payment__order=order).order_by("pk")
    return [row.state for row in rows]


def sums(order: PaymentOrder) -> tuple[str, str, str]:
    """What is authorized, captured and refunded of an order."""
    summary = payments.order_summary(payments.get_order(order.reference))
    return summary.authorized.to_wire(), summary.captured.to_wire(), summary.refunded.to_wire()


def every_habit(*habits: Habit) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Carry out a test under each of these habits of the gateway."""
    return every("habit", habits, ids=[habit.name for habit in habits])
