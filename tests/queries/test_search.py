"""Finding rows by what a person has at hand, and only by ways that have an index."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, a_wallet_attempt, an_order
from wallet_gateway.models import (
    Discrepancy,
    OrderMetadata,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.queries import search
from wallet_gateway.queries.search import (
    deposits_found,
    discrepancies_found,
    events_found,
    orders_found,
    orders_found_with_customer,
    transactions_found,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

HERE = ("default",)


@pytest.fixture
def story() -> dict[str, Any]:
    order = an_order(reference="A-1001", order_number="2026/77")
    OrderMetadata.objects.create(order=order, key="cart", value="CART-9")
    an_order(reference="B-2002", order_number="2026/78")
    payment = a_payment(order, reference="PAY-1")
    transaction = a_transaction(
        payment, reference="CAP-1", record_id="gw-555", provider_transaction_id="PRV-7"
    )
    return {"order": order, "payment": payment, "transaction": transaction}


@pytest.mark.parametrize("text", ["A-1001", "A-1", "2026/77", "PAY-1", "CAP-1", "gw-555", "PRV-7", "CART-9"])
def test_an_order_is_found_by_each_of_its_names(story: dict[str, Any], text: str) -> None:
    assert list(orders_found(text, gateways=HERE)) == [story["order"]]


@pytest.mark.parametrize(
    "text", ["1001", "2026", "PAY", "gw-55", "PRV", "prv-7", "CART", "cart", "nothing", "%", "A_1001"]
)
def test_a_part_of_a_name_that_no_index_begins_with_finds_nothing(story: dict[str, Any], text: str) -> None:
    assert not orders_found(text, gateways=HERE)


def test_a_record_of_another_gateway_is_not_meant(story: dict[str, Any]) -> None:
    assert not orders_found("gw-555", gateways=("elsewhere",))


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
    return {"grace": of_grace, "alan": for_alan, "soren": by_wallet}


CUSTOMERS = [
    ("grace", "GRACE@example.com"),
    ("grace", "grace\u200b@example\u3002com"),
    ("grace", "4242"),
    ("grace", "hop"),
    ("grace", "grace hop"),
    ("alan", "alan@xn--bcher-kva.example"),
    ("alan", "Turing"),
    ("soren", "strasse@example.com"),
    ("soren", "s\u00d8REN k"),
]


@pytest.mark.parametrize(("who", "text"), CUSTOMERS)
def test_an_order_is_found_by_its_customer(customers: dict[str, PaymentOrder], who: str, text: str) -> None:
    assert list(orders_found_with_customer(text, gateways=HERE)) == [customers[who]]
    assert not orders_found(text, gateways=HERE), "who may not see customers does not find them"


@pytest.mark.parametrize(
    "text", ["grace@example.co", "race@example.com", "@", "@example.com", "242", "42424", "opper", "%", "G"]
)
def test_a_part_of_an_address_or_of_a_card_finds_nobody(
    customers: dict[str, PaymentOrder], text: str
) -> None:
    assert not orders_found_with_customer(text, gateways=HERE)


def test_names_and_digits_are_looked_for_in_the_newest_orders_and_addresses_in_all(
    customers: dict[str, PaymentOrder], monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest = customers["grace"].pk
    newest = PaymentOrder.objects.order_by("-pk").values_list("pk", flat=True)[0]
    for number, found in ((newest - oldest + 1, 1), (newest - oldest, 0)):
        monkeypatch.setattr(search, "_BEFORE_NEWEST", newest - number)
        for text in ("4242", "hopper"):
            assert len(orders_found_with_customer(text, gateways=HERE)) == found, (number, text)
    assert orders_found_with_customer("grace@example.com", gateways=HERE)


@pytest.mark.parametrize("text", ["CAP", "gw-555", "PRV-7", "A-1001"])
def test_a_transaction_is_found_by_its_reference_its_record_its_order_and_its_provider(
    story: dict[str, Any], text: str
) -> None:
    assert list(transactions_found(text, gateways=HERE)) == [story["transaction"]]


def test_evidence_and_differences_are_found_by_what_they_are_about(story: dict[str, Any]) -> None:
    seen = TransactionEvent.objects.create(
        transaction=story["transaction"], kind="ANSWER", state_after="APPROVED", occurred_at=NOW
    )
    found = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", payment=story["payment"], fingerprint="f", found_at=NOW
    )

    assert list(events_found("CAP-1", gateways=HERE)) == [seen]
    assert list(discrepancies_found("A-1001", gateways=HERE)) == [found]
    assert not events_found("B-2002", gateways=HERE)


@pytest.mark.parametrize("text", ["OLD-9", "OLD", "ch_3N%", "ch_3"])
def test_a_deposit_is_found_by_the_beginning_of_either_of_its_references(text: str) -> None:
    deposit = a_deposit(parent_transaction_id="OLD-9", provider_transaction_id="ch_3N%7")
    a_deposit(parent_transaction_id="NEW-9", provider_transaction_id="chx3N17")

    assert list(deposits_found(text, gateways=HERE)) == [deposit]
    assert not deposits_found(text, gateways=("elsewhere",))


@pytest.mark.parametrize("text", ["%", "_", "old", "LD-9", "OLD%", "ch_3N_", "\\", "nothing"])
def test_wildcards_are_letters_and_the_middle_of_a_reference_is_no_beginning(text: str) -> None:
    a_deposit(parent_transaction_id="OLD-9", provider_transaction_id="ch_3N%7")

    assert not deposits_found(text, gateways=HERE)


def test_no_search_joins_what_it_orders_or_looks_inside_texts(story: dict[str, Any]) -> None:
    with CaptureQueriesContext(connection) as asked:
        list(orders_found("A-1001", gateways=HERE))

    assert len(asked) == 8
    assert not any("LIKE '%" in query["sql"] for query in asked)
