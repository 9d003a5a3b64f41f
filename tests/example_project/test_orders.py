"""The order's page: states in words, the timeline, the pay button, and who may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from example_project.shop.demo.customer import Customer
from example_project.shop.models import Order
from example_project.shop.states import STANDINGS, UNHEARD_OF, standing
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import Settings

    from tests.example_project.conftest import Visitor
    from wallet_gateway.testing.sandbox import SandboxControl

STATES = [state for state, _ in PaymentOrder._meta.get_field("state").choices or ()]
PAYABLE = {"OPEN", "FAILED", "EXPIRED", "REVERSED"}


def page(client: Client, order: Order) -> str:
    return client.get(order.get_absolute_url()).content.decode()


def test_a_state_nobody_has_heard_of_is_never_called_paid() -> None:
    assert standing("TELEPORTED") is UNHEARD_OF
    assert "do not pay again" in str(UNHEARD_OF.text)


@pytest.mark.parametrize("state", STATES)
def test_the_page_says_the_state_and_offers_to_pay_only_when_it_may(
    visitor: Visitor, client: Client, state: str
) -> None:
    order = visitor.order()
    PaymentOrder.objects.filter(reference=order.number).update(state=state)
    html = page(client, order)

    assert str(STANDINGS[state].title) in html
    assert ("wallet-checkout__button" in html) == (state in PAYABLE)


@pytest.mark.parametrize("state", ["PENDING", "FROZEN", "OVERPAID"])
def test_while_nobody_knows_the_page_says_not_to_pay_again(state: str) -> None:
    text = str(STANDINGS[state].text)
    assert "not pay again" in text or state == "OVERPAID"


def test_an_order_is_found_by_its_key_and_by_nothing_else(visitor: Visitor, client: Client) -> None:
    order = visitor.order()

    assert len(order.key) >= 22
    for guess in (order.number, str(order.pk), order.key[:-1], order.key.swapcase()):
        assert client.get(reverse("shop:order", args=[guess])).status_code == 404


def test_the_way_back_from_the_payment_leads_to_the_order_only_who_has_seen_it(
    visitor: Visitor, client: Client
) -> None:
    order = visitor.order()
    back = reverse("shop:order-back", args=[order.number])
    client.get(order.get_absolute_url())
    assert client.get(back).headers["Location"] == order.get_absolute_url()
    client.cookies.clear()
    assert client.get(back).headers["Location"] == reverse("shop:shelf")


def test_a_paid_order_shows_what_happened_at_the_gateway(
    visitor: Visitor, client: Client, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    settings.DEBUG = True
    customer = Customer(wallet_sandbox)
    order = customer.orders("harbour-mug", currency="EUR")
    customer.decides(customer.opens_checkout(order), "success")
    html = page(client, order)

    assert "Paid, thank you" in html
    assert "Payment approved" in html
    assert f"Packing slip {order.packing_slip.pk}" in html
    assert payments.get_order(order.number).payments.get().reference not in html
