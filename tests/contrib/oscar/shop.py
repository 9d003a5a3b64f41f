"""What a customer and a clerk of the oscar shop do in its flows, and the books that it keeps."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.test import Client
from django.urls import reverse
from oscar.core.loading import get_model
from oscar.test.factories import create_product

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl

EMAIL_BACKEND = "oscar.apps.customer.auth_backends.EmailBackend"
Order = get_model("order", "Order")
ADDRESS = {
    "first_name": "Robin",
    "last_name": "Wren",
    "line1": "Lerchenweg 7",
    "line4": "Hamburg",
    "postcode": "20095",
    "country": "DE",
}


def fill_the_basket(client: Client, price: str = "12.50") -> None:
    product = create_product(title="Mug", price=Decimal(price), num_in_stock=10)
    client.post(reverse("basket:add", args=[product.pk]), {"quantity": 2})


def place_an_order(client: Client, price: str = "12.50", **address: str) -> Any:  # noqa: ANN401
    """Walk a guest through oscar's checkout; give the answer to the last click."""
    come_as_a_guest(client, price)
    return check_out(client, **address)


def come_as_a_guest(client: Client, price: str = "12.50") -> None:
    fill_the_basket(client, price)
    client.post(reverse("checkout:index"), {"username": "robin@example.com", "options": "anonymous"})


def say_where_to_ship(client: Client, **address: str) -> None:
    client.post(reverse("checkout:shipping-address"), ADDRESS | address)
    client.get(reverse("checkout:shipping-method"))


def check_out(client: Client, **address: str) -> Any:  # noqa: ANN401
    say_where_to_ship(client, **address)
    return client.post(reverse("checkout:preview"), {"action": "place_order"})


def pay(client: Client, sandbox: SandboxControl, outcome: str = "success") -> Any:  # noqa: ANN401
    """Decide on the gateway's page, and come back to the shop; give the page with the result."""
    attempt = to_pay().payments.order_by("-pk").first()
    assert attempt is not None
    back = sandbox.complete_checkout(attempt.reference, outcome)
    return client.get(client.get(back)["Location"])


def to_pay() -> PaymentOrder:
    return payments.get_order(Order.objects.get().number)


def create_event(clerk: Client, name: str, amount: str, **lines: object) -> str:
    """Create a payment event in oscar's dashboard; give the message that it shows then."""
    order = Order.objects.get()
    event_type = get_model("order", "PaymentEventType").objects.get(name=name)
    action = (
        {"line_action": "create_payment_event"} if lines else {"order_action": "create_order_payment_event"}
    )
    data = action | {"payment_event_type": event_type.code, "amount": amount} | lines
    answer = clerk.post(reverse("dashboard:order-detail", args=[order.number]), data, follow=True)
    assert answer.status_code == 200
    (message,) = answer.context["messages"]
    return str(message)


def books() -> tuple[list[tuple[str, Decimal]], list[tuple[str, Decimal]], tuple[Decimal, ...]]:
    """Transactions, payment events and totals, as oscar has them."""
    order = Order.objects.get()
    source = order.sources.get()
    return (
        [(one.txn_type, one.amount) for one in source.transactions.order_by("pk")],
        [(one.event_type.name, one.amount) for one in order.payment_events.order_by("pk")],
        (source.amount_allocated, source.amount_debited, source.amount_refunded),
    )


PAID_BOOKS = ([("Debit", Decimal(25))], [("Paid", Decimal(25))], (Decimal(25), Decimal(25), Decimal(0)))
