"""What a customer of the shop with django-payments does in its flows, and what its rows say then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from payments.signals import status_changed

from tests.contrib.django_payments.models import Payment
from wallet_gateway import payments as wallet
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

    from wallet_gateway.testing.control import SandboxControl


@dataclass
class Shop:
    """A customer's browser, and the gateway."""

    client: Client
    gateway: SandboxControl

    def visit(self, payment: Payment) -> Answer:
        """Ask for the page that sends the customer away to pay."""
        return self.client.get(f"/pay/{payment.pk}/")

    def begin(self, variant: str = "wallet", **columns: Any) -> Payment:
        """Make a payment whose page the customer has opened."""
        payment = a_payment(variant, **columns)
        self.visit(payment)
        payment.refresh_from_db()
        return payment

    def come_back(self, payment: Payment, outcome: str = "success") -> Answer:
        """Decide on the gateway's page, and come back to the shop."""
        attempt = order_of(payment).payments.order_by("-pk").first()
        assert attempt is not None
        return self.client.get(self.gateway.complete_checkout(attempt.reference, outcome))

    def pay(self, payment: Payment, outcome: str = "success") -> Answer:
        """Send the customer to the gateway's page and back; give the page with the result."""
        page = self.visit(payment)["Location"]
        assert page == order_of(payment).payments.latest("pk").redirect_url
        result = self.client.get(self.come_back(payment, outcome)["Location"])
        payment.refresh_from_db()
        return result

    def sell(self, variant: str = "wallet") -> Payment:
        """Give a payment of 25.00 that the gateway has approved."""
        payment = a_payment(variant)
        self.pay(payment)
        return payment


def a_payment(variant: str = "wallet", **columns: Any) -> Payment:
    values = {"currency": "EUR", "total": Decimal("25.00"), "delivery": Decimal("5.00")} | columns
    payment: Payment = Payment.objects.create(variant=variant, **values)
    return payment


def order_of(payment: Payment) -> PaymentOrder:
    return wallet.get_order(payment.token)


def stored(payment: Payment) -> tuple[str, Decimal]:
    row = Payment.objects.get(pk=payment.pk)
    return row.status, row.captured_amount


@contextmanager
def hearing(receive: Callable[[Payment], object]) -> Iterator[None]:
    """Let the shop's own receiver hear each change of a status."""

    def hear(instance: Payment, **_rest: object) -> None:
        receive(instance)

    status_changed.connect(hear)
    try:
        yield
    finally:
        status_changed.disconnect(hear)
