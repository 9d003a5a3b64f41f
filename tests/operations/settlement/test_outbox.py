"""Facts: told at least once, always under the same id, whatever the receivers or the process do."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.db import transaction as db_transaction

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.settlement.conftest import Listen
from tests.operations.settlement.receivers import Receiver
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import OutboxEvent, OutboxEventKind, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.settlement.outbox import SIGNALS, deliver_due
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_every_kind_of_event_has_its_signal() -> None:
    assert set(SIGNALS) == set(OutboxEventKind)
    about_orders = {name for name in vars(signals) if name.startswith("order_")}
    named = {name.removeprefix("order_").upper(): getattr(signals, name) for name in about_orders}
    assert named | {"WALLET_LIMIT_REACHED": signals.wallet_limit_reached} == SIGNALS


# What is told


def test_a_payment_is_told_with_all_a_shop_needs(listen: Listen, pay: Pay, clock: VirtualClock) -> None:
    receiver = listen(signals.order_paid)
    payment = pay()

    (told,) = receiver.told
    assert told["sender"] is PaymentOrder
    assert told["signal"] is signals.order_paid
    assert told["reference"] == payment.order.reference
    assert told["order"] == payment.order
    assert told["order"].state == OrderState.PAID
    assert told["amount"] == Money(Decimal("20.00"), "EUR")
    assert told["occurred_at"] == clock.now()
    outbox_event = OutboxEvent.objects.get()
    assert told["event_id"] == str(outbox_event.event_id)
    assert (outbox_event.delivered_at, outbox_event.next_delivery_at, outbox_event.attempts) == (
        clock.now(),
        None,
        1,
    )
    assert (outbox_event.order, outbox_event.transaction) == (payment.order, payment.opening)
    assert outbox_event.amount == told["amount"]


@pytest.mark.django_db(transaction=True)
def test_what_is_told_has_been_committed(listen: Listen, pay: Pay) -> None:
    seen: list[str] = []

    def look(**_: object) -> None:
        seen.append(PaymentOrder.objects.get().state)
        assert not db_transaction.get_connection().in_atomic_block

    signals.order_paid.connect(look)
    try:
        pay()
    finally:
        signals.order_paid.disconnect(look)
    assert seen == [OrderState.PAID]


@pytest.mark.parametrize("outcome", ["refused", "error", "cancelled"])
def test_a_failed_attempt_is_told(outcome: str, listen: Listen, pay: Pay) -> None:
    receiver = listen(signals.order_failed)
    pay(outcome)
    assert [str(told["amount"]) for told in receiver.told] == ["20.00 EUR"]


@pytest.mark.parametrize("outcome", ["return", "pending"])
def test_what_is_undecided_is_not_told(outcome: str, pay: Pay) -> None:
    pay(outcome)
    assert not OutboxEvent.objects.exists()


def test_the_life_of_a_preauthorization_is_told_step_by_step(
    listen: Listen, pay: Pay, context: GatewayContext
) -> None:
    receivers = {name: listen(getattr(signals, name)) for name in vars(signals) if name.startswith("order_")}
    payment = pay(type="preauthorization")
    for verb, amount in ((capture, "5.00"), (capture, "15.00"), (refund, "1.00"), (refund, "19.00")):
        payment.refresh_from_db()
        verb(payment=payment, context=context, amount=Decimal(amount))

    heard = {name: [str(told["amount"]) for told in r.told] for name, r in receivers.items() if r.told}
    assert heard == {
        "order_authorized": ["20.00 EUR"],
        "order_captured_in_part": ["5.00 EUR"],
        "order_paid": ["15.00 EUR"],
        "order_refunded": ["1.00 EUR", "19.00 EUR"],
    }
    assert len({event_id for r in receivers.values() for event_id in r.ids}) == 5


def test_a_reversal_is_told(listen: Listen, pay: Pay, context: GatewayContext) -> None:
    receiver = listen(signals.order_reversed)
    reverse(payment=pay(type="preauthorization"), context=context)
    assert [str(told["amount"]) for told in receiver.told] == ["20.00 EUR"]


def test_a_refused_refund_is_told_to_nobody(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "errored")
    refund(payment=payment, context=context)
    assert OutboxEvent.objects.get().kind == OutboxEventKind.PAID


# Receivers that fail


def test_a_receiver_that_raises_is_told_again_under_the_same_id(
    listen: Listen, pay: Pay, clock: VirtualClock, context: GatewayContext, caplog: pytest.LogCaptureFixture
) -> None:
    failing, sound = listen(signals.order_paid, failures=2), listen(signals.order_paid)
    payment = pay()
    assert payment.order.state == OrderState.PAID, "the shop's fault is not the payment's"
    outbox_event = OutboxEvent.objects.get()
    assert (outbox_event.delivered_at, outbox_event.last_error) == (None, "ValueError")
    assert str(outbox_event.event_id) in caplog.text

    waits = []
    while outbox_event.next_delivery_at is not None:
        waits.append(outbox_event.next_delivery_at - clock.now())
        clock.advance_to(outbox_event.next_delivery_at)
        sweep(context=context)
        outbox_event.refresh_from_db()
    assert waits == [timedelta(seconds=60), timedelta(seconds=120)]
    assert failing.ids == sound.ids == [str(outbox_event.event_id)] * 3
    assert (outbox_event.delivered_at, outbox_event.attempts) == (clock.now(), 3)


def test_a_receiver_that_never_takes_it_is_told_every_hour_in_the_end(
    listen: Listen, pay: Pay, clock: VirtualClock
) -> None:
    listen(signals.order_paid, failures=10_000)
    pay()
    for _ in range(12):
        outbox_event = OutboxEvent.objects.get()
        clock.advance_to(outbox_event.next_delivery_at)
        assert deliver_due(clock=clock) == 0
    outbox_event.refresh_from_db()
    assert outbox_event.next_delivery_at == clock.now() + timedelta(hours=1)
    assert outbox_event.attempts == 13


def test_a_event_is_not_told_before_its_time(listen: Listen, pay: Pay, clock: VirtualClock) -> None:
    receiver = listen(signals.order_paid, failures=1)
    pay()
    clock.advance(seconds=59)
    assert deliver_due(clock=clock) == 0
    assert len(receiver.told) == 1


def test_a_receiver_without_a_name_may_fail_too(
    listen: Listen, pay: Pay, clock: VirtualClock, context: GatewayContext
) -> None:
    receiver = Receiver(failures=1)
    nameless = partial(receiver)
    signals.order_paid.connect(nameless)
    try:
        assert pay().order.state == OrderState.PAID
        clock.advance_to(OutboxEvent.objects.get().next_delivery_at)
        assert sweep(context=context).events_delivered == 1
    finally:
        signals.order_paid.disconnect(nameless)
    assert len(set(receiver.ids)) == 1
    assert len(receiver.told) == 2
