"""Deliveries that are recorded together: soon, by one statement, and none that a receiver has refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from tests.models.rows import an_order
from tests.operations.conftest import VirtualClock
from wallet_gateway import signals
from wallet_gateway.models import OutboxEvent, OutboxEventKind, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement import delivery_recorder
from wallet_gateway.operations.settlement.delivery_recorder import (
    MANY,
    WAIT,
    DeliveryRecorder,
    recorded_together,
)
from wallet_gateway.operations.settlement.outbox import FIRST_DELIVERY, add_order_events, deliver, deliver_due

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def told() -> Iterator[list[str]]:
    """The references of the orders whose cancellation was told."""
    references: list[str] = []

    def receive(*, reference: str, **_: object) -> None:
        references.append(reference)
        if reference == "FAILS":
            raise ValueError("the shop's warehouse is closed")

    signals.order_cancelled.connect(receive)
    yield references
    signals.order_cancelled.disconnect(receive)


def written(clock: VirtualClock, count: int = 1) -> list[OutboxEvent]:
    orders = [an_order() for _ in range(count)]
    return [event_of(order, clock) for order in orders]


def event_of(order: PaymentOrder, clock: VirtualClock) -> OutboxEvent:
    (event,) = add_order_events(order, [OutboxEventKind.CANCELLED], clock.now())
    return event


def undelivered() -> int:
    return OutboxEvent.objects.filter(delivered_at=None, next_delivery_at__isnull=False).count()


def test_all_are_recorded_by_one_statement_at_the_end(
    context: GatewayContext, clock: VirtualClock, told: list[str]
) -> None:
    events = written(clock, 5)
    with CaptureQueriesContext(connection) as captured:
        with recorded_together(context) as recording:
            assert deliver(events, clock=clock, recorder=recording.deliveries) == len(told) == 5
            assert undelivered() == 5
        assert undelivered() == 0
    assert sum("UPDATE" in (one["sql"] or "") for one in captured) == 1
    assert set(OutboxEvent.objects.values_list("delivered_at", "attempts")) == {(clock.now(), 1)}


def test_they_are_recorded_although_the_sweep_ends_by_an_error(
    context: GatewayContext, clock: VirtualClock, told: list[str]
) -> None:
    def fail_after_delivery() -> None:
        with recorded_together(context) as recording:
            deliver(written(clock), clock=clock, recorder=recording.deliveries)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_delivery()
    assert undelivered() == 0


def test_they_are_recorded_as_soon_as_they_are_many(clock: VirtualClock, told: list[str]) -> None:
    recorder = DeliveryRecorder(clock)
    *first, last = written(clock, MANY)
    deliver(first, clock=clock, recorder=recorder)
    recorder.record_if_due()
    assert undelivered() == MANY
    deliver([last], clock=clock, recorder=recorder)
    recorder.record_if_due()
    assert undelivered() == 0


def test_the_first_does_not_wait_long_for_the_others(clock: VirtualClock, told: list[str]) -> None:
    assert WAIT * 10 < FIRST_DELIVERY, "another sweep would deliver it again"
    recorder = DeliveryRecorder(clock)
    # As in a sweep that begins with rows of which nothing is told.
    clock.advance(seconds=60)
    deliver(written(clock), clock=clock, recorder=recorder)
    recorder.record_if_due()
    assert undelivered() == 1
    clock.advance(seconds=WAIT.total_seconds())
    recorder.record_if_due()
    assert undelivered() == 0


def test_what_a_receiver_has_refused_is_not_recorded_as_delivered(
    clock: VirtualClock, told: list[str]
) -> None:
    recorder = DeliveryRecorder(clock)
    failing = event_of(an_order(reference="FAILS"), clock)
    assert deliver([failing, *written(clock)], clock=clock, recorder=recorder) == 1
    recorder.record()
    failing.refresh_from_db()
    assert (failing.delivered_at, failing.last_error) == (None, "ValueError")
    assert failing.next_delivery_at == clock.now() + timedelta(seconds=60)
    assert undelivered() == 1


def test_what_a_worker_could_not_record_before_it_died_is_delivered_again(
    clock: VirtualClock, told: list[str]
) -> None:
    events = written(clock, 2)
    deliver(events, clock=clock, recorder=DeliveryRecorder(clock))
    assert deliver_due(clock=clock) == 0, "it may still be at work"
    clock.advance(seconds=FIRST_DELIVERY.total_seconds())
    assert deliver_due(clock=clock) == 2
    assert told == [event.order.reference for event in events if event.order] * 2


def test_a_database_that_cannot_record_them_does_not_end_the_sweep(
    clock: VirtualClock,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def gone(_work: object) -> None:
        raise DatabaseError("server closed the connection")

    recorder, (event,) = DeliveryRecorder(clock), written(clock)
    deliver([event], clock=clock, recorder=recorder)
    with monkeypatch.context() as patch:
        patch.setattr(delivery_recorder, "in_statement", gone)
        recorder.record()
    assert f"{event.event_id} could not be recorded, it is delivered again later" in caplog.text
    assert undelivered() == 1


def test_nothing_to_record_takes_no_statement(clock: VirtualClock) -> None:
    recorder = DeliveryRecorder(clock)
    with CaptureQueriesContext(connection) as captured:
        recorder.record_if_due()
        recorder.record()
    assert len(captured) == 0
