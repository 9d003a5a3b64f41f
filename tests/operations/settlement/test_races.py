"""Races of answers, sweeps and visits: in any order, each payment is booked and told once."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.operations.aftermath import fresh
from tests.operations.conftest import Pay, VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.journal import times_sent
from tests.operations.threads import surprises, together
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture
from wallet_gateway.operations.maintenance.sweep import end_leases, sweep
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt, reconcile_order
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.settlement.outbox import deliver_due
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
S = TransactionState


def test_sweeps_share_the_questions(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    for _ in range(10):
        wallet_sandbox.complete_checkout(pay("return").reference, "success")
    before = times_sent(wallet_sandbox, "status")
    clock.advance(seconds=80)
    quick = replace(real, sleep=lambda _: None)
    results = together(lambda: reconcile_due(context=quick))

    assert surprises(results) == []
    assert sum(results) == 10
    assert times_sent(wallet_sandbox, "status") == before + 10
    assert PaymentOrder.objects.filter(state=OrderState.PAID).count() == 10


def test_a_payment_found_by_everybody_at_once_is_booked_and_told_once(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay("return")
    wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(seconds=80)
    told: list[str] = []

    def hear(event_id: str, **_: object) -> None:
        told.append(event_id)

    signals.order_paid.connect(hear)
    try:
        results = together(
            lambda: reconcile_attempt(reference=payment.reference, context=real),
            lambda: reconcile_order(order=fresh(payment).order, context=real, everything=True),
            lambda: sweep(context=real),
            lambda: deliver_due(clock=clock),
        )
    finally:
        signals.order_paid.disconnect(hear)

    assert surprises(results) == []
    payment = fresh(payment)
    assert (payment.authorized, payment.captured) == (2000, 2000)
    assert payment.order.state == OrderState.PAID
    assert told == [str(OutboxEvent.objects.get().event_id)]


def test_two_pages_paid_at_the_same_moment_make_the_order_overpaid(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    first = pay("return")
    clock.advance(seconds=850)
    second = start_checkout(order=fresh(first).order, context=real, return_urls=return_urls)
    for payment in (first, second):
        wallet_sandbox.complete_checkout(payment.reference, "success")
    results = together(
        lambda: reconcile_attempt(reference=first.reference, context=real),
        lambda: reconcile_attempt(reference=second.reference, context=real),
    )

    assert surprises(results) == []
    assert PaymentOrder.objects.get().state == OrderState.OVERPAID
    assert sorted(OutboxEvent.objects.values_list("kind", flat=True)) == ["ANOMALY", "PAID"]


def test_a_lease_is_ended_once(pay: Pay, real: GatewayContext, clock: VirtualClock) -> None:
    with pytest.raises(Killed):
        capture(
            payment=pay(type="preauthorization"),
            context=interrupted(real, before=kill),
            amount=Decimal("5.00"),
        )
    clock.advance(seconds=121)
    results = together(lambda: end_leases(context=real))

    assert surprises(results) == []
    transaction = GatewayTransaction.objects.get(kind="CAPTURE")
    assert transaction.state == S.UNKNOWN
    assert Payment.objects.get().capture_reserved == 500


def test_answers_and_sweeps_that_meet_book_once(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_after")
    transaction = capture(payment=payment, context=real, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    results = together(
        lambda: sweep(context=real),
        lambda: reconcile_order(order=fresh(payment).order, context=real, everything=True),
    )

    assert surprises(results) == []
    payment = fresh(payment)
    assert (payment.captured, payment.capture_reserved) == (500, 0)
    assert OutboxEvent.objects.filter(transaction=transaction).count() == 1


def test_events_are_delivered_once_by_many_sweeps(
    pay: Pay, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "deliver", lambda *_, **__: 0)
        for _ in range(5):
            pay()
    clock.advance(seconds=61)
    told: list[str] = []

    def hear(event_id: str, **_: object) -> None:
        told.append(event_id)

    signals.order_paid.connect(hear)
    try:
        results = together(lambda: deliver_due(clock=clock))
    finally:
        signals.order_paid.disconnect(hear)
    assert surprises(results) == []
    assert (sum(results), len(told), len(set(told))) == (5, 5, 5)
