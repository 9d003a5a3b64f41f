"""What a customer is given who asks what is held about them: all of it, nothing of others, no secret."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.models.rows import a_payment, a_transaction, a_wallet_attempt
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.queries.customer_data import customer_data
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
ADDRESS = {
    "street": "St James's Square",
    "house_number": "12",
    "city": "London",
    "zip_postal_code": "SW1Y 4JH",
    "country_code": "GBR",
}


def create(reference: str, email: str = "Ada@Example.com", **given: Any) -> PaymentOrder:
    return payments.create_order(
        reference=reference,
        currency="EUR",
        amount=Decimal("20.00"),
        cardholder_email=email,
        metadata={"newsletter": "yes"},
        **given,
    )


def test_an_order_is_told_with_its_customer_payments_messages_and_signals(
    wallet_sandbox: SandboxControl,
) -> None:
    order = create("A-1", billing_address=ADDRESS, cardholder_first_name="Ada")
    create("B-1", email="bob@example.com")
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    payments.reconcile(order)
    payments.refund(order, Decimal("5.00"), by="anna the clerk", comment="one was broken")

    data = json.loads(json.dumps(customer_data("ada@example.com")))

    (told,) = data["orders"]
    assert (told["reference"], told["state"], told["amount"]) == ("A-1", "PART_REFUNDED", "20.00")
    assert told["content"]["addressDetails"]["billingAddress"]["city"] == "London"
    assert told["content"]["checkoutDetails"]["cardholderEmail"] == "Ada@Example.com"
    assert told["metadata"] == {"newsletter": "yes"}
    (payment,) = told["payments"]
    assert (payment["captured"], payment["refunded"]) == ("20.00", "5.00")
    assert [one["kind"] for one in payment["transactions"]] == ["CHECKOUT", "REFUND"]
    assert payment["transactions"][1]["comment"] == "one was broken"
    assert payment["transactions"][0]["events"][0]["answer"], "the messages are there"
    assert [one["kind"] for one in told["signals"]] == ["PAID", "REFUNDED"]
    written = json.dumps(data)
    for secret in (order.token, "sandbox-user", "anna the clerk", "bob@"):
        assert secret not in written, secret


def test_an_address_that_looks_alike_to_a_database_is_another_customers() -> None:
    for number, email in enumerate(("\u0131i@example.com", "jos\u00e9@example.com", "a_b@example.com")):
        create(f"A-{number}", email=email)
    alike = "ii@example.com", "Ii@example.com", "jose@example.com", "axb@example.com", "a%b@example.com"
    for asked in (*alike, "a_b@example.com\0", "\0", "a_b@example.com\ud800"):
        assert customer_data(asked)["orders"] == [], asked
    for asked in ("\u0131I@EXAMPLE.com", "jos\u00e9@EXAMPLE.com", "A_B@example.com"):
        assert len(customer_data(asked)["orders"]) == 1, asked


def test_an_address_is_found_in_any_letter_case_and_wherever_it_was_given() -> None:
    create("A-1")
    create("A-2", email="x@example.com", shipping_address={"email": "ADA@example.com"})
    by_wallet = create("A-3", email="x@example.com")
    transaction = a_transaction(a_payment(by_wallet), kind="AUTHORIZATION", state="REJECTED")
    a_wallet_attempt(transaction, given={"email": "ada@EXAMPLE.com"}, session_hash="s" * 64)
    create("A-4", email="ada@example.com.evil.example")

    data = customer_data(" ada@example.com ")

    assert [order["reference"] for order in data["orders"]] == ["A-1", "A-2", "A-3"]
    told = data["orders"][2]["payments"][0]["transactions"][0]["wallet"]
    assert told["given"] == {"email": "ada@EXAMPLE.com"}
    assert "s" * 64 not in json.dumps(data)


def test_who_is_only_sent_the_goods_is_told_the_address_and_nothing_of_the_buyer() -> None:
    order = create(
        "A-1", email="bob@example.com", shipping_address={"email": "ada@example.com", "city": "Ely"}
    )

    (told,) = customer_data("ADA@example.com")["orders"]

    assert told.pop("shippingAddress") == {"email": "ada@example.com", "city": "Ely"}
    assert set(told) == {"reference", "orderNumber", "createdAt"}
    (of_buyer,) = customer_data("bob@example.com")["orders"]
    assert of_buyer["content"]["addressDetails"] == order.content["addressDetails"]


def test_what_was_erased_is_not_told_and_an_empty_address_is_nobodys() -> None:
    order = create("A-1")
    payments.maintenance.erase_customer(order, by="anna", reason="asked")
    assert customer_data("ada@example.com")["orders"] == []
    assert order.metadata == {}
    create("A-2", email="bob@example.com")
    assert customer_data("  ") == {"email": "", "orders": []}
