"""At most 500 elements of an answer are read; where more came, nothing negative is concluded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from types import FrameType
from typing import Any

import pytest

from tests.evidence.gateway import Sent, StubGateway, record, refusing
from tests.evidence.shop import (
    Shop,
    compared,
    news,
    of,
    open_differences,
    order_of,
    state,
)
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment

pytestmark = pytest.mark.django_db

MOST = 500
Filler = Callable[[Payment, int], list[Any]]


def _others(number: int) -> list[dict[str, Any]]:
    return [record(f"X{n}", id=str(n), apmDetails=None) for n in range(number)]


def _errored(payment: Payment, number: int) -> list[dict[str, Any]]:
    return [record(payment.reference, id=f"E{n}", state="Errored") for n in range(number)]


FILLERS = [
    pytest.param(lambda _, number: [1] * number, id="numbers"),
    pytest.param(lambda _, number: [{}] * number, id="empty objects"),
    pytest.param(lambda _, number: [None] * number, id="nulls"),
    pytest.param(lambda _, number: _others(number), id="records of others"),
    pytest.param(_errored, id="declined cards of ours"),
]
fillers = pytest.mark.parametrize("filler", FILLERS)


def _is_held(shop: Shop, payment: Payment) -> None:
    assert not state(payment)[1], "not payable again"
    opening = GatewayTransaction.objects.get(pk=payment.opening.pk)
    assert opening.state not in {"REJECTED", "EXPIRED", "APPROVED", "ABANDONED"}
    assert opening.next_query_at is not None
    assert news(), "a person is told"
    with pytest.raises(payments.errors.OrderNotPayable):
        payments.start_checkout(order_of(payment))
    assert not shop.gateway.sent


@pytest.mark.parametrize("number", [MOST + 1, 2_000])
@fillers
def test_nothing_negative_is_concluded_where_more_came(filler: Filler, number: int, shop: Shop) -> None:
    payment = shop.begin()
    shop.report(payment, *filler(payment, number))
    shop.ask(payment)
    _is_held(shop, payment)
    shop.hours(3)
    _is_held(shop, payment)
    shop.days(2)
    _is_held(shop, payment)


def test_a_page_of_which_nothing_was_known_before_does_not_expire(shop: Shop) -> None:
    payment = shop.begin()
    shop.report(payment, *_others(MOST + 1))
    shop.hours(3)
    _is_held(shop, payment)


def test_exactly_as_many_as_are_read_are_read_whole(shop: Shop) -> None:
    payment, declined, absent = shop.begin(), shop.begin(), shop.begin()
    shop.report(payment, *_others(MOST - 1), record(payment.reference))
    shop.report(declined, *_errored(declined, MOST))
    shop.report(absent, *_others(MOST))
    for one in (payment, declined):
        shop.ask(one)
    shop.hours(2)
    assert state(payment) == ("PAID", False)
    assert state(declined) == ("FAILED", True)
    assert state(absent) == ("EXPIRED", True)
    assert not news()


@pytest.mark.parametrize("place", [0, MOST - 1])
@fillers
def test_an_approval_among_the_first_500_is_paid_and_a_person_told_of_the_rest(
    filler: Filler, place: int, shop: Shop
) -> None:
    payment = shop.begin()
    elements = filler(payment, MOST + 100)
    elements[place] = record(payment.reference)
    shop.report(payment, *elements)
    shop.ask(payment)
    assert state(payment) == ("PAID", False)
    assert news()


@pytest.mark.parametrize("number", [MOST, 6_000, 10_000])
@pytest.mark.parametrize("filler", FILLERS[:3])
def test_an_approval_behind_them_is_not_called_paid_and_not_payable_again(
    filler: Filler, number: int, shop: Shop
) -> None:
    payment = shop.begin()
    shop.report(payment, *filler(payment, number), record(payment.reference))
    shop.ask(payment)
    _is_held(shop, payment)
    shop.hours(3)
    _is_held(shop, payment)

    shop.report(payment, record(payment.reference))
    shop.days(1)
    assert state(payment) == ("PAID", False), "what was held is judged at the next query"


def test_two_approvals_among_the_first_500_are_two_executions(shop: Shop) -> None:
    payment = shop.begin()
    both = record(payment.reference), record(payment.reference, id="R-2")
    shop.report(payment, *both, *_others(MOST))
    shop.ask(payment)
    assert state(payment) == ("FROZEN", False)


def test_a_paid_order_whose_record_is_behind_the_first_500_is_not_missing(shop: Shop) -> None:
    payment = shop.pay()
    shop.report(payment, *_others(MOST), record(payment.reference))
    shop.days(3)
    assert state(payment) == ("PAID", False)
    assert "MISSING_THERE" not in {one.kind for one in open_differences()}
    assert "missing there:" not in compared()
    assert news(), "a person is told that not all was read"


@pytest.mark.parametrize("number", [0, MOST + 1])
def test_a_refused_refund_is_unknown_where_not_all_was_read(number: int, shop: Shop) -> None:
    payment = shop.pay()

    def refuse(sent: Sent) -> tuple[int, object]:
        shop.gateway.records[sent["clientSystemTransactionId"]] = _others(number)
        return refusing(400)(sent)

    shop.gateway.answers.append(refuse)
    refund = payments.refund(order_of(payment), Decimal("10.00"))
    assert refund.state in ({"REJECTED"} if number == 0 else {"UNKNOWN", "PENDING"})


@pytest.mark.parametrize("kind", ["CAPTURE", "REFUND", "REVERSAL"])
def test_a_follow_up_whose_answer_was_lost_is_neither_absent_nor_refused(kind: str, shop: Shop) -> None:
    payment = shop.pay(type="sale" if kind == "REFUND" else "preauthorization")
    operate = {"CAPTURE": payments.capture, "REFUND": payments.refund, "REVERSAL": payments.reverse}[kind]
    lost = shop.lose_answer(operate, order_of(payment))
    errored = [of(lost, id=f"E{n}", state="Errored") for n in range(MOST + 1)]
    shop.report(lost, *errored)
    shop.hours(2)
    lost.refresh_from_db()
    assert lost.state in {"UNKNOWN", "PENDING"}
    assert lost.next_query_at is not None
    assert news()
    with pytest.raises(payments.errors.OperationRefused):
        operate(order_of(payment))


# Processor time


class _Calls:
    """Counts the calls of this project's functions, those that read JSON itself apart."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and "wallet_gateway" in name and not name.endswith("strict_json.py"):
            self.number += 1


def _calls_of(shop: Shop, payment: Payment) -> int:
    calls = _Calls()
    sys.setprofile(calls)
    try:
        shop.ask(payment)
    finally:
        sys.setprofile(None)
    return calls.number


@pytest.mark.parametrize("filler", FILLERS)
def test_four_times_the_elements_cost_no_more_calls(filler: Filler, shop: Shop) -> None:
    costs = []
    # What is kept of an answer ends after so many characters.
    for number in (30_000, 30_000, 120_000):
        payment = shop.begin()
        shop.report(payment, *filler(payment, number))
        costs.append(_calls_of(shop, payment))
    _, few, many = costs
    assert many < few * 1.2


def test_what_is_kept_of_a_long_answer_is_bounded(gateway: StubGateway, shop: Shop) -> None:
    payment = shop.begin()
    shop.report(payment, *[1] * 10_000)
    shop.ask(payment)
    kept = GatewayTransaction.objects.get(pk=payment.opening.pk).events.all()
    assert gateway.asked
    assert sum(len(str(event.explanation)) + len(str(event.explanation_params)) for event in kept) < 20_000
