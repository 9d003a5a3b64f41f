"""What is shown of an order: its money added up, its story in order of time, its receipt, its card."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import NOW, a_payment, a_transaction, a_wallet_attempt, an_approval, an_order
from tests.support.explanations import commented
from tests.support.shop import Shop, euros, order_of
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.payments.orders import TimelineEntry, order_timeline, receipt

pytestmark = pytest.mark.django_db


def reserved(shop: Shop) -> PaymentOrder:
    """Return an order of 30.00 EUR whose money is held."""
    return order_of(shop.pay(type="preauthorization"))


def told(order: PaymentOrder, *, everything: bool = False) -> list[str]:
    return [str(entry.text) for entry in order_timeline(order, everything=everything)]


# Its money


def test_an_order_is_added_up_to_the_cent_and_what_is_under_way_stands_apart(shop: Shop) -> None:
    order = reserved(shop)
    payments.capture(order, Decimal("20.00"))
    payments.refund(order, Decimal("7.50"))
    shop.lose_answer(payments.capture, order, Decimal("2.50"))

    summary = payments.order_summary(PaymentOrder.objects.get(pk=order.pk))

    assert summary.state == "PART_REFUNDED"
    assert (summary.amount, summary.authorized) == (euros("30.00"), euros("30.00"))
    assert (summary.captured, summary.refunded, summary.reserved) == tuple(
        map(euros, ("20.00", "7.50", "2.50"))
    )
    assert summary.open_attempt is None


# Its story


def test_the_story_is_told_from_the_order_to_the_refund(shop: Shop) -> None:
    order = reserved(shop)
    payments.capture(order, Decimal("20.00"), by="anna")
    payments.refund(order, Decimal("7.50"), reason_code="damaged", comment="a chip in the rim")

    story = order_timeline(order)

    assert [str(entry.text) for entry in story] == [
        "Order created",
        "Payment page requested",
        "Payment page opened",
        "Payment approved",
        "Capture requested",
        "Capture approved",
        "Refund requested",
        "Refund approved",
    ]
    assert story[0].kind == "ORDERED"
    assert story[-1].amount == euros("7.50")
    assert (story[-2].reason_code, story[-2].detail) == ("damaged", "a chip in the rim")
    assert story[-1].reason_code == ""
    assert [entry.occurred_at for entry in story] == sorted(entry.occurred_at for entry in story)


def test_staff_are_told_also_what_moved_nothing_who_did_it_and_by_which_row() -> None:
    order = an_order()
    payment = a_payment(order)
    capture = a_transaction(payment, created_by="anna")
    row = TransactionEvent.objects.create(
        transaction=capture, kind="RECORDS", state_after="APPROVED", occurred_at=NOW + timedelta(minutes=1)
    )
    asked = an_approval(payment=payment, created_by="bert", created_at=NOW + timedelta(minutes=2))
    found = Discrepancy.objects.create(
        kind="EXECUTED_TWICE",
        gateway="default",
        payment=payment,
        fingerprint="f",
        found_at=NOW + timedelta(minutes=3),
    )

    story = order_timeline(order, everything=True)

    assert "Gateway asked, nothing new" in [str(entry.text) for entry in story]
    subjects = [entry.subject for entry in story]
    assert subjects[-3:] == [row, asked, found]
    assert (story[-1].kind, story[-2].by) == ("DIFFERENCE", "bert")
    assert [entry.by for entry in story if entry.text == "Capture requested"] == ["anna"]
    assert not {row, asked, found} & {entry.subject for entry in order_timeline(order)}


@pytest.mark.parametrize(
    ("by", "kind", "text"),
    [("kim", "DECIDED", "Order cancelled"), ("", "UPDATED", "Order cancelled, the time to pay was over")],
)
def test_a_cancelled_order_says_by_whom_and_why(by: str, kind: str, text: str) -> None:
    order = an_order(
        state="CANCELLED",
        cancelled_at=NOW + timedelta(hours=1),
        cancelled_by=by,
        cancellation_note="sold out",
    )
    entry = order_timeline(order)[-1]
    assert (str(entry.text), entry.kind, entry.by, entry.detail) == (text, kind, by, "sold out")


@pytest.mark.every_database
def test_no_words_of_one_person_read_like_the_consent_of_a_second() -> None:
    order = an_order()
    transaction = a_transaction(a_payment(order), created_by="anna")
    words = "agreed to by a second person: looks fine"
    given: dict[str, Any] = {"transaction": transaction, "occurred_at": NOW}
    TransactionEvent.objects.create(
        kind="DECISION",
        lifecycle_event="ABANDONED",
        state_after="ABANDONED",
        created_by="anna",
        **commented(words),
        **given,
    )
    (entry,) = [entry for entry in order_timeline(order) if entry.detail == words]
    assert "second person" not in str(entry.text)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        TransactionEvent.objects.create(kind="APPROVAL", state_after="APPROVED", **given)


# Buttons that a page showed and nobody used


def a_button(order: PaymentOrder, *events: str, minutes: int = 0, **columns: Any) -> GatewayTransaction:
    at = NOW + timedelta(minutes=minutes)
    results = columns.pop("results_count", 0)
    given = {"kind": "AUTHORIZATION", "state": "AWAITING_RESULT", "created_at": at} | columns
    transaction = a_transaction(a_payment(order), **given)
    reports = [{"at": at.isoformat(), "event": event, "detail": ""} for event in events]
    a_wallet_attempt(transaction, events=reports, results_count=results)
    return transaction


def details(entries: tuple[TimelineEntry, ...]) -> list[tuple[str, str]]:
    return [(str(entry.text), entry.detail) for entry in entries[1:]]


def test_a_page_that_was_loaded_three_times_is_one_entry_at_the_last_of_them() -> None:
    order = an_order()
    for minutes, event in enumerate(("READY", "UNAVAILABLE", "READY")):
        button = a_button(order, event, minutes=minutes, state="EXPIRED")
        TransactionEvent.objects.create(
            transaction=button,
            kind="LEASE_ENDED",
            lifecycle_event="EXPIRED",
            state_after="EXPIRED",
            occurred_at=NOW + timedelta(hours=2),
        )

    entries = order_timeline(order, everything=True)

    words = "Wallet button shown (3 times, this is the last)"
    counted = "Wallet button ready: 2, Wallet not available in the browser: 1"
    assert details(entries) == [(words, counted)]
    assert (entries[1].occurred_at, entries[1].reference) == (NOW + timedelta(minutes=2), button.reference)
    assert details(order_timeline(order)) == [(words, "")]


def test_what_a_customer_did_with_a_button_is_told_beside_those_that_were_left_alone() -> None:
    order = an_order()
    a_button(order, "READY")
    a_button(order, "READY", "CLOSED", minutes=1)
    a_button(order, "READY", minutes=2)
    assert told(order)[1:] == [
        "Wallet button shown",
        "Wallet sheet closed",
        "Wallet button shown (2 times, this is the last)",
    ]


@every(
    ("columns", "is_idle"),
    [
        *((waiting, True) for waiting in ({}, {"state": "EXPIRED"})),
        *(({"state": state}, False) for state in ("ANOMALY", "SENDING", "REJECTED")),
        ({"results_count": 1}, False),
    ],
)
def test_only_buttons_that_nothing_came_of_are_told_together(columns: dict[str, Any], is_idle: bool) -> None:
    order = an_order()
    a_button(order, "READY")
    a_button(order, "READY", minutes=1, **columns)
    assert ("Wallet button shown (2 times, this is the last)" in told(order)) is is_idle


# Its receipt

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
def mugs(db: None) -> PaymentOrder:
    """An order of 27.70 EUR."""
    return payments.create_order(
        reference="R-1",
        currency="EUR",
        items=[MUG],
        shipping=POST,
        discounts=[SPRING],
        cardholder_email="ada@example.com",
        cardholder_last_name="Lovelace",
    )


def paid(
    order: PaymentOrder, *, kind: str = "AUTHORIZATION", minor: int = 2770, refunded: int = 0, **card: str
) -> GatewayTransaction:
    money = {"amount_minor": minor, "authorized": minor, "captured": minor, "refunded": refunded}
    payment = a_payment(order, state="PAID", **money, **card)
    return a_transaction(
        payment, kind=kind, state="APPROVED", reference=payment.reference, amount_minor=minor
    )


def receipt_of(order: PaymentOrder) -> payments.orders.Receipt:
    found = receipt(PaymentOrder.objects.get(pk=order.pk))
    assert found is not None
    return found


def test_an_order_that_nothing_was_approved_for_has_none(mugs: PaymentOrder) -> None:
    assert receipt(mugs) is None
    a_transaction(a_payment(mugs, state="FAILED"), kind="CHECKOUT", state="REJECTED")
    assert receipt(PaymentOrder.objects.get()) is None


def test_a_paid_order_lists_goods_sums_and_time_and_names_no_person(mugs: PaymentOrder) -> None:
    opening = paid(mugs, kind="CHECKOUT", refunded=500)
    found = receipt_of(mugs)

    assert [(line.name, line.quantity, str(line.amount)) for line in found.lines] == [("Mug", 2, "23.80 EUR")]
    assert [(extra.label, str(extra.amount), extra.is_deduction) for extra in found.extras] == [
        ("Post", "4.90 EUR", False),
        ("Spring", "1.00 EUR", True),
    ]
    assert (str(found.total), str(found.tax), str(found.refunded)) == ("27.70 EUR", "3.80 EUR", "5.00 EUR")
    assert found.approved_at == opening.approved_at
    assert (found.card_network, found.card_last_four) == ("", "")
    assert found.email == "a•••@example.com"
    assert "ada" not in repr(found)
    assert "Lovelace" not in repr(found)


def test_where_the_sheet_asked_for_an_address_it_is_the_sheets(mugs: PaymentOrder) -> None:
    mugs.content["addressDetails"] = {"shippingAddress": {"zipPostalCode": "20095", "city": "Hamburg"}}
    mugs.save()
    opening = paid(mugs)
    assert receipt_of(mugs).ships_to == "20095 Hamburg"
    sheet = {"email": "eve@example.com", "shippingAddress": {"postalCode": "8001", "locality": "Zürich"}}
    a_wallet_attempt(opening, given=sheet)
    found = receipt_of(mugs)
    assert (found.email, found.ships_to) == ("e•••@example.com", "8001 Zürich")


def test_a_card_is_named_as_its_network_writes_itself_until_the_data_are_erased(mugs: PaymentOrder) -> None:
    a_wallet_attempt(paid(mugs, card_network="AMEX", card_last_four="1111", card_type="Token"))
    found = receipt_of(mugs)
    assert (found.card_network, found.card_last_four) == ("American Express", "1111")
    PaymentOrder.objects.update(state="PAID")
    payments.maintenance.erase_customer(payments.get_order("R-1"), by="anna", reason="she asked for it")
    found = receipt_of(mugs)
    assert (found.lines, found.card_last_four, str(found.total)) == ((), "", "27.70 EUR")


@pytest.mark.parametrize("price", [True, False], ids=["chosen in the sheet", "no price is known"])
def test_what_was_chosen_in_the_sheet_stands_for_the_orders_own_extras(
    mugs: PaymentOrder, price: bool
) -> None:
    opening = paid(mugs, minor=3170)
    lines = [["Mug", "LINE_ITEM", "23.80"], ["Express", "LINE_ITEM", "9.90"], ["SAVE", "LINE_ITEM", "-2.00"]]
    if price:
        a_wallet_attempt(opening, price={"total": 3170, "lines": lines})
    found = receipt_of(mugs)
    assert str(found.total) == "31.70 EUR"
    extras = [(extra.label, str(extra.amount), extra.is_deduction) for extra in found.extras]
    assert extras == ([("Express", "9.90 EUR", False), ("SAVE", "2.00 EUR", True)] if price else [])
    assert found.tax is None, "the tax of the order's own total"


# What the wallet gave of the card that pays


def test_the_wallets_data_are_those_of_the_card_that_pays_and_of_no_other(mugs: PaymentOrder) -> None:
    address = {"name": "Ada", "address1": "Sample Street 12", "postalCode": "10115", "countryCode": "DE"}
    declined = a_transaction(a_payment(mugs, card_type="Card"), kind="AUTHORIZATION", state="REJECTED")
    a_wallet_attempt(declined, given={"email": "bob@example.com"})
    assert payments.wallet.receipt(mugs) is None
    card: dict[str, Any] = {"card_network": "VISA", "card_last_four": "1111", "card_type": "Token"}
    given = {"email": "ada@example.com", "billingAddress": address, "shippingAddress": address}
    price = {"total": 2770, "lines": [["Mug", "LINE_ITEM", "27.70"]]}
    a_wallet_attempt(paid(mugs, **card), given=given, price=price)

    found = payments.wallet.receipt(mugs)

    assert found is not None
    assert (found.card_network, found.card_last_four, found.is_tokenized) == ("VISA", "1111", True)
    assert found.amount == mugs.amount
    assert [str(amount) for _, amount in found.lines] == ["27.70"]
    assert found.email == "ada@example.com"
    assert found.billing_address["name"] == found.shipping_address["name"] == "Ada"
    assert "ada" not in repr(found).lower()
    Payment.objects.update(card_type="Card")
    plain = payments.wallet.receipt(mugs)
    assert plain is not None
    assert not plain.is_tokenized
