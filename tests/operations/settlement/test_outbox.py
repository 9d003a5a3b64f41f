"""Facts: told at least once, always under the same id, whatever the receivers or the process do."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError
from django.db import transaction as db_transaction
from kombu.serialization import dumps as kombu_dumps
from kombu.serialization import loads as kombu_loads

from tests.models.rows import an_order
from tests.nameless_receivers import nameless
from tests.operations.conftest import Pay, VirtualClock
from tests.operations.settlement.conftest import Listen
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import OrderMetadata, OutboxEvent, OutboxEventKind, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.settlement.outbox import add_order_events, deliver, deliver_due
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

__all__ = ["nameless"]
pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


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


# Metadata


def noted(clock: VirtualClock, **metadata: str) -> OutboxEvent:
    """An event of an order with metadata."""
    order = an_order()
    for key, value in metadata.items():
        OrderMetadata.objects.create(order=order, key=key, value=value)
    (event,) = add_order_events(order, [OutboxEventKind.CANCELLED], clock.now())
    return event


def test_metadata_is_a_dict_for_whatever_takes_dicts(listen: Listen, clock: VirtualClock) -> None:
    receiver = listen(signals.order_cancelled)
    assert deliver([noted(clock, cart="77")], clock=clock) == 1
    metadata = receiver.told[0]["metadata"]
    assert type(metadata) is dict
    assert json.loads(json.dumps(metadata)) == {"cart": "77"}
    content_type, encoding, body = kombu_dumps({"about": metadata}, serializer="json")
    assert kombu_loads(body, content_type, encoding) == {"about": {"cart": "77"}}
    assert metadata | {"branch": "Leipzig"} == {"cart": "77", "branch": "Leipzig"}
    match metadata:
        case {"cart": cart}:
            assert cart == "77"
        case _:
            pytest.fail("it is no mapping for a match")


def test_an_event_whose_metadata_cannot_be_read_is_told_later(
    listen: Listen, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(_order: PaymentOrder) -> None:
        raise DatabaseError("server closed the connection")

    receiver, event = listen(signals.order_cancelled), noted(clock, cart="77")
    with monkeypatch.context() as patch:
        patch.setattr(PaymentOrder, "metadata", property(gone))
        assert deliver([event], clock=clock) == 0
    assert "it is delivered again later" in caplog.text
    clock.advance_to(event.next_delivery_at)
    assert deliver_due(clock=clock) == 1
    assert [told["metadata"] for told in receiver.told] == [{"cart": "77"}]
