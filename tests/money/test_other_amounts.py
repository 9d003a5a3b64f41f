"""A capture or refund that the gateway carried out with another amount can be booked with that amount."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.gateway import answering, record
from tests.support.refusals import refuses
from tests.support.shop import (
    OPERATIONS,
    Shop,
    book_gateways_amount,
    compared,
    differences_by_comparison,
    euros,
    kinds,
    of,
    open_differences,
    order_of,
    state,
    totals,
)
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.payments.errors import ErrorCode, InvalidState

pytestmark = pytest.mark.django_db

operations = pytest.mark.parametrize("kind", ["CAPTURE", "REFUND"])


def _lost(
    shop: Shop, kind: str, asked: str, reported: str, **fields: Any
) -> tuple[Payment, GatewayTransaction]:
    """A capture or refund whose answer is lost, and whose record has another amount."""
    payment = shop.pay_for(kind)
    lost = shop.lose_answer(OPERATIONS[kind], order_of(payment), Decimal(asked))
    shop.report(lost, of(lost, transactionAmount=float(reported), **fields))
    shop.ask(payment)
    lost.refresh_from_db()
    assert lost.state == "ANOMALY"
    return payment, lost


def _booked(payment: Payment, kind: str) -> object:
    captured, refunded = totals(payment)
    return captured if kind == "CAPTURE" else refunded


def _difference(payment: Payment) -> Discrepancy:
    (difference,) = open_differences(payment)
    assert difference.kind in {"AMOUNT_DIFFERS", "UNIT_MIX_UP"}
    return difference


@operations
@pytest.mark.parametrize(
    ("asked", "reported"),
    [
        pytest.param("20.00", "0.01", id="one cent"),
        pytest.param("20.00", "25.00", id="more than was asked, and not more than there is"),
        pytest.param("20.00", "30.00", id="all that there is"),
        pytest.param("20.00", "0.20", id="divided by 100"),
    ],
)
def test_the_gateways_amount_is_booked_and_the_difference_closed(
    asked: str, reported: str, kind: str, shop: Shop
) -> None:
    payment, lost = _lost(shop, kind, asked, reported)
    assert book_gateways_amount(_difference(payment)).record_id == of(lost)["id"]
    assert _booked(payment, kind) == euros(reported)
    assert not open_differences()
    payment.refresh_from_db()
    assert not payment.is_frozen
    shop.ask(payment)
    assert _booked(payment, kind) == euros(reported), "it is counted once"
    assert not open_differences()
    assert payments.order_summary(order_of(payment)).reserved == euros("0.00")


@operations
def test_what_is_left_can_be_taken_or_given_back_afterwards(kind: str, shop: Shop) -> None:
    payment, _ = _lost(shop, kind, "20.00", "15.00")
    book_gateways_amount(_difference(payment))
    with pytest.raises(InvalidState):
        OPERATIONS[kind](order_of(payment), Decimal("15.01"))
    assert OPERATIONS[kind](order_of(payment), Decimal("15.00")).state == "APPROVED"
    assert _booked(payment, kind) == euros("30.00")
    shop.ask(payment)
    assert not open_differences()


@operations
def test_a_record_that_another_transaction_was_booked_by_is_not_booked_again(kind: str, shop: Shop) -> None:
    payment, _ = _lost(shop, kind, "20.00", "15.00", id="G-1")
    other = shop.pay_for(kind)
    shop.gateway.answers.append(answering(id="G-1"))
    assert OPERATIONS[kind](order_of(other)).record_id == "G-1"
    with refuses(InvalidState, ErrorCode.NOT_BOOKABLE):
        book_gateways_amount(_difference(payment))
    assert _booked(payment, kind) == euros("0.00")


@operations
@pytest.mark.parametrize("reported", ["30.01", "2000.00"])
def test_more_than_there_is_is_above_the_limit_and_stays_frozen(reported: str, kind: str, shop: Shop) -> None:
    payment, _ = _lost(shop, kind, "20.00", reported)
    for difference in open_differences(payment):
        book_gateways_amount(difference)
    assert _booked(payment, kind) == euros("30.00"), "no counter is above its limit"
    assert kinds(payment) == {"ABOVE_LIMIT"}
    assert state(payment)[0] == "FROZEN"


@operations
def test_a_record_in_another_currency_is_never_booked(kind: str, shop: Shop) -> None:
    payment, _ = _lost(shop, kind, "20.00", "15.00", currencyCode="USD")
    for difference in open_differences(payment):
        with pytest.raises(InvalidState):
            book_gateways_amount(difference)
    assert _booked(payment, kind) == euros("0.00")


@pytest.mark.parametrize(
    "now",
    [
        pytest.param([], id="missing"),
        pytest.param([{"state": "Errored"}], id="errored"),
        pytest.param([{"state": "Settled"}], id="in a word that is not known"),
    ],
)
@operations
def test_what_the_gateway_does_not_report_as_approved_now_is_not_booked(
    kind: str, now: list[dict[str, Any]], shop: Shop
) -> None:
    payment, lost = _lost(shop, kind, "20.00", "15.00")
    difference = _difference(payment)
    shop.report(lost, *[of(lost, transactionAmount=15, **fields) for fields in now])
    with pytest.raises(InvalidState):
        book_gateways_amount(difference)
    assert _booked(payment, kind) == euros("0.00")


@operations
def test_a_record_that_has_changed_since_somebody_looked_is_not_booked_but_judged_anew(
    kind: str, shop: Shop
) -> None:
    payment, lost = _lost(shop, kind, "20.00", "15.00")
    shop.report(lost, of(lost, transactionAmount=12))
    with pytest.raises(InvalidState):
        book_gateways_amount(_difference(payment))
    assert _booked(payment, kind) == euros("0.00")
    shop.ask(payment)
    (seen,) = [one for one in open_differences(payment) if "12.00" in str(one.explanation)]
    book_gateways_amount(seen)
    assert _booked(payment, kind) == euros("12.00")


@operations
def test_it_is_booked_once_however_often_somebody_presses(kind: str, shop: Shop) -> None:
    payment, _ = _lost(shop, kind, "20.00", "15.00")
    difference = _difference(payment)
    book_gateways_amount(difference)
    with pytest.raises(InvalidState):
        book_gateways_amount(difference)
    assert _booked(payment, kind) == euros("15.00")


def test_a_reversal_of_another_amount_is_not_booked(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    lost = shop.lose_answer(payments.reverse, order_of(payment))
    shop.report(lost, of(lost, transactionAmount=15))
    shop.ask(payment)
    for difference in open_differences(payment):
        with pytest.raises(InvalidState):
            book_gateways_amount(difference)


@operations
def test_what_was_approved_in_the_answer_and_recorded_with_less_can_be_booked_so(
    kind: str, shop: Shop
) -> None:
    payment = shop.pay_for(kind)
    done = OPERATIONS[kind](order_of(payment), Decimal("20.00"))
    assert done.state == "APPROVED"
    shop.gateway.records[done.reference][0]["transactionAmount"] = 15
    shop.ask(payment)
    book_gateways_amount(_difference(payment))
    assert _booked(payment, kind) == euros("15.00")
    shop.ask(payment)
    assert not open_differences()


@pytest.mark.parametrize(
    ("kind", "fields", "look"),
    [
        ("CAPTURE", {"type": "ecom.capture", "transactionAmount": 5}, "swept"),
        ("REFUND", {"type": "ecom.refund", "transactionAmount": 9.99}, "repaired"),
        ("REFUND", {"type": "ecom.refund", "transactionAmount": 10, "currencyCode": "USD"}, "swept"),
    ],
)
def test_a_follow_up_filed_under_the_payment_alone_is_compared_with_its_amount(
    kind: str, fields: dict[str, Any], look: str, shop: Shop
) -> None:
    payment = shop.pay_for(kind)
    done = OPERATIONS[kind](order_of(payment), Decimal("10.00"))
    assert done.state == "APPROVED"
    shop.report(done)
    shop.gateway.records[payment.reference].append(record(payment.reference, id=done.record_id, **fields))
    assert differences_by_comparison()[payment.reference]
    if look == "swept":
        shop.days(1)
    else:
        compared(repair=True, by="anna")
    (difference,) = open_differences(payment)
    assert str(done.record_id) in str(difference.explanation)
    assert state(payment)[0] == "FROZEN"
    payments.approvals.resolve(
        GatewayTransaction.objects.get(state="ANOMALY"), decision="DID_HAPPEN", reason="as asked", by="anna"
    )
    for each in open_differences(payment):
        payments.approvals.close_discrepancy(each, reason="looked it up", by="anna")
    shop.days(1)
    assert not open_differences(payment), "what a person has closed does not come back"
