"""The receipt tells goods, sums, card and time of what was paid, and names no person."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.operations.wallet_customer import Customer
from wallet_gateway import payments
from wallet_gateway.gateways import context_of
from wallet_gateway.models import Payment, PaymentOrder, WalletAttempt
from wallet_gateway.payments.orders import Receipt, receipt
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

MUG = payments.Item(
    product_id="MUG-1",
    product_name="Mug",
    unit_amount=Decimal("11.90"),
    quantity=2,
    unit_tax_amount=Decimal("1.90"),
    tax_rate=Decimal(19),
)
POST = payments.Shipping(name="Post", amount=Decimal("4.90"))
SPRING = payments.Discount(name="Spring", amount=Decimal("1.00"))


@pytest.fixture
def order(wallet_sandbox: SandboxControl) -> PaymentOrder:
    return payments.create_order(
        reference="R-1",
        currency="EUR",
        items=[MUG],
        shipping=POST,
        discounts=[SPRING],
        cardholder_email="ada@example.com",
        cardholder_last_name="Lovelace",
    )


@pytest.fixture
def customer(wallet_sandbox: SandboxControl) -> Customer:
    return Customer(control=wallet_sandbox, context=context_of("default"))


def paid_on_the_page(order: PaymentOrder, sandbox: SandboxControl) -> Payment:
    attempt = payments.start_checkout(order)
    sandbox.complete_checkout(attempt.reference, "success")
    return payments.orders.reconcile_attempt(attempt.reference)


def receipt_of(order: PaymentOrder) -> Receipt:
    found = receipt(PaymentOrder.objects.get(pk=order.pk))
    assert found is not None
    return found


def test_an_order_that_nothing_was_approved_for_has_none(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    assert receipt(order) is None
    wallet_sandbox.complete_checkout(payments.start_checkout(order).reference, "refused")
    assert receipt(payments.reconcile(order)) is None


def test_a_paid_order_lists_goods_sums_and_time(order: PaymentOrder, wallet_sandbox: SandboxControl) -> None:
    attempt = paid_on_the_page(order, wallet_sandbox)
    found = receipt_of(order)

    assert [(line.name, line.quantity, str(line.amount)) for line in found.lines] == [("Mug", 2, "23.80 EUR")]
    assert [(extra.label, str(extra.amount), extra.is_deduction) for extra in found.extras] == [
        ("Post", "4.90 EUR", False),
        ("Spring", "1.00 EUR", True),
    ]
    assert (str(found.total), str(found.tax), found.refunded) == ("27.70 EUR", "3.80 EUR", None)
    assert found.approved_at == attempt.opening.approved_at
    # The gateway's records name no card of a payment on its own page.
    assert (found.card_network, found.card_last_four) == ("", "")
    assert "ada" not in repr(found)
    assert "Lovelace" not in repr(found)


@pytest.mark.parametrize(
    ("network", "name", "digits"),
    [("VISA", "Visa", "1111"), ("MASTERCARD", "Mastercard", "4444"), ("AMEX", "American Express", "0005")],
)
def test_a_card_is_named_as_its_network_writes_itself(
    order: PaymentOrder, customer: Customer, network: str, name: str, digits: str
) -> None:
    customer.post(order, customer.approve(customer.open(order), network=network))
    found = receipt_of(order)
    assert (found.card_network, found.card_last_four) == (name, digits)


def test_what_was_chosen_in_the_sheet_stands_for_the_orders_own_extras(
    order: PaymentOrder, customer: Customer
) -> None:
    customer.pay(order)
    lines = [["Mug", "LINE_ITEM", "23.80"], ["Express", "LINE_ITEM", "9.90"], ["SAVE", "LINE_ITEM", "-2.00"]]
    Payment.objects.update(amount_minor=3170)
    WalletAttempt.objects.update(price={"total": 3170, "lines": lines})
    found = receipt_of(order)
    assert str(found.total) == "31.70 EUR"
    assert [(extra.label, str(extra.amount), extra.is_deduction) for extra in found.extras] == [
        ("Express", "9.90 EUR", False),
        ("SAVE", "2.00 EUR", True),
    ]
    assert found.tax is None, "the tax of the order's own total"


def test_nothing_but_sums_is_left_after_the_data_was_erased(
    order: PaymentOrder, customer: Customer, wallet_sandbox: SandboxControl
) -> None:
    customer.pay(order)
    given: dict[str, Any] = {"by": "anna", "reason": "she asked for it"}
    payments.maintenance.erase_customer(payments.get_order("R-1"), **given)
    found = receipt_of(order)
    assert (found.lines, found.card_last_four, str(found.total)) == ((), "", "27.70 EUR")
