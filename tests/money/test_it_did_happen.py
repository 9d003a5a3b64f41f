"""A person may say that it happened only where the gateway has said so, of our amount and currency."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.support.gateway import answering, record
from tests.support.shop import (
    OPERATIONS,
    Shop,
    book_gateways_amount,
    euros,
    kinds,
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


# A page: what the gateway has recorded, what follows, and whether a person may say that it is paid

LONG = "x" * 200
PAGES: dict[str, tuple[list[dict[str, Any]], str, str, bool | None]] = {
    "no record": ([], "OPEN", "", False),
    "errored": ([{"state": "Errored"}], "FAILED", "", False),
    "errored, in other letters": ([{"state": "errored"}], "FAILED", "", False),
    "pending": ([{"state": "Pending"}], "PENDING", "", False),
    "pending, with a long id": ([{"state": "PENDING", "id": LONG}], "PENDING", "", False),
    "an unknown word": ([{"state": "Settled"}], "PENDING", "", False),
    "an unknown word, with a long id": ([{"state": "Settled", "id": LONG}], "PENDING", "", False),
    # Approved, but not of this payment or amount.
    "another reference": ([{"clientSystemTransactionId": "ELSE"}], "OPEN", "", False),
    "another opening type": ([{"type": "ecom.preAuthorization"}], "FROZEN", "MADE_ELSEWHERE", False),
    "an unknown type": ([{"type": "chargeback"}], "OPEN", "UNKNOWN_TYPE", False),
    "no readable amount": ([{"transactionAmount": None}], "PENDING", "RECORD_UNREADABLE", False),
    "a cent less": ([{"transactionAmount": 29.99}], "FROZEN", "AMOUNT_DIFFERS", False),
    "a cent more, authorized": ([{"transactionAmount": 30.01}], "FROZEN", "AMOUNT_DIFFERS", False),
    "minor units": ([{"transactionAmount": 3000}], "FROZEN", "UNIT_MIX_UP", False),
    "nothing, authorized": ([{"transactionAmount": 0}], "FROZEN", "AMOUNT_DIFFERS", False),
    "another currency": ([{"currencyCode": "USD"}], "FROZEN", "CURRENCY_DIFFERS", False),
    "no decimals, authorized": ([{"currencyCode": "JPY"}], "FROZEN", "CURRENCY_DIFFERS", False),
    # Approved as it was asked for.
    "approved, in other letters": ([{"state": "aPPROVED"}], "PAID", "", None),
    "an id too long to keep": ([{"id": LONG}], "FROZEN", "RECORD_UNUSABLE", True),
    "a placeholder id": ([{"id": "0"}], "FROZEN", "RECORD_UNUSABLE", True),
    "twice": ([{}, {"id": "R-2", "type": "ECOM.SALE"}], "FROZEN", "EXECUTED_TWICE", True),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_paid_by_an_approval_of_our_amount_alone_even_at_a_persons_word(
    page: str, shop: Shop
) -> None:
    records, after, found, may_be_accepted = PAGES[page]
    is_authorization = page.endswith("authorized")
    own = {"type": "ecom.preAuthorization" if is_authorization else "ecom.sale"}
    payment = shop.begin(type="preauthorization" if is_authorization else "sale")
    shop.report_and_ask(payment, *[record(payment.reference, **own | fields) for fields in records])
    assert (state(payment), kinds(payment)) == ((after, after in {"OPEN", "FAILED"}), {found} - {""})
    if may_be_accepted is None:
        return
    if may_be_accepted:
        _say_it_happened(payment.opening)
        assert (state(payment), totals(payment)[0]) == (("PAID", False), euros("30.00"))
        return
    _is_refused(payment.opening)
    for difference in open_differences(payment):
        with pytest.raises(payments.errors.InvalidState):
            book_gateways_amount(difference)
    assert state(payment)[0] == after


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
    payment = shop.pay_for(kind)
    lost = shop.lose_answer(OPERATIONS[kind], order_of(payment))
    shop.report(lost, *([] if fields is None else [of(lost, **fields)]))
    shop.days(5)
    lost.refresh_from_db()
    with pytest.raises(payments.errors.InvalidState):
        _say_it_happened(lost)
    assert reloaded(lost).approved_minor is None


def test_what_the_answer_to_our_own_request_said_may_be_accepted(shop: Shop) -> None:
    first = shop.press_button(shop.order())
    assert first.opening.state == "APPROVED"
    shop.gateway.answers.append(answering(id=first.opening.record_id))
    second = shop.press_button(shop.order())
    assert reloaded(second).opening.state == "ANOMALY", "its id is the other customer's"
    _say_it_happened(second.opening)
    assert state(second) == ("PAID", False)


def test_closing_the_difference_does_not_open_a_way_around_it(shop: Shop) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference, transactionAmount=25))
    (difference,) = open_differences(payment)
    payments.approvals.close_discrepancy(difference, reason="looked", by="anna")
    _is_refused(payment.opening)
