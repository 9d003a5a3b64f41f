"""The oscar shop of the flows: its customer and its clerk, the gateway behind them, and its books."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeAlias

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.db import connections
from django.test import Client
from django.urls import reverse
from oscar.core.loading import get_model
from oscar.test.factories import create_product
from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

EMAIL_BACKEND = "oscar.apps.customer.auth_backends.EmailBackend"
Order = get_model("order", "Order")
OscarRow: TypeAlias = Any  # oscar has no types
ADDRESS = {
    "first_name": "Robin",
    "last_name": "Wren",
    "line1": "Lerchenweg 7",
    "line4": "Hamburg",
    "postcode": "20095",
    "country": "DE",
}
PAID_BOOKS = ([("Debit", Decimal(25))], [("Paid", Decimal(25))], (Decimal(25), Decimal(25), Decimal(0)))
DONE = "Payment event created"
"""What the dashboard says of an event that it has carried out."""


@dataclass
class OscarShop:
    """What a guest, the staff and the gateway do."""

    gateway: SandboxControl
    pass_time: Callable[..., None]
    settings: Settings
    patch: pytest.MonkeyPatch
    client: Client = field(default_factory=Client)

    # The shop's own settings

    def configure(self, **names: object) -> None:
        """Change what a shop changes by a subclass of the app's configuration."""
        for name, value in names.items():
            self.patch.setattr(apps.get_app_config("wallet_gateway_oscar"), name, value)

    def set_gateway(self, **options: object) -> None:
        """Change options of the gateway."""
        given = self.settings.WALLET_GATEWAY
        default = given["GATEWAYS"]["default"] | options
        self.settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}

    def reopen_cancelled(self) -> None:
        """Let the shop's pipeline lead from cancelled orders back to others."""
        self.patch.setitem(Order.pipeline, "Cancelled", ("Being processed",))

    def answer_in_transactions(self) -> None:
        self.patch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)

    # The customer

    def fill_the_basket(self, price: str = "12.50") -> None:
        product = create_product(title="Mug", price=Decimal(price), num_in_stock=10)
        self.client.post(reverse("basket:add", args=[product.pk]), {"quantity": 2})

    def come_as_a_guest(self, price: str = "12.50") -> None:
        self.fill_the_basket(price)
        guest = {"username": "robin@example.com", "options": "anonymous"}
        self.client.post(reverse("checkout:index"), guest)

    def say_where_to_ship(self, **address: str) -> None:
        self.client.post(reverse("checkout:shipping-address"), ADDRESS | address)
        self.client.get(reverse("checkout:shipping-method"))

    def check_out(self, **address: str) -> OscarRow:
        self.say_where_to_ship(**address)
        return self.client.post(reverse("checkout:preview"), {"action": "place_order"})

    def place_an_order(self, price: str = "12.50", **address: str) -> OscarRow:
        """Walk a guest through oscar's checkout; give the answer to the last click."""
        self.come_as_a_guest(price)
        return self.check_out(**address)

    def pay(self, outcome: str = "success") -> OscarRow:
        """Decide on the gateway's page, and come back to the shop; give the page with the result."""
        attempt = to_pay().payments.order_by("-pk").first()
        assert attempt is not None
        back = self.gateway.complete_checkout(attempt.reference, outcome)
        return self.client.get(self.client.get(back)["Location"])

    def sell(self) -> OscarRow:
        """Give a guest's order of 25.00 that is paid."""
        self.place_an_order()
        self.pay()
        return Order.objects.get()

    # The staff

    @cached_property
    def clerk(self) -> Client:
        """Somebody of the shop's staff, who may see orders, and refund, capture and release."""
        user = User.objects.create_user("clerk", "clerk@example.com", "secret", is_staff=True)
        for app, model, name in (
            ("order", "order", "view_order"),
            *(("wallet_gateway", "payment", f"{verb}_payment") for verb in ("refund", "capture", "reverse")),
        ):
            types = get_model("contenttypes", "ContentType").objects
            (of_model, _) = types.get_or_create(app_label=app, model=model)
            allowed = Permission.objects.create(codename=name, content_type=of_model, name=name)
            user.user_permissions.add(allowed)
        client = Client()
        client.force_login(user, EMAIL_BACKEND)
        return client

    def create_event(self, name: str, amount: str, **lines: object) -> str:
        """Create a payment event in oscar's dashboard; give the message that it shows then."""
        event_type = get_model("order", "PaymentEventType").objects.get(name=name)
        action = {"order_action": "create_order_payment_event"}
        if lines:
            action = {"line_action": "create_payment_event"}
        data = action | {"payment_event_type": event_type.code, "amount": amount} | lines
        answer = self.clerk.post(self.detail, data, follow=True)
        assert answer.status_code == 200
        (message,) = answer.context["messages"]
        return str(message)

    @property
    def detail(self) -> str:
        """The address of the only order's page in the dashboard."""
        return reverse("dashboard:order-detail", args=[Order.objects.get().number])


def to_pay() -> PaymentOrder:
    return payments.get_order(Order.objects.get().number)


def books() -> tuple[list[tuple[str, Decimal]], list[tuple[str, Decimal]], tuple[Decimal, ...]]:
    """Transactions, payment events and totals, as oscar has them."""
    order = Order.objects.get()
    source = order.sources.get()
    return (
        [(one.txn_type, one.amount) for one in source.transactions.order_by("pk")],
        [(one.event_type.name, one.amount) for one in order.payment_events.order_by("pk")],
        (source.amount_allocated, source.amount_debited, source.amount_refunded),
    )


def refunded() -> list[Decimal]:
    """The amounts that oscar's books say were refunded."""
    return [amount for name, amount in books()[1] if name == "Refunded"]


def status_and_stock() -> tuple[str, int]:
    """The only order's status, and how many mugs are kept for orders."""
    kept = get_model("partner", "StockRecord").objects.get().num_allocated or 0
    return Order.objects.get().status, kept
