"""What a customer of the shop with django-payments does in its flows, and what its rows say then."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.contrib.django_payments.models import Payment
from wallet_gateway import payments as wallet

if TYPE_CHECKING:
    from django.test import Client

    from wallet_gateway.testing.control import SandboxControl


def a_payment(variant: str = "wallet", **columns: Any) -> Payment:
    values = {"currency": "EUR", "total": Decimal("25.00"), "delivery": Decimal("5.00")} | columns
    payment: Payment = Payment.objects.create(variant=variant, **values)
    return payment


def pay(client: Client, gateway: SandboxControl, payment: Payment, outcome: str = "success") -> Any:  # noqa: ANN401
    """Send the customer to the gateway's page and back; give the page with the result."""
    page = client.get(f"/pay/{payment.pk}/")["Location"]
    attempt = wallet.get_order(payment.token).payments.order_by("-pk").first()
    assert attempt is not None
    assert page == attempt.redirect_url
    back = gateway.complete_checkout(attempt.reference, outcome)
    result = client.get(client.get(back)["Location"])
    payment.refresh_from_db()
    return result


def stored(payment: Payment) -> tuple[str, Decimal]:
    row = Payment.objects.get(pk=payment.pk)
    return row.status, row.captured_amount
