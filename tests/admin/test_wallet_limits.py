"""A closed wallet button in the admin: where it is seen, and who may open it again."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.admin.conftest import MakePerson, order_url
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder, TransactionEvent, WalletUsage
from wallet_gateway.payments import wallet
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
REASON = {"reason": "called the customer"}


@pytest.fixture
def order(wallet_sandbox: SandboxControl) -> PaymentOrder:
    """An order whose button was shown once, and closed by a limit."""
    found = payments.create_order(reference="A-1", amount=Decimal("20.00"), currency="EUR")
    wallet.open_session(found, session="ada")
    closed = PaymentOrder.objects.filter(pk=found.pk)
    closed.update(wallet_closed_at=timezone.now(), wallet_limit="AUTHORIZATIONS")
    return closed.get()


def url_of(order: PaymentOrder) -> str:
    return reverse("admin:wallet_gateway_paymentorder_wallet_limits", args=[order.pk])


@pytest.fixture
def keeper(make_person: MakePerson) -> Client:
    """Kim, who may raise limits."""
    return make_person("raise_wallet_limits", name="kim")


def test_the_orders_page_names_the_limit_and_leads_to_the_decision(
    keeper: Client, order: PaymentOrder
) -> None:
    page = keeper.get(order_url(order)).content.decode()
    assert "Wallet button closed by a limit: Authorizations" in page
    assert url_of(order) in page


def test_a_person_with_the_permission_opens_the_button_and_it_is_on_record(
    keeper: Client, order: PaymentOrder
) -> None:
    page = keeper.post(url_of(order), REASON, follow=True).content.decode()
    assert "The wallet button of the order is open again." in page
    order.refresh_from_db()
    assert (order.is_wallet_closed, WalletUsage.objects.get().raised) == (False, 1)
    decision = TransactionEvent.objects.get(kind="DECISION")
    assert decision.created_by == "kim"
    assert decision.explanation == "Limits of the wallet button raised: called the customer"
    assert "called the customer" in LogEntry.objects.get().change_message


def test_without_a_reason_or_where_somebody_was_quicker_nothing_is_raised(
    keeper: Client, order: PaymentOrder
) -> None:
    assert "This field is required." in keeper.post(url_of(order), {"reason": ""}).content.decode()
    wallet.raise_limits(order, by="anna", reason="knows him")
    assert "No limit has closed the wallet button" in keeper.post(url_of(order), REASON).content.decode()
    assert WalletUsage.objects.get().raised == 1
