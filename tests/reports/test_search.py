"""Finding rows by what a person has at hand in the admin's search, and only by ways that have an index."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.admin.pages import listed
from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, a_wallet_attempt, an_order
from tests.support.tables import every
from wallet_gateway.models import Discrepancy, OrderMetadata, PaymentOrder, TransactionEvent

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def found(client: Client, model: str, text: str) -> list[Any]:
    return listed(client, model, {"q": text})


@pytest.fixture
def story() -> dict[str, Any]:
    order = an_order(reference="A-1001", order_number="2026/77")
    OrderMetadata.objects.create(order=order, key="cart", value="CART-9")
    an_order(reference="B-2002", order_number="2026/78")
    payment = a_payment(order, reference="PAY-1")
    transaction = a_transaction(
        payment, reference="CAP-1", record_id="gw-555", provider_transaction_id="PRV-7"
    )
    a_transaction(gateway="elsewhere", record_id="gw-666")
    return {"order": order, "payment": payment, "transaction": transaction}


@every(
    ("text", "is_found"),
    [
        *(
            (name, True)
            for name in ("A-1001", "A-1", "2026/77", "PAY-1", "CAP-1", "gw-555", "PRV-7", "CART-9")
        ),
        # A part of a name that no index begins with, or of another order.
        *((part, False) for part in ("1001", "2026", "PAY", "gw-55", "gw-666", "PRV", "prv-7", "CART")),
        *((part, False) for part in ("%", "A_1001")),
    ],
)
def test_an_order_is_found_by_each_of_its_names_and_by_no_part_that_no_index_begins_with(
    story: dict[str, Any], admin_client: Client, text: str, is_found: bool
) -> None:
    assert found(admin_client, "paymentorder", text) == [story["order"]] * is_found


@every("text", ["CAP", "gw-555", "PRV-7", "A-1001"])
def test_a_transaction_is_found_by_its_reference_its_record_its_order_and_its_provider(
    story: dict[str, Any], admin_client: Client, text: str
) -> None:
    assert found(admin_client, "gatewaytransaction", text) == [story["transaction"]]


def test_evidence_and_differences_are_found_by_what_they_are_about(
    story: dict[str, Any], admin_client: Client
) -> None:
    seen = TransactionEvent.objects.create(
        transaction=story["transaction"], kind="ANSWER", state_after="APPROVED", occurred_at=NOW
    )
    difference = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", payment=story["payment"], fingerprint="f", found_at=NOW
    )
    assert found(admin_client, "transactionevent", "CAP-1") == [seen]
    assert found(admin_client, "discrepancy", "A-1001") == [difference]
    assert found(admin_client, "transactionevent", "B-2002") == []


def an_order_of(first: str, last: str, email: str, **columns: Any) -> PaymentOrder:
    details = {"cardholderFirstName": first, "cardholderLastName": last, "cardholderEmail": email}
    return an_order(content={"checkoutDetails": details}, **columns)


@pytest.fixture
def customers() -> dict[str, PaymentOrder]:
    """Three orders: of Grace, a present for Alan, and one whose customer only the wallet told."""
    of_grace = an_order_of("Grace", "Hopper", "Grace@Example.com")
    a_payment(of_grace, card_last_four="4242")
    recipient = {"firstName": "Alan", "lastName": "Turing", "email": "alan@b\u00fccher.example"}
    for_alan = an_order(content={"addressDetails": {"shippingAddress": recipient}})
    by_wallet = an_order()
    given = {"email": "Stra\u00dfe@example.com", "billingAddress": {"name": "S\u00f8ren Kierkegaard"}}
    a_wallet_attempt(a_transaction(a_payment(by_wallet), kind="AUTHORIZATION"), given=given)
    return {"grace": of_grace, "alan": for_alan, "soren": by_wallet, "": an_order()}


@every(
    ("who", "text"),
    [
        ("grace", "GRACE@example.com"),
        ("grace", "grace\u200b@example\u3002com"),
        ("grace", "4242"),
        ("grace", "hop"),
        ("grace", "grace hop"),
        ("alan", "alan@xn--bcher-kva.example"),
        ("alan", "Turing"),
        ("soren", "strasse@example.com"),
        ("soren", "s\u00d8REN k"),
        *(("", part) for part in ("grace@example.co", "race@example.com", "@", "@example.com")),
        *(("", part) for part in ("242", "42424", "opper", "%", "G")),
    ],
)
def test_an_order_is_found_by_its_customer_and_not_by_a_part_of_an_address_or_of_a_card(
    customers: dict[str, PaymentOrder], admin_client: Client, who: str, text: str
) -> None:
    assert found(admin_client, "paymentorder", text) == ([customers[who]] if who else [])


def test_names_and_digits_are_looked_for_in_the_newest_orders_and_addresses_in_all(
    admin_client: Client,
) -> None:
    order = an_order_of("Grace", "Hopper", "grace@example.com")
    a_payment(order, card_last_four="4242")
    newest = an_order()
    for before, is_found in ((9_999, True), (10_000, False)):
        PaymentOrder.objects.filter(pk=newest.pk).delete()
        newest = an_order(id=order.pk + before)
        for text in ("4242", "hopper"):
            assert found(admin_client, "paymentorder", text) == [order] * is_found, (before, text)
    assert found(admin_client, "paymentorder", "grace@example.com") == [order]


@every(
    ("text", "is_found"),
    [
        *((text, True) for text in ("OLD-9", "OLD", "ch_3N%", "ch_3")),
        *((text, False) for text in ("%", "_", "old", "LD-9", "OLD%", "ch_3N_", "\\", "nothing", "FAR-1")),
    ],
)
def test_a_deposit_is_found_by_the_beginning_of_a_reference_in_which_wildcards_are_letters(
    admin_client: Client, text: str, is_found: bool
) -> None:
    a_deposit(parent_transaction_id="FAR-1", gateway="elsewhere")
    deposit = a_deposit(parent_transaction_id="OLD-9", provider_transaction_id="ch_3N%7")
    a_deposit(parent_transaction_id="NEW-9", provider_transaction_id="chx3N17")
    assert found(admin_client, "migrateddeposit", text) == [deposit] * is_found
    type(deposit).objects.all().delete()


def test_no_search_looks_inside_texts(story: dict[str, Any], admin_client: Client) -> None:
    with CaptureQueriesContext(connection) as asked:
        found(admin_client, "paymentorder", "A-1001")
    assert len(asked) <= 16
    assert not any("LIKE '%" in query["sql"] for query in asked)
