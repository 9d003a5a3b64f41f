"""The shop of the guide with an admin, and what its customer and the gateway do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from django.contrib import admin
from django.urls import path

from tests.contrib.own_order import models
from tests.contrib.own_order import urls as of_the_guide
from wallet_gateway import payments, signals
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client

    from wallet_gateway.testing.control import SandboxControl

OwnOrder: TypeAlias = Any  # made by the lines of the guide
Order: OwnOrder = vars(models)["Order"]
site = admin.AdminSite()
site.register(Order)
urlpatterns = [*vars(of_the_guide)["urlpatterns"], path("admin/", site.urls)]


@dataclass
class Shop:
    """A customer's browser, and the gateway."""

    client: Client
    gateway: SandboxControl

    def place(self) -> OwnOrder:
        """Place an order on the shop's page."""
        self.answer = self.client.post("/place/", {"email": "robin@example.com"})
        return Order.objects.latest("pk")

    def pay(self, order: OwnOrder, outcome: str = "success") -> str:
        """Decide on the gateway's page, and come back; give the page with the result."""
        attempt = payments.start_checkout(order.create_payment_order())
        return self.come_back(attempt.reference, outcome)

    def come_back(self, reference: str, outcome: str = "success") -> str:
        back = self.gateway.complete_checkout(reference, outcome)
        return self.client.get(self.client.get(back)["Location"]).content.decode()

    def sell(self) -> OwnOrder:
        order = self.place()
        self.pay(order)
        return Order.objects.get(pk=order.pk)


def an_order(model: OwnOrder = Order) -> OwnOrder:
    order = model.objects.create(email="robin@example.com", total="25.00")
    order.create_payment_order()
    return order


def begun(model: OwnOrder = Order) -> OwnOrder:
    """Give an order whose payment page is open."""
    order = an_order(model)
    payments.start_checkout(order.payment_order)
    return order


def status_and_stock() -> tuple[str, bool]:
    order = Order.objects.get()
    return order.status, order.holds_stock


def tell_again(order: PaymentOrder) -> None:
    """Deliver an event once more, with the order as it was then."""
    told = {"event_id": "again", "reference": order.reference, "amount": order.amount}
    signals.order_paid.send(PaymentOrder, order=order, occurred_at=order.created_at, **told)
