"""Processes that die, fail or meet while they tell: each event is told at least once, under one id."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import DatabaseError

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.dying import Killed
from tests.operations.settlement.conftest import Listen
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import OutboxEvent, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement import outbox
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.settlement.outbox import deliver_due
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_a_process_that_dies_before_telling_leaves_it_to_the_sweep(
    listen: Listen,
    open_page: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receiver = listen(signals.order_paid)
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(settlement, "deliver", die)
        with pytest.raises(Killed):
            reconcile_attempt(reference=payment.reference, context=context)
    assert PaymentOrder.objects.get().state == OrderState.PAID
    assert receiver.told == []

    clock.advance(seconds=59)
    assert sweep(context=context).events_delivered == 0
    clock.advance(seconds=2)
    assert sweep(context=context).events_delivered == 1
    assert receiver.ids == [str(OutboxEvent.objects.get().event_id)]


def test_a_process_that_dies_while_telling_tells_twice_under_one_id(
    listen: Listen,
    open_page: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    receiver = listen(signals.order_paid)

    def die(**_: object) -> None:
        raise Killed

    signals.order_paid.connect(die)
    try:
        with pytest.raises(Killed):
            reconcile_attempt(reference=payment.reference, context=context)
    finally:
        signals.order_paid.disconnect(die)
    clock.advance(seconds=61)
    sweep(context=context)
    assert receiver.ids == [str(OutboxEvent.objects.get().event_id)] * 2


def test_a_delivery_that_cannot_be_noted_does_not_look_like_a_failed_payment(
    listen: Listen,
    open_page: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    receiver = listen(signals.order_paid)
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")

    def gone(*_: object) -> bool:
        raise DatabaseError("server closed the connection")

    with monkeypatch.context() as patch:
        patch.setattr(outbox, "_deliver_one", gone)
        settled = reconcile_attempt(reference=payment.reference, context=context)
    assert settled.order.state == OrderState.PAID
    assert "delivered again later" in caplog.text

    clock.advance(seconds=61)
    sweep(context=context)
    assert len(receiver.told) == 1


def test_a_receiver_may_refund_what_it_was_told_of(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    def no_longer_in_stock(order: PaymentOrder, **_: object) -> None:
        refund(payment=order.payments.get(), context=context)

    signals.order_paid.connect(no_longer_in_stock)
    try:
        pay()
    finally:
        signals.order_paid.disconnect(no_longer_in_stock)
    assert PaymentOrder.objects.get().state == OrderState.REFUNDED
    assert [outbox_event.kind for outbox_event in OutboxEvent.objects.filter(delivered_at__isnull=False)] == [
        "PAID",
        "REFUNDED",
    ]


def test_a_worker_that_dies_holds_up_the_one_event_it_was_telling(
    listen: Listen, pay: Pay, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "deliver", lambda *_, **__: 0)
        references = [pay().order.reference for _ in range(3)]
    clock.advance(seconds=61)

    def die(**_: object) -> None:
        raise Killed

    signals.order_paid.connect(die)
    try:
        with pytest.raises(Killed):
            deliver_due(clock=clock)
    finally:
        signals.order_paid.disconnect(die)
    receiver = listen(signals.order_paid)
    assert deliver_due(clock=clock) == 2
    assert [told["reference"] for told in receiver.told] == references[1:]


def test_a_event_told_late_comes_with_its_order_as_it_stands_by_then(
    pay: Pay, context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "deliver", lambda *_, **__: 0)
        payment = pay(type="preauthorization")
        capture(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance(seconds=61)
    seen: list[str] = []

    def take_the_rest(order: PaymentOrder, **_: object) -> None:
        capture(payment=order.payments.get(), context=context)

    def look(order: PaymentOrder, **_: object) -> None:
        seen.append(order.state)

    signals.order_authorized.connect(take_the_rest)
    signals.order_captured_in_part.connect(look)
    try:
        deliver_due(clock=clock)
    finally:
        signals.order_authorized.disconnect(take_the_rest)
        signals.order_captured_in_part.disconnect(look)
    assert seen == [OrderState.PAID]
