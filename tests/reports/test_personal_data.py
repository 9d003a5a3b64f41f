"""What customers are given who ask what is held of them, and what support is given: nothing of a person."""

from __future__ import annotations

import io
import json
import zipfile
from decimal import Decimal
from typing import Any

import pytest

from tests.models.rows import NOW, a_payment, a_transaction, a_wallet_attempt, an_approval, an_order
from tests.support.explanations import commented
from tests.support.refusals import refuses
from tests.support.shop import Shop, order_of
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, OutboxEvent, PaymentOrder, TransactionEvent
from wallet_gateway.payments.orders import customer_data

pytestmark = pytest.mark.django_db
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


def found(email: str) -> list[str]:
    """Return the orders of a customer as the person and as the eraser are told them."""
    of_customer = [order["reference"] for order in customer_data(email)["orders"]]
    assert [order.reference for order in payments.maintenance.orders_of(email=email)] == of_customer
    return of_customer


def test_an_order_is_told_with_its_customer_payments_messages_and_signals(shop: Shop) -> None:
    given = {"billing_address": ADDRESS, "cardholder_first_name": "Ada", "metadata": {"newsletter": "yes"}}
    order = order_of(shop.pay(cardholder_email="Ada@Example.com", **given))
    create("B-1", email="bob@example.com")
    payments.refund(order, Decimal("5.00"), by="anna the clerk", comment="one was broken")

    data = json.loads(json.dumps(customer_data("ada@example.com")))

    (told,) = data["orders"]
    assert (told["reference"], told["state"], told["amount"]) == ("S-1", "PART_REFUNDED", "30.00")
    assert told["content"]["addressDetails"]["billingAddress"]["city"] == "London"
    assert told["content"]["checkoutDetails"]["cardholderEmail"] == "Ada@Example.com"
    assert told["metadata"] == {"newsletter": "yes"}
    (payment,) = told["payments"]
    assert (payment["captured"], payment["refunded"], payment["refundReserved"]) == ("30.00", "5.00", "0.00")
    assert [one["kind"] for one in payment["transactions"]] == ["CHECKOUT", "REFUND"]
    refund = payment["transactions"][1]
    assert (refund["comment"], refund["approvedAmount"]) == ("one was broken", "5.00")
    assert refund["createdAt"].endswith("+00:00")
    assert payment["transactions"][0]["events"][0]["answer"], "the messages are there"
    assert [one["kind"] for one in told["signals"]] == ["PAID", "REFUNDED"]
    written = json.dumps(data)
    for secret in (order.token, "sandbox-user", "anna the clerk", "bob@"):
        assert secret not in written, secret


@pytest.mark.every_database
def test_an_address_that_looks_alike_to_a_database_is_another_customers() -> None:
    for number, email in enumerate(("\u0131i@example.com", "jos\u00e9@example.com", "a_b@example.com")):
        create(f"A-{number}", email=email)
    alike = "ii@example.com", "Ii@example.com", "jose@example.com", "axb@example.com", "a%b@example.com"
    for asked in (*alike, "a_b@example.com\0", "\0", "a_b@example.com\ud800"):
        assert customer_data(asked)["orders"] == [], asked
    for asked in ("\u0131I@EXAMPLE.com", "jos\u00e9@EXAMPLE.com", "A_B@example.com"):
        assert len(found(asked)) == 1, asked


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("asked", "written"),
    [
        (" ada@example.com ", ("Ada@Example.com", "ADA@example.com", "ada@EXAMPLE.com")),
        (
            "j\u00fcrgen@example.com",
            ("J\u00dcRGEN@example.com", "j\u00fcrgen@EXAMPLE.com", "Ju\u0308rgen@example.com"),
        ),
        (
            "J\u00dcRGEN@EXAMPLE.COM",
            ("J\u00dcRGEN@example.com", "j\u00fcrgen@EXAMPLE.com", "Ju\u0308rgen@example.com"),
        ),
    ],
)
def test_an_address_is_found_in_any_letter_case_and_wherever_it_was_given(
    asked: str, written: tuple[str, str, str]
) -> None:
    by_shop, shipped, by_wallet = written
    create("A-1", email=by_shop)
    create("A-2", email="x@example.com", shipping_address={"email": shipped})
    order = create("A-3", email="x@example.com")
    transaction = a_transaction(a_payment(order), kind="AUTHORIZATION", state="REJECTED")
    a_wallet_attempt(transaction, given={"email": by_wallet}, session_hash="s" * 64)
    create("A-4", email="ada@example.com.evil.example")
    create("A-5", email="jurgen@example.com")

    data = customer_data(asked)

    assert [one["reference"] for one in data["orders"]] == ["A-1", "A-2", "A-3"]
    told = data["orders"][2]["payments"][0]["transactions"][0]["wallet"]
    assert told["given"] == {"email": by_wallet}
    assert "s" * 64 not in json.dumps(data)
    assert found(asked.strip()) == ["A-1", "A-2", "A-3"]


