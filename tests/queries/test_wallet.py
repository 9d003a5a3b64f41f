"""What the wallet gave is shown of the card that pays, and of no other."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.operations.wallet_customer import CARD, Customer
from wallet_gateway import payments
from wallet_gateway.gateways import context_of
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def customer(wallet_sandbox: SandboxControl) -> Customer:
    return Customer(control=wallet_sandbox, context=context_of("default"))


@pytest.fixture
def order(wallet_sandbox: SandboxControl) -> PaymentOrder:
    return payments.create_order(reference="R-1", currency="EUR", amount=payments.Money.parse("20.00", "EUR"))


def given(customer: Customer, order: PaymentOrder) -> dict[str, Any]:
    """Return a result with all that a wallet can be asked for."""
    address = {"name": "Ada", "address1": "Sample Street 12", "postalCode": "10115", "countryCode": "DE"}
    more = {"email": "ada@example.com", "billingAddress": address, "shippingAddress": address}
    return customer.approve(customer.open(order)) | more


def test_a_card_is_named_as_people_know_it_in_one_statement(
    customer: Customer, order: PaymentOrder, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    customer.post(order, given(customer, order))
    with django_assert_num_queries(1):
        receipt = payments.wallet.receipt(order)

    assert receipt is not None
    assert (receipt.card_network, receipt.card_last_four, receipt.is_tokenized) == ("VISA", "1111", True)
    assert receipt.amount == order.amount
    assert [str(amount) for _, amount in receipt.lines] == ["20.00"]
    assert receipt.email == "ada@example.com"
    assert receipt.billing_address["name"] == receipt.shipping_address["name"] == "Ada"
    assert "ada" not in repr(receipt).lower()


def test_a_plain_card_is_told_from_a_token(customer: Customer, order: PaymentOrder) -> None:
    customer.pay(order, CARD)
    receipt = payments.wallet.receipt(order)

    assert receipt is not None
    assert not receipt.is_tokenized


def test_a_card_that_was_declined_pays_nothing_and_is_not_shown(
    customer: Customer, order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("authorization", "errored", times=1)
    customer.pay(order)

    assert WalletAttempt.objects.exists()
    assert payments.wallet.receipt(order) is None
