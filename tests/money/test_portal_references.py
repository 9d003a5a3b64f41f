"""What was done in the provider's portal, under a reference that the gateway has made."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from tests.conf.test_settings import with_gateway
from tests.money.gateway import Record, record
from tests.money.shop import (
    Shop,
    compared,
    doctors_words,
    euros,
    kinds,
    news,
    open_differences,
    order_of,
    state,
    totals,
)
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.testing.plugin import WalletApplication

pytestmark = pytest.mark.django_db


def _portal(reference: str = "GW-PORTAL-77", **fields: Any) -> Record:
    return record(reference, id="PORTAL-1", type="ecom.refund", transactionAmount=10) | fields


def _appears(shop: Shop, payment: Payment, *portal: Record) -> None:
    shop.gateway.records[payment.reference].extend(portal)
    shop.days(2)


def _payment(shop: Shop, kind: str) -> Payment:
    return shop.pay(type="sale" if kind == "refund" else "preauthorization")


KINDS = [
    pytest.param("refund", {"type": "ecom.refund", "transactionAmount": 10}, id="a refund"),
    pytest.param("capture", {"type": "ecom.capture", "transactionAmount": 10}, id="a capture"),
    pytest.param(
        "reversal", {"type": "ecom.reversalPreauthorization", "transactionAmount": 30}, id="a reversal"
    ),
    pytest.param("refund", {"type": "ECOM.REFUND", "state": "APPROVED"}, id="a refund in other letters"),
]


@pytest.mark.parametrize(("kind", "fields"), KINDS)
def test_an_approved_operation_is_a_difference_that_freezes_and_can_be_booked(
    kind: str, fields: dict[str, Any], shop: Shop
) -> None:
    payment = _payment(shop, kind)
    _appears(shop, payment, _portal(**fields))
    (difference,) = open_differences(payment)
    assert difference.kind == "MADE_ELSEWHERE"
    assert "PORTAL-1" in str(difference.explanation)
    assert state(payment)[0] == "FROZEN"
    with pytest.raises(payments.errors.InvalidState):
        payments.refund(order_of(payment))

    booked = payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    assert (booked.state, booked.origin, booked.record_id) == ("APPROVED", "ELSEWHERE", "PORTAL-1")
    after = {"refund": "PART_REFUNDED", "capture": "PART_CAPTURED", "reversal": "REVERSED"}[kind]
    assert state(payment)[0] == after
    shop.days(3)
    assert not open_differences()
    assert state(payment)[0] == after, "it is counted once"


def test_nothing_is_given_back_twice_after_a_refund_in_the_portal(shop: Shop) -> None:
    payment = shop.pay()
    _appears(shop, payment, _portal(transactionAmount=30))
    with pytest.raises(payments.errors.InvalidState):
        payments.refund(order_of(payment))
    (difference,) = open_differences(payment)
    payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    assert totals(payment) == (euros("30.00"), euros("30.00"))
    with pytest.raises(payments.errors.InvalidState):
        payments.refund(order_of(payment))


@pytest.mark.parametrize(("kind", "fields"), KINDS)
def test_beside_a_payment_that_was_made_twice_it_is_told_at_once(
    kind: str, fields: dict[str, Any], shop: Shop
) -> None:
    payment = shop.begin(type="sale" if kind == "refund" else "preauthorization")
    opening = "ecom.sale" if kind == "refund" else "ecom.preAuthorization"
    shop.report(
        payment,
        record(payment.reference, type=opening),
        record(payment.reference, type=opening, id="R-2"),
        _portal(**fields),
    )
    shop.ask(payment)
    assert kinds(payment) == {"EXECUTED_TWICE", "MADE_ELSEWHERE"}
    assert state(payment) == ("FROZEN", False)


def test_the_command_names_it(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.records[payment.reference].append(_portal())
    (line,) = [line for line in compared().splitlines() if "made elsewhere:" in line]
    assert payment.reference in line


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"state": "Errored"}, id="errored"),
        pytest.param({"state": "errored"}, id="errored in other letters"),
        pytest.param({"type": "ecom.sale"}, id="a sale of somebody else"),
        pytest.param({"type": "ecom.preAuthorization"}, id="a reservation of somebody else"),
        pytest.param({"type": "detached.refund"}, id="a detached refund of somebody else"),
    ],
)
def test_what_others_did_is_ignored(fields: dict[str, Any], shop: Shop) -> None:
    payment = shop.pay()
    _appears(shop, payment, _portal(**fields))
    assert not open_differences()
    assert not news()
    assert state(payment) == ("PAID", False)


# What is ours


def test_a_refund_of_another_payment_of_ours_is_no_difference(shop: Shop) -> None:
    payment, other = shop.pay(), shop.pay()
    ours = payments.refund(order_of(other), Decimal("10.00"))
    _appears(shop, payment, *shop.gateway.records[ours.reference])
    assert not open_differences()


def test_a_refund_of_an_order_whose_customer_was_erased_is_no_difference(shop: Shop) -> None:
    payment, erased = shop.pay(), shop.pay()
    ours = payments.refund(order_of(erased), Decimal("10.00"))
    shop.days(2)
    payments.maintenance.erase_customer(order_of(erased), by="anna", reason="asked for")
    _appears(shop, payment, *shop.gateway.records[ours.reference])
    assert not open_differences()


def test_a_refund_of_ours_whose_outcome_is_unknown_is_no_difference(shop: Shop) -> None:
    payment, other = shop.pay(), shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(other), Decimal("10.00"))
    _appears(shop, payment, record(lost.reference, type="ecom.refund", transactionAmount=10))
    assert not [one for one in open_differences() if one.kind == "MADE_ELSEWHERE"]


def test_a_detached_refund_of_ours_is_no_difference(shop: Shop) -> None:
    payment = shop.pay()
    ours = payments.refund_migrated("OLD-1", Decimal("10.00"), "EUR")
    _appears(shop, payment, *shop.gateway.records[ours.reference])
    assert not open_differences()


def test_a_booked_operation_is_attributed_by_its_id_and_type(shop: Shop) -> None:
    payment = shop.pay()
    _appears(shop, payment, _portal())
    (difference,) = open_differences(payment)
    payments.approvals.book_discrepancy(difference, reason="by support", by="anna")
    shop.gateway.records[payment.reference][-1]["clientSystemTransactionId"] = "RENAMED"
    shop.days(2)
    assert not open_differences(), "the same operation under another reference"
    _appears(shop, payment, _portal("GW-PORTAL-78", id="PORTAL-2"))
    assert kinds(payment) == {"MADE_ELSEWHERE"}


# The policy that books


def test_the_policy_books_what_stands_under_our_reference_only(
    shop: Shop, settings: Settings, wallet_application: WalletApplication
) -> None:
    with_gateway(settings, BOOK_ELSEWHERE="book")
    wallet_application(shop.gateway)
    ours, theirs = shop.pay(), shop.pay()
    shop.gateway.records[ours.reference].append(_portal(ours.reference, id="PORTAL-2"))
    _appears(shop, theirs, _portal())
    assert totals(ours)[1] == euros("10.00")
    assert state(ours)[0] == "PART_REFUNDED"
    assert totals(theirs)[1] == euros("0.00")
    assert state(theirs)[0] == "FROZEN"
    assert kinds() == {"MADE_ELSEWHERE"}


# A list of everything


Sequence_ = Callable[[Shop, Payment, Payment, Record], None]


def _at_once(shop: Shop, first: Payment, second: Payment, same: Record) -> None:
    shop.gateway.records[first.reference].append(same)
    _appears(shop, second, same)


def _one_after_the_other(shop: Shop, first: Payment, second: Payment, same: Record) -> None:
    _appears(shop, first, same)
    _appears(shop, second, same)


@pytest.mark.parametrize(
    "appears",
    [
        pytest.param(_at_once, id="at once"),
        pytest.param(_one_after_the_other, id="one after the other"),
    ],
)
@pytest.mark.parametrize("type_", ["ecom.refund", "ecom.capture", "ecom.reversalPreauthorization"])
def test_the_same_record_about_two_payments_is_one_difference_of_the_gateway(
    type_: str, appears: Sequence_, shop: Shop
) -> None:
    first, second = shop.pay(), shop.pay()
    appears(shop, first, second, _portal(type=type_))
    shop.days(2)
    for payment in (first, second):
        payment.refresh_from_db()
        assert not payment.is_frozen
        assert state(payment) == ("PAID", False)
    (difference,) = open_differences()
    assert difference.payment is None
    assert difference.gateway == "default"
    assert "PORTAL-1" in str(difference.explanation)
    assert news()
    assert "two payments" in doctors_words()
    assert payments.refund(order_of(first), Decimal("10.00")).state == "APPROVED"


def test_another_record_of_one_of_them_still_freezes_it(shop: Shop) -> None:
    first, second = shop.pay(), shop.pay()
    _at_once(shop, first, second, _portal())
    _appears(shop, first, _portal("GW-PORTAL-9", id="PORTAL-9"))
    assert (state(first)[0], state(second)[0]) == ("FROZEN", "PAID")
    assert kinds(first) == {"MADE_ELSEWHERE"}


# Closed, and booked all the same


def test_a_closed_one_stays_closed_and_can_still_be_booked(shop: Shop) -> None:
    payment = shop.pay()
    _appears(shop, payment, _portal())
    (difference,) = open_differences(payment)
    payments.approvals.close_discrepancy(difference, reason="later", by="anna")
    shop.days(2)
    assert not open_differences()
    booked = payments.approvals.book_discrepancy(difference, reason="now", by="anna")
    assert isinstance(booked, GatewayTransaction)
    assert totals(payment)[1] == euros("10.00")
    with pytest.raises(payments.errors.InvalidState):
        payments.approvals.book_discrepancy(difference, reason="twice", by="anna")
    shop.days(2)
    assert totals(payment)[1] == euros("10.00")