def test_a_gateway_tells_of_its_own_orders_only() -> None:
    content = {"checkoutDetails": {"cardholderEmail": "ada@example.com"}}
    an_order(reference="A-1", content=content)
    of_tenant = an_order(reference="A-1", gateway="tenant-7", numbering="tenant-7", content=content)
    told = [order["gateway"] for order in customer_data("ada@example.com")["orders"]]
    assert told == ["default", "tenant-7"]
    (told,) = customer_data("ada@example.com", gateway="tenant-7")["orders"]
    assert told["gateway"] == "tenant-7"
    maintenance = payments.maintenance
    assert maintenance.orders_of(references=["A-1"], gateway="tenant-7") == (of_tenant,)
    assert maintenance.orders_of(email="ada@example.com", gateway="tenant-7") == (of_tenant,)
    assert maintenance.orders_of(references=["A-1"], gateway="x\0") == ()
    with refuses(payments.errors.InvalidInput, payments.errors.ErrorCode.AMBIGUOUS_REFERENCE):
        maintenance.orders_of(references=["A-1"])


def test_who_is_only_sent_the_goods_is_told_the_address_and_nothing_of_the_buyer() -> None:
    to = {"email": "ada@example.com", "city": "Ely"}
    order = create("A-1", email="bob@example.com", shipping_address=to)

    (told,) = customer_data("ADA@example.com")["orders"]

    assert told.pop("shippingAddress") == to
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


# What support is given

PERSONAL = ("Lovelace", "ada@", "Anna", "Main Street", "ticket 4711", "SECRET-KEY", "OTHER")


@pytest.fixture
def order(db: None) -> PaymentOrder:
    """An order into every text of which something personal was written."""
    order = an_order(
        reference="R-1",
        content={"checkoutDetails": {"cardholderLastName": "Lovelace", "cardholderEmail": "ada@example.com"}},
        order_number="Lovelace 1",
    )
    transaction = a_transaction(
        a_payment(order),
        request_body='{"amount":"5.00","cardholderLastName":"Lovelace",'
        '"itemDetails":[{"productName":"Main Street"}]}',
        created_by="Anna",
        comment="Anna said ticket 4711",
        **commented("Anna: ticket 4711"),
    )
    answer = (
        '{"state":"Approved","apiKey":"SECRET-KEY","ApmDetails":{"Amount":5.00,"street":"Main Street"},'
        '"Lovelace":{"state":"Errored","ada@example.com":1}}'
    )
    given: dict[str, Any] = {"transaction": transaction, "state_after": "APPROVED", "occurred_at": NOW}
    TransactionEvent.objects.create(
        kind="ANSWER", lifecycle_event="APPROVED", http_status=200, answer_body=answer, **given
    )
    TransactionEvent.objects.create(
        kind="DECISION",
        created_by="Anna",
        answer_body="Lovelace <ada@example.com>",
        **commented("Anna: ticket 4711"),
        **given,
    )
    Discrepancy.objects.create(
        kind="MADE_ELSEWHERE",
        gateway="default",
        payment=transaction.payment,
        fingerprint="f",
        found_at=NOW,
        closed_by="Anna",
        reason="ticket 4711",
    )
    an_approval(payment=transaction.payment, created_by="Anna", comment="Anna: ticket 4711")
    OutboxEvent.objects.create(
        kind="PAID", order=order, transaction=transaction, currency="EUR", occurred_at=NOW
    )
    a_transaction(a_payment(an_order()), reference="OTHER")
    return order


def test_everything_that_helps_is_in_the_bundle_and_nothing_of_a_person_or_of_another_order(
    order: PaymentOrder,
) -> None:
    with zipfile.ZipFile(io.BytesIO(payments.maintenance.support_bundle(order))) as archive:
        assert archive.testzip() is None
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert [word for word in PERSONAL if word in str(texts)] == []
    files = {name: json.loads(text) for name, text in texts.items() if name.endswith("json")}
    assert files["order.json"]["reference"] == "R-1"
    assert {"token", "email_hash", "order_number", "content", "id"}.isdisjoint(files["order.json"])
    (transaction,) = files["transactions.json"]
    assert {"late_payment", "version", "released_at"} < set(files["order.json"])
    assert {"reversal", "captured", "is_frozen"} < set(files["payments.json"][0])
    assert {"event_id", "kind", "attempts", "last_error"} < set(files["outbox.json"][0])
    assert {"state", "gateway", "record_id", "attempt_no", "needs_operator", "next_query_at"} < set(
        transaction
    )
    assert transaction["request"] == {
        "amount": "5.00",
        "cardholderLastName": "[left out]",
        "itemDetails": [{"productName": "[left out]"}],
    }
    answer, decision = files["events.json"]
    assert answer["answer"]["state"] == "Approved"
    assert answer["answer"]["ApmDetails"] == {"Amount": "5.00", "street": "[left out]"}
    assert answer["answer"]["[name 4]"] == {"state": "Errored", "[name 2]": "[left out]"}
    assert (answer["by_person"], decision["by_person"]) == (False, True)
    assert decision["answer"] == "[26 characters that are no JSON]"
    assert files["discrepancies.json"][0]["kind"] == "MADE_ELSEWHERE"
    assert files["approvals.json"][0]["kind"] == "REFUND"
    assert files["outbox.json"][0]["kind"] == "PAID"
    assert set(files["versions.json"]) == {"wallet_gateway", "django", "python", "database"}
