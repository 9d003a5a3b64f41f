"""What was done in the provider's portal, under a reference that the gateway has made."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.money.gateway import Record, record
from tests.money.shop import (
    Shop,
    compared,
    doctors_words,
    euros,
    kinds,
    news,
    of,
    open_differences,
    order_of,
    state,
    totals,
)
from wallet_gateway import payments
from wallet_gateway.models import Payment
from wallet_gateway.payments.errors import InvalidState

pytestmark = pytest.mark.django_db
TEN = Decimal("10.00")


def _portal(reference: str = "GW-PORTAL-77", **fields: Any) -> Record:
    return record(reference, id="PORTAL-1", type="ecom.refund", transactionAmount=10) | fields


def _appears(shop: Shop, payment: Payment, *portal: Record) -> None:
    shop.gateway.records[payment.reference].extend(portal)
    shop.ask(payment)


@pytest.mark.parametrize(
    ("fields", "after"),
    [
        pytest.param({}, "PART_REFUNDED", id="a refund"),
        pytest.param({"type": "ecom.capture"}, "PART_CAPTURED", id="a capture"),
        pytest.param(
            {"type": "ecom.reversalPreauthorization", "transactionAmount": 30}, "REVERSED", id="a reversal"
        ),
        pytest.param({"type": "ECOM.REFUND", "state": "APPROVED"}, "PART_REFUNDED", id="in other letters"),
    ],
)
def test_an_approved_operation_is_a_difference_that_freezes_and_can_be_booked_once(
    fields: dict[str, Any], after: str, shop: Shop
) -> None:
    payment = shop.pay(type="sale" if after == "PART_REFUNDED" else "preauthorization")
    _appears(shop, payment, _portal(**fields))
    (line,) = [line for line in compared().splitlines() if "made elsewhere:" in line]
    assert payment.reference in line
    (difference,) = open_differences(payment)
    assert (difference.kind, state(payment)[0]) == ("MADE_ELSEWHERE", "FROZEN")
    assert "PORTAL-1" in str(difference.explanation)
    with pytest.raises(InvalidState):
        payments.refund(order_of(payment))
    # Closed, it stays closed, and can still be booked.
    payments.approvals.close_discrepancy(difference, reason="later", by="anna")
    shop.ask(payment)
    assert not open_differences()

    booked = payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    assert (booked.state, booked.origin, booked.record_id) == ("APPROVED", "ELSEWHERE", "PORTAL-1")
    with pytest.raises(InvalidState):
        payments.approvals.book_discrepancy(difference, reason="twice", by="anna")
    shop.ask(payment)
    assert (state(payment)[0], open_differences()) == (after, []), "it is counted once"


def test_beside_a_payment_that_was_made_twice_it_is_told_at_once(shop: Shop) -> None:
    payment = shop.begin()
    _appears(shop, payment, *(record(payment.reference, id=one) for one in ("R-1", "R-2")), _portal())
    assert kinds(payment) == {"EXECUTED_TWICE", "MADE_ELSEWHERE"}
    assert state(payment) == ("FROZEN", False)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"state": "Errored"}, id="errored"),
        pytest.param({"type": "ecom.sale"}, id="a sale of somebody else"),
        pytest.param({"type": "detached.refund"}, id="a detached refund of somebody else"),
    ],
)
def test_what_others_did_is_ignored(fields: dict[str, Any], shop: Shop) -> None:
    payment = shop.pay()
    _appears(shop, payment, _portal(**fields))
    assert not open_differences()
    assert not news()
    assert state(payment) == ("PAID", False)


@pytest.mark.parametrize(
    "whose", ["another payment's", "an erased customer's", "a lost one", "a detached one"]
)
def test_what_we_requested_ourselves_is_no_difference(whose: str, shop: Shop) -> None:
    payment, other = shop.pay(), shop.pay()
    if whose == "lost":
        ours = shop.lose_answer(payments.refund, order_of(other), TEN)
    elif whose == "detached":
        ours = payments.refund_migrated("OLD-1", TEN, "EUR")
    else:
        ours = payments.refund(order_of(other), TEN)
    if whose == "an erased customer's":
        shop.days(1)
        payments.maintenance.erase_customer(order_of(other), by="anna", reason="asked for")
    _appears(shop, payment, of(ours, id=ours.record_id or "G-1"))
    assert "MADE_ELSEWHERE" not in kinds()
    assert state(payment)[0] == "PAID"


def test_a_booked_operation_is_attributed_by_its_id_and_type(shop: Shop) -> None:
    payment = shop.pay()
    _appears(shop, payment, _portal())
    (difference,) = open_differences(payment)
    payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    shop.gateway.records[payment.reference][-1]["clientSystemTransactionId"] = "RENAMED"
    shop.ask(payment)
    assert not open_differences(), "the same operation under another reference"
    _appears(shop, payment, _portal("GW-PORTAL-78", id="PORTAL-2"))
    assert kinds(payment) == {"MADE_ELSEWHERE"}


def test_the_policy_books_what_stands_under_our_reference_only(shop: Shop) -> None:
    shop.configure(BOOK_ELSEWHERE="book")
    ours, theirs = shop.pay(), shop.pay()
    _appears(shop, ours, _portal(ours.reference, id="PORTAL-2"))
    _appears(shop, theirs, _portal())
    assert (totals(ours)[1], state(ours)[0]) == (euros("10.00"), "PART_REFUNDED")
    assert (totals(theirs)[1], state(theirs)[0]) == (euros("0.00"), "FROZEN")
    assert kinds() == {"MADE_ELSEWHERE"}


# A list of everything


Appears = Callable[[Shop, Payment, Payment, Record], None]


def _at_once(shop: Shop, first: Payment, second: Payment, same: Record) -> None:
    for payment in (first, second):
        shop.gateway.records[payment.reference].append(same)
    shop.days(1)


def _one_after_the_other(shop: Shop, first: Payment, second: Payment, same: Record) -> None:
    _appears(shop, first, same)
    _appears(shop, second, same)


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("appears", "type_"),
    [(_at_once, "ecom.refund"), (_one_after_the_other, "ecom.capture")],
    ids=["at once", "one after the other"],
)
def test_the_same_record_about_two_payments_is_one_difference_of_the_gateway(
    appears: Appears, type_: str, shop: Shop
) -> None:
    first, second = shop.pay(), shop.pay()
    appears(shop, first, second, _portal(type=type_))
    (difference,) = open_differences()
    assert (difference.payment, difference.gateway) == (None, "default")
    assert "PORTAL-1" in str(difference.explanation)
    assert news()
    assert "two payments" in doctors_words()
    assert (state(first)[0], state(second)[0]) == ("PAID", "PAID")
    assert payments.refund(order_of(first), TEN).state == "APPROVED"

    _appears(shop, first, _portal("GW-PORTAL-9", id="PORTAL-9"))
    assert (state(first)[0], state(second)[0]) == ("FROZEN", "PAID")
    assert kinds(first) == {"MADE_ELSEWHERE"}, "another record of one of them still freezes it"
