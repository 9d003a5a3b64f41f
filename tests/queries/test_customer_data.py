"""What a customer is given who asks what is held about them: all of it, nothing of others, no secret."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.models.rows import a_payment, a_transaction, a_wallet_attempt, an_order
from tests.refusals import refuses
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


def test_letters_beyond_ascii_are_folded_alike_on_every_database() -> None:
    create("A-1", email="J\u00dcRGEN@example.com")
    create("A-2", email="x@example.com", shipping_address={"email": "j\u00fcrgen@EXAMPLE.com"})
    by_wallet = create("A-3", email="x@example.com")
    transaction = a_transaction(a_payment(by_wallet), kind="AUTHORIZATION", state="REJECTED")
    a_wallet_attempt(transaction, given={"email": "Ju\u0308rgen@example.com"})
    create("A-4", email="jurgen@example.com")
    for asked in ("j\u00fcrgen@example.com", "J\u00dcRGEN@EXAMPLE.COM"):
        told = [order["reference"] for order in customer_data(asked)["orders"]]
        erased = [order.reference for order in payments.maintenance.orders_of(email=asked)]
        assert told == erased == ["A-1", "A-2", "A-3"]


def test_a_gateway_tells_of_its_own_orders_only() -> None:
    an_order(reference="A-1", content={"checkoutDetails": {"cardholderEmail": "ada@example.com"}})
    of_tenant = an_order(
        reference="A-1",
        gateway="tenant-7",
        numbering="tenant-7",
        content={"checkoutDetails": {"cardholderEmail": "ada@example.com"}},
    )
    told = [order["gateway"] for order in customer_data("ada@example.com")["orders"]]
    assert told == ["default", "tenant-7"]
    (told,) = payments.orders.customer_data("ada@example.com", gateway="tenant-7")["orders"]
    assert told["gateway"] == "tenant-7"
    maintenance = payments.maintenance
    assert maintenance.orders_of(references=["A-1"], gateway="tenant-7") == (of_tenant,)
    assert maintenance.orders_of(email="ada@example.com", gateway="tenant-7") == (of_tenant,)
    assert maintenance.orders_of(references=["A-1"], gateway="x\0") == ()
    with refuses(payments.errors.InvalidInput, payments.errors.ErrorCode.AMBIGUOUS_REFERENCE):
        maintenance.orders_of(references=["A-1"])


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
