"""Races of people: of many who decide at once one does, and no limit is passed together."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from django.db.models import Q

from tests.operations.aftermath import fresh
from tests.operations.conftest import Pay, VirtualClock, sweep_until
from tests.operations.dying import scripted
from tests.operations.journal import times_sent
from tests.operations.records import answer_of, record
from tests.operations.second_person import asked, limits_by_day, needs_two, person
from tests.operations.threads import THREADS, surprises, together
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    GatewayTransaction,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.operations.approvals.requests import decline
from wallet_gateway.operations.approvals.resolve import Decision, resolve
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import AwaitingApproval, InvalidState, OperationRefused
from wallet_gateway.operations.follow_ups.approve import approve
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
S = TransactionState


# People


def test_a_decision_and_late_news_end_as_the_last_of_them_says(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=real, amount=Decimal("5.00"))
    quick = replace(real, sleep=lambda _: None)
    sweep_until(transaction, lambda row: row.needs_operator, context=quick, clock=clock)
    clock.advance(seconds=3)
    late = scripted(quick, answer_of(record(transaction, "5.00")))

    def decide() -> GatewayTransaction:
        current = GatewayTransaction.objects.get(pk=transaction.pk)
        no = Decision.DID_NOT_HAPPEN
        return resolve(current, decision=no, reason="support says no", by="anna", context=quick)

    results = together(
        decide, lambda: reconcile_order(order=fresh(payment).order, context=late, everything=True)
    )

    assert surprises(results, InvalidState) == []
    transaction.refresh_from_db()
    payment = fresh(payment)
    assert payment.refund_reserved == 0
    told = TransactionEvent.objects.filter(
        Q(kind="DECISION") | Q(state_after=S.ANOMALY), transaction=transaction
    )
    states = list(told.order_by("pk").values_list("state_after", flat=True))
    if transaction.state == S.APPROVED:
        assert (payment.refunded, payment.is_frozen) == (500, False)
    elif states[-1] == S.ANOMALY:
        # Given up first: then the news contradicts it, and it is looked at again.
        assert (transaction.state, payment.refunded, payment.is_frozen) == (S.ANOMALY, 0, True)
    else:
        # Somebody came so late that the news was there: that decision is one on the anomaly.
        assert states[-2:] == [S.ANOMALY, S.ABANDONED]
        assert (transaction.state, payment.refunded, payment.is_frozen) == (S.ABANDONED, 0, False)
    assert (S.ABANDONED, S.ABANDONED) not in pairwise(states)


def test_refusals_are_refusals_whatever_the_race(pay: Pay, real: GatewayContext) -> None:
    payment = pay(type="preauthorization")
    results = together(
        lambda: capture(payment=fresh(payment), context=real),
        lambda: refund(payment=fresh(payment), context=real),
        lambda: reverse(payment=fresh(payment), context=real),
        lambda: reconcile_order(order=fresh(payment).order, context=real, everything=True),
    )
    assert surprises(results, OperationRefused) == []


# A second person


def test_of_many_who_agree_at_once_one_does_and_it_is_sent_once(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment, two = pay(), needs_two(real)
    request = asked(lambda: refund(payment=payment, context=two, who=Initiator(by="anna")))
    names = iter(f"second-{number}" for number in range(THREADS))

    results = together(lambda: approve(request, by=person(next(names)), context=two))

    assert surprises(results, InvalidState) == []
    assert times_sent(wallet_sandbox, "refund") == 1
    (transaction,) = [row for row in results if isinstance(row, GatewayTransaction)]
    request.refresh_from_db()
    assert request.state == ApprovalState.AGREED
    witness = TransactionEvent.objects.get(transaction=transaction, kind=TransactionEventKind.APPROVAL)
    assert witness.created_by == request.decided_by


def test_either_somebody_agrees_or_somebody_declines(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment, two = pay(), needs_two(real)
    request = asked(lambda: refund(payment=payment, context=two, who=Initiator(by="anna")))

    results = together(
        lambda: approve(request, by=person("bert"), context=two),
        lambda: decline(request, by="carla", reason="not returned", clock=two.clock),
        times=4,
    )

    assert surprises(results, InvalidState) == []
    # Who agrees several times at once is told each time of the one refund.
    assert len({one for one in results if not isinstance(one, InvalidState)}) == 1
    request.refresh_from_db()
    agreed = request.state == ApprovalState.AGREED
    assert times_sent(wallet_sandbox, "refund") == int(agreed)
    assert fresh(payment).refunded == (2000 if agreed else 0)


def test_refunds_of_one_person_at_once_do_not_pass_the_limit_of_a_day_together(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payments, of_day = [pay() for _ in range(THREADS)], limits_by_day(real, EUR=4500)
    mine = iter(payments)
    someone = Initiator(by=person("anna"))

    results = together(lambda: refund(payment=next(mine), context=of_day, who=someone))

    assert surprises(results, AwaitingApproval) == []
    assert times_sent(wallet_sandbox, "refund") == 2
    assert sum(fresh(payment).refunded for payment in payments) == 4000
    assert Approval.objects.count() == THREADS - 2


def test_one_key_asks_once_however_often_it_is_clicked(pay: Pay, real: GatewayContext) -> None:
    payment, two = pay(), needs_two(real)
    who = Initiator(idempotency_key="click-1", by="anna")

    results = together(lambda: refund(payment=payment, context=two, who=who))

    assert surprises(results, AwaitingApproval) == []
    assert {one.approval.pk for one in results} == {Approval.objects.get().pk}
