"""A person may say that it happened only where the gateway has said so, of our amount and currency."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.money.gateway import answering, record
from tests.money.shop import (
    Shop,
    book_gateways_amount,
    euros,
    of,
    open_differences,
    order_of,
    reloaded,
    state,
    totals,
)
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment

pytestmark = pytest.mark.django_db


def _say_it_happened(transaction: GatewayTransaction) -> GatewayTransaction:
    transaction.refresh_from_db()
    return payments.approvals.resolve(transaction, decision="DID_HAPPEN", reason="said so", by="anna")


def _is_refused(transaction: GatewayTransaction) -> None:
    before = state(transaction.payment) if transaction.payment else None
    with pytest.raises(payments.errors.InvalidState) as refused:
        _say_it_happened(transaction)
    assert str(refused.value), "the reason"
    if transaction.payment is not None:
        assert state(transaction.payment) == before
        assert not OutboxEvent.objects.filter(kind="PAID").exists()
        assert totals(transaction.payment)[0] == euros("0.00")


# Where nothing says approved


NEVER_APPROVED: list[Any] = [
    pytest.param([{"state": "Errored"}], id="errored"),
    pytest.param([{"state": "Pending"}], id="pending"),
    pytest.param([{"state": "Pending", "id": "x" * 200}], id="pending with a long id"),
    pytest.param([{"state": "Settled"}], id="a word that is not known"),
    pytest.param([{"state": "Settled", "id": "x" * 200}], id="a word that is not known, with a long id"),
    pytest.param([], id="no record"),
    pytest.param([{"clientSystemTransactionId": "SOMEBODY-ELSE"}], id="approved of another reference"),
    pytest.param([{"type": "ecom.preAuthorization"}], id="approved of another opening type"),
    pytest.param([{"type": "chargeback"}], id="approved of a type that is not known"),
    pytest.param([{"transactionAmount": None}], id="approved without a readable amount"),
]


@pytest.mark.parametrize("records", NEVER_APPROVED)
def test_a_payment_of_which_nothing_says_approved_is_not_made_paid_by_a_person(
    records: list[dict[str, Any]], shop: Shop
) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, *[record(payment.reference, **fields) for fields in records])
    _is_refused(payment.opening)


@pytest.mark.parametrize(
    ("before", "records"),
    [
        ("PENDING", [{"state": "Errored"}]),
        ("PENDING", []),
        ("PENDING", [{"state": "Settled", "id": "x" * 200}]),
        ("UNKNOWN", [{"state": "Pending", "transactionAmount": 17}]),
        ("UNKNOWN", [{"clientSystemTransactionId": "SOMEBODY-ELSE"}]),
    ],
)
def test_a_contradiction_of_which_nothing_says_approved_is_not_made_paid_either(
    before: str, records: list[dict[str, Any]], shop: Shop
) -> None:
    if before == "UNKNOWN":
        shop.gateway.answers.append(lambda _: (500, {}))
        payment = shop.press_button(shop.order())
    else:
        payment = shop.begin()
        shop.report_and_ask(payment, record(payment.reference, state="Pending"))
    _left_contradictory(payment, shop.clock.now())
    shop.report_and_ask(payment, *[record(payment.reference, **fields) for fields in records])
    _is_refused(payment.opening)

    payments.approvals.resolve(payment.opening, decision="DID_NOT_HAPPEN", reason="looked", by="anna")
    assert state(payment)[1], "what remains: it did not happen, and can be paid again"


def _left_contradictory(payment: Payment, now: datetime) -> None:
    mine = payment.transactions.get()
    Discrepancy.objects.create(
        kind="RECORD_TAKEN",
        gateway="default",
        payment=payment,
        transaction=mine,
        fingerprint=f"{mine.pk}:RECORD_TAKEN",
        is_freezing=True,
        found_at=now,
    )
    GatewayTransaction.objects.filter(pk=mine.pk).update(
        state="ANOMALY", outstanding_key=None, state_changed_at=now
    )
    type(payment).objects.filter(pk=payment.pk).update(is_frozen=True, state="FROZEN")
    type(payment.order).objects.filter(pk=payment.order_id).update(state="FROZEN")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        pytest.param("CAPTURE", {"state": "Pending"}, id="pending"),
        pytest.param("REFUND", {"state": "Executed"}, id="a word that is not known"),
        pytest.param("REVERSAL", {"type": "chargeback"}, id="approved of a type that is not known"),
        pytest.param("REFUND", None, id="no record"),
    ],
)
def test_a_follow_up_of_which_nothing_says_approved_is_not_made_so_by_a_person(
    kind: str, fields: dict[str, Any] | None, shop: Shop
) -> None:
    payment = shop.pay(type="sale" if kind == "REFUND" else "preauthorization")
    operate = {"CAPTURE": payments.capture, "REFUND": payments.refund, "REVERSAL": payments.reverse}[kind]
    lost = shop.lose_answer(operate, order_of(payment))
    shop.report(lost, *([] if fields is None else [of(lost, **fields)]))
    shop.days(5)
    lost.refresh_from_db()
    with pytest.raises(payments.errors.InvalidState):
        _say_it_happened(lost)
    assert reloaded(lost).approved_minor is None


# Where something says approved


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"id": "x" * 200}, id="with an id too long to keep"),
        pytest.param({"id": "0"}, id="with a placeholder id"),
        pytest.param({"id": "R-2", "type": "ECOM.SALE", "state": "APPROVED"}, id="twice, in other letters"),
    ],
)
def test_an_approved_record_of_our_own_amount_may_be_accepted(fields: dict[str, Any], shop: Shop) -> None:
    payment = shop.begin()
    both = [record(payment.reference)] if fields["id"] == "R-2" else []
    shop.report_and_ask(payment, *both, record(payment.reference, **fields))
    assert state(payment) == ("FROZEN", False)
    _say_it_happened(payment.opening)
    assert state(payment) == ("PAID", False)
    assert totals(payment)[0] == euros("30.00")


def test_what_the_answer_to_our_own_request_said_may_be_accepted(shop: Shop) -> None:
    first = shop.press_button(shop.order())
    assert first.opening.state == "APPROVED"
    shop.gateway.answers.append(answering(id=first.opening.record_id))
    second = shop.press_button(shop.order())
    assert reloaded(second).opening.state == "ANOMALY", "its id is the other customer's"
    _say_it_happened(second.opening)
    assert state(second) == ("PAID", False)


# Another amount or currency never pays


OTHER: list[Any] = [
    pytest.param("sale", {"transactionAmount": 29.99}, id="a cent less"),
    pytest.param("preauthorization", {"transactionAmount": 30.01}, id="a cent more"),
    pytest.param("sale", {"transactionAmount": 3000}, id="in minor units"),
    pytest.param("preauthorization", {"transactionAmount": 0}, id="nothing"),
    pytest.param("sale", {"currencyCode": "USD"}, id="another currency"),
    pytest.param("preauthorization", {"currencyCode": "JPY"}, id="a currency without decimals"),
]


@pytest.mark.parametrize(("type_", "other"), OTHER)
def test_an_order_is_never_paid_by_another_amount_or_currency(
    type_: str, other: dict[str, Any], shop: Shop
) -> None:
    payment = shop.begin(type=type_)
    wire = {"sale": "ecom.sale", "preauthorization": "ecom.preauthorization"}[type_]
    shop.report_and_ask(payment, record(payment.reference, type=wire, **other))
    assert state(payment) == ("FROZEN", False)
    _is_refused(payment.opening)
    for difference in open_differences(payment):
        with pytest.raises(payments.errors.InvalidState):
            book_gateways_amount(difference)
    assert state(payment) == ("FROZEN", False)


def test_closing_the_difference_does_not_open_a_way_around_it(shop: Shop) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference, transactionAmount=25))
    (difference,) = open_differences(payment)
    payments.approvals.close_discrepancy(difference, reason="looked", by="anna")
    _is_refused(payment.opening)
