"""What `tests.contrib.test_oscar` runs in the oscar shop, in a process of its own: Django reads its apps once."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.core import mail
from django.urls import reverse
from oscar.core.loading import get_class, get_model
from oscar.test.factories import CountryFactory, create_product

from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client

    from wallet_gateway.testing.control import SandboxControl

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]

Order = get_model("order", "Order")
ADDRESS = {
    "first_name": "Robin",
    "last_name": "Wren",
    "line1": "Lerchenweg 7",
    "line4": "Hamburg",
    "postcode": "20095",
    "country": "DE",
}


@pytest.fixture(autouse=True)
def shop(wallet_sandbox: SandboxControl) -> None:
    """One product of 12.50, a site, and a country that is shipped to."""
    get_model("sites", "Site").objects.get_or_create(pk=1, defaults={"domain": "shop.example", "name": "shop"})
    CountryFactory(iso_3166_1_a2="DE", iso_3166_1_a3="DEU", is_shipping_country=True)


def place_an_order(client: Client, **address: str) -> Any:
    """Walk a guest through oscar's checkout; give the answer to the last click."""
    product = create_product(title="Mug", price=Decimal("12.50"), num_in_stock=10)
    client.post(reverse("basket:add", args=[product.pk]), {"quantity": 2})
    client.post(reverse("checkout:index"), {"username": "robin@example.com", "options": "anonymous"})
    client.post(reverse("checkout:shipping-address"), ADDRESS | address)
    client.get(reverse("checkout:shipping-method"))
    return client.post(reverse("checkout:preview"), {"action": "place_order"})


def test_a_guest_pays(client: Client, wallet_sandbox: SandboxControl) -> None:
    answer = place_an_order(client)
    order = Order.objects.get()
    assert order.status == "Pending"
    assert mail.outbox == [], "nothing is confirmed before it is paid"
    attempt = payments.get_order(order.number).payments.get()
    assert answer["Location"] == attempt.redirect_url
    back = wallet_sandbox.complete_checkout(attempt.reference, "success")
    result = client.get(client.get(back)["Location"])
    assert result["Location"] == reverse("checkout:thank-you")
    assert client.get(result["Location"]).context["order"] == order
    order.refresh_from_db()
    assert order.status == "Being processed"
    (sent,) = mail.outbox
    assert sent.to == ["robin@example.com"]
    assert order.number in sent.body
    source = order.sources.get()
    assert (source.amount_debited, source.amount_refunded, source.balance) == (Decimal(25), 0, 0)
    assert [(each.txn_type, each.amount) for each in source.transactions.all()] == [("Debit", Decimal(25))]
    assert [(each.event_type.name, each.amount) for each in order.payment_events.all()] == [("Paid", Decimal(25))]
