"""Races of people: of many who decide at once one does, and no limit is passed together."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from django.db.models import Q

from tests.money.approvals.people import asked, person
from tests.support.shop import Shop, of, order_of
from tests.support.threads import THREADS, surprises, together
from wallet_gateway import payments
from wallet_gateway.models import Approval, GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.payments.errors import AwaitingApproval, InvalidState, OperationRefused

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


def fresh(payment: Payment) -> Payment:
    return Payment.objects.select_related("order").get(pk=payment.pk)


def test_a_decision_and_late_news_end_as_the_last_of_them_says(shop: Shop) -> None:
    payment = shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(payment), Decimal("5.00"))
    day_ago = shop.clock.now() - timedelta(days=1)
    GatewayTransaction.objects.filter(pk=lost.pk).update(state_changed_at=day_ago, absent_count=5)
    shop.report(lost, of(lost))

    def decide() -> GatewayTransaction:
        current = GatewayTransaction.objects.get(pk=lost.pk)
        given = {"decision": "DID_NOT_HAPPEN", "reason": "support says no", "by": "anna"}
        return payments.approvals.resolve(current, **given)

    shop.clock.by += timedelta(seconds=10)
    results = together(decide, lambda: payments.reconcile(order_of(payment), everything=True))

    assert surprises(results, InvalidState) == []
    lost.refresh_from_db()
    payment = fresh(payment)
    assert payment.refund_reserved == 0
    told = TransactionEvent.objects.filter(Q(kind="DECISION") | Q(state_after="ANOMALY"), transaction=lost)
    states = list(told.order_by("pk").values_list("state_after", flat=True))
    if lost.state == "APPROVED":
        assert (payment.refunded, payment.is_frozen) == (500, False)
    elif states[-1] == "ANOMALY":
        # Given up first: then the news contradicts it, and it is looked at again.
        assert (lost.state, payment.refunded, payment.is_frozen) == ("ANOMALY", 0, True)
    else:
        # Somebody came so late that the news was there: that decision is one on the anomaly.
        assert states[-2:] == ["ANOMALY", "ABANDONED"]
        assert (lost.state, payment.refunded, payment.is_frozen) == ("ABANDONED", 0, False)
    assert ("ABANDONED", "ABANDONED") not in pairwise(states)


def test_refusals_are_refusals_whatever_the_race(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    results = together(
        lambda: payments.capture(order_of(payment)),
        lambda: payments.refund(order_of(payment)),
        lambda: payments.reverse(order_of(payment)),
        lambda: payments.reconcile(order_of(payment), everything=True),
    )
    assert surprises(results, OperationRefused) == []


def test_of_many_who_agree_at_once_one_does_and_it_is_sent_once(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    request = asked(payments.refund, order_of(shop.pay()), by=person("anna"))
    people = iter([person(f"second-{number}") for number in range(THREADS)])

    results = together(lambda: payments.approvals.approve(request, by=next(people)))

    assert surprises(results, InvalidState) == []
    assert len(shop.gateway.sent) == 1
    (transaction,) = [row for row in results if isinstance(row, GatewayTransaction)]
    request.refresh_from_db()
    assert request.state == "AGREED"
    witness = TransactionEvent.objects.get(transaction=transaction, kind="APPROVAL")
    assert witness.created_by == request.decided_by


def test_either_somebody_agrees_or_somebody_declines(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    payment, bert = shop.pay(), person("bert")
    request = asked(payments.refund, order_of(payment), by=person("anna"))

    results = together(
        lambda: payments.approvals.approve(request, by=bert),
        lambda: payments.approvals.decline(request, by="carla", reason="not returned"),
        times=4,
    )

    assert surprises(results, InvalidState) == []
    # Who agrees several times at once is told each time of the one refund.
    assert len({one for one in results if not isinstance(one, InvalidState)}) == 1
    request.refresh_from_db()
    agreed = request.state == "AGREED"
    assert len(shop.gateway.sent) == int(agreed)
    assert fresh(payment).refunded == (3000 if agreed else 0)


def test_refunds_of_one_person_at_once_do_not_pass_the_limit_of_a_day_together(shop: Shop) -> None:
    shop.configure(APPROVALS={"DAY_LIMITS": {"EUR": "70.00"}})
    paid, anna = [shop.pay() for _ in range(THREADS)], person("anna")
    mine = iter([order_of(payment) for payment in paid])

    results = together(lambda: payments.refund(next(mine), by=anna))

    assert surprises(results, AwaitingApproval) == []
    assert len(shop.gateway.sent) == 2
    assert sum(fresh(payment).refunded for payment in paid) == 6000
    assert Approval.objects.count() == THREADS - 2


def test_one_key_asks_once_however_often_it_is_clicked(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    payment = shop.pay()
    results = together(lambda: payments.refund(order_of(payment), idempotency_key="click-1", by="anna"))
    assert surprises(results, AwaitingApproval) == []
    assert {one.approval.pk for one in results} == {Approval.objects.get().pk}
