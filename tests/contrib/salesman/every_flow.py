"""What `tests.contrib.test_bridges` runs in the shop with django-salesman, in a process of its own."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from salesman.core.utils import get_salesman_model

from tests.contrib.salesman.models import Mug
from tests.contrib.salesman.receivers import paid as receive  # type: ignore[attr-defined]  # the recipe's
from wallet_gateway import payments

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)

Order: Any = get_salesman_model("Order")
SalesmanOrder: TypeAlias = Any


@pytest.fixture(autouse=True)
def gateway(wallet_sandbox: SandboxControl) -> SandboxControl:
    # Salesman's baskets name products by content type, and the tables were emptied.
    ContentType.objects.clear_cache()
    return wallet_sandbox


def place_an_order(client: Client) -> str:
    """Fill the basket and check out; give the address to which the customer is sent."""
    mug = Mug._default_manager.create(name="Mug", code="MUG")
    client.post("/api/basket/", {"product_type": "mugs.Mug", "product_id": mug.pk, "quantity": 2})
    data = {
        "email": "robin@example.com",
        "shipping_address": "Lerchenweg 7",
        "billing_address": "Lerchenweg 7",
        "payment_method": "wallet",
    }
    answer = client.post("/api/checkout/", data)
    assert answer.status_code == 201, answer.content
    url: str = answer.json()["url"]
    return url


def pay(gateway: SandboxControl) -> None:
    order = payments.get_order(Order.objects.get().ref)
    gateway.complete_checkout(payments.start_checkout(order).reference, "success")
    payments.reconcile(order)


@pytest.fixture
def paid(client: Client, gateway: SandboxControl) -> SalesmanOrder:
    place_an_order(client)
    pay(gateway)
    return Order.objects.get()


@pytest.fixture
def boss() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss", "boss@example.com", "secret"))
    return client


def test_a_customer_places_an_order_and_pays(client: Client, gateway: SandboxControl) -> None:
    first = place_an_order(client)
    page, order = client.get(first), Order.objects.get()
    again = client.post(f"/api/orders/{order.ref}/pay/?token={order.token}", {"payment_method": "wallet"})
    assert again.json()["url"] == first, "it can be paid later"
    assert "€25.00" in page.content.decode()
    assert (order.status, order.is_paid) == ("CREATED", False)
    pay(gateway)
    order = Order.objects.get()
    assert (order.status, order.amount_paid) == ("PROCESSING", Decimal("25.00"))
    assert not get_salesman_model("Basket").objects.filter(items__isnull=False).exists()


def test_an_event_that_is_delivered_twice_is_recorded_once(paid: SalesmanOrder) -> None:
    known = paid.payments.get()
    order = payments.get_order(paid.ref)
    receive(sender=type(order), event_id=known.transaction_id, reference=paid.ref, amount=order.amount)
    assert paid.payments.count() == 1


def test_the_staff_refund_once(paid: SalesmanOrder, boss: Client) -> None:
    for _click in range(2):
        boss.post(f"/api/orders/{paid.ref}/refund/")
    assert Order.objects.get().status == "REFUNDED"
    assert str(payments.order_summary(payments.get_order(paid.ref)).refunded) == "25.00 EUR"


def test_a_refund_whose_answer_is_lost_is_no_second_refund(
    paid: SalesmanOrder,
    boss: Client,
    gateway: SandboxControl,
) -> None:
    gateway.fault("refund", "drop_after", times=1)
    boss.post(f"/api/orders/{paid.ref}/refund/")
    assert Order.objects.get().status == "PROCESSING"
    payments.reconcile(payments.get_order(paid.ref), everything=True)
    boss.post(f"/api/orders/{paid.ref}/refund/")
    assert Order.objects.get().status == "REFUNDED"
    assert payments.get_order(paid.ref).payments.get().transactions.filter(kind="REFUND").count() == 1
