"""Cancelling an order in the admin: who may, what the page says, and what stands in the history."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.admin.conftest import MakePerson, PaidOrder, order_url
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@pytest.fixture
def order(wallet_sandbox: SandboxControl) -> PaymentOrder:
    until = timezone.now() + timedelta(days=2)
    return payments.create_order(
        reference="A-1", amount=Decimal("20.00"), currency="EUR", payable_until=until
    )


@pytest.fixture
def keeper(make_person: MakePerson) -> Client:
    """Kim, who may cancel orders."""
    return make_person("cancel_order", name="kim")


def url_of(order: PaymentOrder) -> str:
    return reverse("admin:wallet_gateway_paymentorder_cancel", args=[order.pk])


def test_an_order_that_is_not_paid_leads_to_the_page_that_says_what_it_means(
    keeper: Client, order: PaymentOrder
) -> None:
    shown = keeper.get(order_url(order)).content.decode()
    assert url_of(order) in shown
    assert "Payable until" in shown
    page = keeper.get(url_of(order)).content.decode()
    assert "this cannot be undone" in page
    assert "20.00" in page
    assert "Keep the order" in page
    order.refresh_from_db()
    assert not order.is_cancelled


def test_a_person_with_the_permission_cancels_it_and_it_is_on_record(
    keeper: Client, order: PaymentOrder
) -> None:
    page = keeper.post(url_of(order), {"note": "sold <out>"}, follow=True).content.decode()
    assert "The order is cancelled. Its goods are free." in page
    assert "Order cancelled" in page
    assert "Goods released" in page
    assert "sold &lt;out&gt;" in page
    assert url_of(order) not in page
    order.refresh_from_db()
    assert (order.state, order.cancelled_by) == ("CANCELLED", "kim")
    assert "sold <out>" in LogEntry.objects.get().change_message


def test_an_order_that_holds_money_has_no_link_and_is_refused_in_words(
    keeper: Client, paid_order: PaidOrder
) -> None:
    order = paid_order(type="sale")
    assert url_of(order) not in keeper.get(order_url(order)).content.decode()
    assert "Refund it instead" in keeper.post(url_of(order), {"note": ""}).content.decode()
