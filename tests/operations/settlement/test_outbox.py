"""Facts: told at least once, always under the same id, whatever the receivers or the process do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError
from django.db import transaction as db_transaction
from django.dispatch import Signal

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.dying import Killed
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import OutboxEvent, OutboxEventKind, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement import outbox
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.settlement.outbox import SIGNALS, deliver_due
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@dataclass
class Receiver:
    """A shop's receiver that remembers what it was told, and fails as often as it is set to."""

    failures: int = 0
    told: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.__qualname__ = type(self).__name__

    def __call__(self, **kwargs: Any) -> None:
        self.told.append(kwargs)
        if len(self.told) <= self.failures:
            raise ValueError("the shop's warehouse is closed")

    @property
    def ids(self) -> list[str]:
        return [told["event_id"] for told in self.told]


Listen = Callable[..., Receiver]


@pytest.fixture
def listen() -> Iterator[Listen]:
    connected: list[tuple[Signal, Receiver]] = []

    def connect(signal: Signal, failures: int = 0) -> Receiver:
        receiver = Receiver(failures)
        signal.connect(receiver)
        connected.append((signal, receiver))
        return receiver

    yield connect
    for signal, receiver in connected:
        signal.disconnect(receiver)


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


# Processes that fail


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


def test_two_sweeps_tell_a_event_once(
    listen: Listen, pay: Pay, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "deliver", lambda *_, **__: 0)
        pay()
    receiver = listen(signals.order_paid)
    clock.advance(seconds=61)
    claim = outbox._claim
    others: list[int] = []

    def claim_late(outbox_event: OutboxEvent, now: datetime) -> bool:
        if not others:
            others.append(0)
            others.append(deliver_due(clock=clock))
        return claim(outbox_event, now)

    monkeypatch.setattr(outbox, "_claim", claim_late)
    assert deliver_due(clock=clock) == 0
    assert others[1] == 1
    assert len(receiver.told) == 1


def test_a_sweep_tells_the_oldest_first_and_no_more_than_its_limit(
    listen: Listen, pay: Pay, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "deliver", lambda *_, **__: 0)
        references = [pay().order.reference for _ in range(3)]
    receiver = listen(signals.order_paid)
    clock.advance(seconds=61)
    assert deliver_due(clock=clock, limit=2) == 2
    assert [told["reference"] for told in receiver.told] == references[:2]


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


def test_whoever_caused_a_event_sees_what_its_receivers_did(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page(type="preauthorization")
    wallet_sandbox.complete_checkout(payment.reference, "success")

    def take_it(order: PaymentOrder, **_: object) -> None:
        capture(payment=order.payments.get(), context=context)

    signals.order_authorized.connect(take_it)
    try:
        seen = reconcile_attempt(reference=payment.reference, context=context)
    finally:
        signals.order_authorized.disconnect(take_it)
    assert (seen.captured, seen.state, seen.order.state) == (2000, "PAID", OrderState.PAID)


def test_whoever_captured_sees_that_a_receiver_gave_it_back(pay: Pay, context: GatewayContext) -> None:
    payment = pay(type="preauthorization")

    def no_longer_in_stock(order: PaymentOrder, **_: object) -> None:
        refund(payment=order.payments.get(), context=context)

    signals.order_paid.connect(no_longer_in_stock)
    try:
        transaction = capture(payment=payment, context=context)
    finally:
        signals.order_paid.disconnect(no_longer_in_stock)
    assert transaction.payment is not None
    assert (transaction.payment.refunded, transaction.payment.order.state) == (2000, OrderState.REFUNDED)
